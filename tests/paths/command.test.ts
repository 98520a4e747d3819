/** `culprit paths` as a user runs it. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sarifProblems } from '../checkCli/sarifSchema.js';
import { culprit, ROOT } from '../cli/culprit.js';

const AGET = fileURLToPath(new URL('aget/', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'culprit-paths-'));
const inFolder = (name: string): string => join(folder, name);

beforeAll(() => mkdirSync(inFolder('sub')));
afterAll(() => rmSync(folder, { recursive: true }));

/** Without remarks, which say where a report came from. */
function code(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('culprit paths', () => {
  it('prints what the projection shows, and writes it so that it is read again', () => {
    const outputs = ['--sarif', inFolder('out.sarif'), '--pathreport', inFolder('out.xml')];
    const { status, stdout, stderr } = culprit(['paths', '--text', ...outputs, 'race.xml'], { cwd: AGET });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('\nSignal.c:sigalrm_handler\n33\tvoid sigalrm_handler(void)\n34\t{\n36\t\tupdateProgressBar((float)bwritten, 100.0f);\nMisc.c:updateProgressBar\n20\t');
    expect(sarifProblems(JSON.parse(readFileSync(inFolder('out.sarif'), 'utf8')))).toEqual([]);
    const json = culprit(['paths', '--json', inFolder('out.xml')], { cwd: AGET }).stdout;
    expect(JSON.parse(json)).toMatchObject({ form: 'culprit-paths', version: 1, reports: [{ rule: 'race' }] });
    // All three at once, one after the other.
    writeFileSync(inFolder('out.json'), json);
    const again = culprit(['paths', '--text', '--source-root', AGET, inFolder('out.sarif'), inFolder('out.xml'), inFolder('out.json')], { cwd: folder });
    expect(code(again.stdout)).toEqual([...code(stdout), ...code(stdout), ...code(stdout)]);
  });

  it('prints what docs/paths.md shows, of what gcc says', () => {
    const document = readFileSync(join(ROOT, 'docs/paths.md'), 'utf8');
    const [, source = ''] = /```c\n(\/\/ lists\.c\n[\s\S]*?)```/.exec(document) ?? [];
    const [, shown = ''] = / {4}\$ culprit paths --text lists\.json\n((?: {4}.*\n)+)/.exec(document) ?? [];
    writeFileSync(inFolder('sub/lists.c'), source);
    const analysed = execFileSync('sh', ['-c', 'LC_ALL=C gcc -fanalyzer -fdiagnostics-format=json -c lists.c 2>&1'], { cwd: inFolder('sub'), encoding: 'utf8' });
    expect(culprit(['paths', '--text', '-'], { cwd: inFolder('sub'), input: analysed })).toEqual({ status: 0, stdout: shown.replace(/^ {4}/gm, ''), stderr: '' });
  });

  it('takes what our own commands report', () => {
    copyFileSync(join(PROGRAMS, 'lists.c'), inFolder('lists.c'));
    execFileSync('gcc', ['-g', '-o', 'lists', inFolder('lists.c')], { cwd: folder });
    culprit(['check', '--sarif', 'found.sarif', './lists'], { cwd: folder });
    const checked = culprit(['paths', '--text', 'found.sarif'], { cwd: folder });
    expect(checked.stdout).toMatch(/^# report 1: error: .*\[dangling\./m);
    expect(checked.stdout).toContain('\nlists.c:use_freed\n33\tstatic int use_freed(void)\n34\t{\n37\t  return first(list);\nlists.c:first\n28\tstatic int first(struct node *list)\n29\t{\n30\t  return list->value;\n31\t}\nlists.c:use_freed\n38\t}\n');
  });

  it('says in one line what is wrong', () => {
    writeFileSync(inFolder('bomb.xml'), '<!DOCTYPE path [<!ENTITY a "ha">]><path>&a;</path>');
    writeFileSync(inFolder('parts.sarif'), '{"version":"2.1.0","runs":[{"externalPropertyFileReferences":{"results":[{"location":{"uri":"sub/../../secret"}}]}}]}');
    const cases: [readonly string[], string][] = [
      [['out.xml'], 'culprit: the page of culprit paths is not there yet: --text prints the paths, --json, --sarif and --pathreport write them\n'],
      [['--text', 'none.sarif'], 'culprit: none.sarif: No such file or directory\n'],
      [['--text', '.'], 'culprit: .: Is a directory\n'],
      [['--text', 'bomb.xml'], 'culprit: bomb.xml:1: a document type with definitions of its own is not read\n'],
      [['--text', 'parts.sarif'], 'culprit: parts.sarif: a part of it is in sub/../../secret, which is not in its folder or below\n'],
      [['--text', '--json', 'out.xml'], 'culprit: --text and --json both go to standard output: choose one\n'],
      [['--sarif', 'sub', 'out.xml'], 'culprit: --sarif sub: Is a directory\n'],
    ];
    for (const [args, stderr] of cases) expect(culprit(['paths', ...args], { cwd: folder })).toEqual({ status: 2, stdout: '', stderr });
  });

  it('names what is not found, and where to look', () => {
    const { stdout, stderr, status } = culprit(['paths', '--text', join(ROOT, 'tests/paths/fixtures/valgrind.txt')], { cwd: folder });
    expect(stderr).toBe('culprit: 2 steps of 11 steps are not found: --source-root says where sources are\n');
    expect(stdout).toContain('\n-:malloc\n# not found: /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so: the report names no file\n');
    expect(status).toBe(0);
  });
});
