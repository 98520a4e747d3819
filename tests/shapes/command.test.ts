/** `culprit shape` as scripts see it: the statements, nothing else, and the exit status. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ShapeReport } from '../../src/shapes/report/shapeReport.js';
import { culprit } from '../cli/culprit.js';
import { compiled, marksOf, SOURCES } from './compiled.js';
import { textOf } from './shaped.js';

const QUADRANTS = '1 1\n40 40\n48 32\n';
const DOUBLY = 'node X; X.next != NULL => X.next->prev == X;\nnode X; X.prev != NULL => X.prev->next == X;\n';

let folder: string;
let specification: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shapes-'));
  specification = join(folder, 'doubly.shape');
  writeFileSync(specification, DOUBLY);
});

describe('culprit shape', () => {
  it('finds line 40 of Figure 1, with C-points from comments', () => {
    const { status, stdout, stderr } = culprit(['shape', `${SOURCES}quadtree.shape`, '--list', '--', compiled('quadtree.c')], { input: QUADRANTS });
    expect({ status, stdout, stderr }).toEqual({ status: 99, stdout: 'quadtree.c:40\n', stderr: '' });
  });

  it('tells it with the constraint, the nodes, the stack and a picture, and as SARIF and SVG', () => {
    const [sarif, svg] = [join(folder, 'out.sarif'), join(folder, 'out.svg')];
    const { status, stdout } = culprit(['shape', '--sarif', sarif, '--svg', svg, `${SOURCES}quadtree.shape`, compiled('quadtree.c')], { input: QUADRANTS });
    expect(status).toBe(99);
    expect(stdout).toMatch(/^Broken at quadtree\.c:28, time [\d,]+ \(9 nodes/);
    expect(stdout).toContain('[c3] X -> Y => X.OUTDEGREE == 4');
    expect(stdout).toMatch(/quadtree\.c:40 in split \(\)\n.*parent_node->child\[0\] = 0;\n.*child\[0\]: 0x[\da-f]+ -> NULL\n.*from insert \(\) at quadtree\.c:26/);
    expect(stdout).toMatch(/- .*child\[0\]/);
    const { runs } = JSON.parse(readFileSync(sarif, 'utf8')) as { runs: { results: { ruleId: string; locations: { physicalLocation: { region: { startLine: number } } }[] }[] }[] };
    expect(runs[0]?.results[0]).toMatchObject({ ruleId: 'shape.c3', locations: [{ physicalLocation: { region: { startLine: 40 } } }] });
    expect(readFileSync(svg, 'utf8')).toMatch(/^<svg/);
  });

  it("prints nothing of the program, and exits with the program's status if nothing is broken", () => {
    const program = compiled('lists.c');
    expect(culprit(['shape', specification, '--list', '--', program])).toMatchObject({ status: 3, stdout: '', stderr: '' });
    const line = marksOf(textOf(`${SOURCES}lists.c`)).get('broken')?.[0] ?? 0;
    expect(culprit(['shape', '--list', specification, program, 'break'])).toMatchObject({ status: 99, stdout: `lists.c:${line}\n`, stderr: '' });
  });

  it('knows what an allocator of the user hands out, as JSON', () => {
    const pool = join(folder, 'pool.shape');
    writeFileSync(pool, 'entry X; entry Y; X -> Y => X.id > Y.id;\nC-POINT end;\n');
    const { status, stdout } = culprit(['shape', pool, '--json', '--allocator', 'get', '--', compiled('lists.c')]);
    expect(status).toBe(3);
    expect(JSON.parse(stdout) as ShapeReport).toMatchObject({ version: 1, verdict: 'sound', nodes: 8, points: 1 });
  });

  it('leads an abort in free back to the store that overran its block', () => {
    const line = marksOf(textOf(`${SOURCES}overflow.c`)).get('overflow')?.[0] ?? 0;
    expect(culprit(['shape', 'malloc-chunks', '--list', '--', compiled('overflow.c')])).toMatchObject({ status: 99, stdout: `overflow.c:${line}\n` });
  });

  it('says what is wrong with its input in a line', () => {
    expect(culprit(['shape', 'nowhere', 'true'])).toMatchObject({ status: 2, stderr: expect.stringMatching(/^culprit: nowhere: no such specification/) as string });
    const bad = join(folder, 'bad.shape');
    writeFileSync(bad, 'node X; X.next ==;\n');
    expect(culprit(['shape', bad, 'true']).stderr).toMatch(/bad\.shape:1:\d+: /);
    expect(culprit(['shape', '--at', 'exit nothing', specification, compiled('lists.c')])).toMatchObject({ status: 2, stderr: expect.stringMatching(/there is no function nothing/) as string });
    expect(culprit(['shape', '--type', 'node', specification, 'true']).stderr).toMatch(/--type node: write TYPE=FILE:LINE/);
  });
});

describe('the debugger', () => {
  it('finds, watches and draws structures', () => {
    const recording = join(folder, 'quad.culprit');
    culprit(['record', '-o', recording, compiled('quadtree.c')], { input: QUADRANTS });
    const commands = [`shape ${SOURCES}quadtree.shape`, 'info shape', 'watch shape qdtree', 'reverse-continue', 'info shape', 'graph parent_node'].flatMap((line) => ['-ex', line]);
    const { stdout } = culprit(['debug', '-batch', ...commands, recording]);
    expect(stdout).toMatch(/Broken at quadtree\.c:28/);
    expect(stdout).toMatch(/9 nodes, 3 inconsistencies/);
    expect(stdout).toMatch(/Breakpoint 1, split \(.*\) at .*quadtree\.c:40/);
    expect(stdout).toMatch(/7 nodes, 2 inconsistencies/);
    expect(stdout).toMatch(/├─child\[0\]─▶ 0x[\da-f]+ qdtree/);
  });
});
