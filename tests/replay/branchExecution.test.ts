/** What-if branches as executions: gone through in both directions, altered anywhere, and the same whenever they are run. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElfFile } from '../../src/elf/elfFile.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { buildCoreModule } from '../../src/jit/coreModule.js';
import { TimelineBranches } from '../../src/replay/branch/timelineBranches.js';
import type { RecordedBranch } from '../../src/replay/branch/recordedBranch.js';
import { at } from '../../src/replay/play/position.js';
import type { Condition } from '../../src/replay/timeline/conditions.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { buildProgram } from '../programs/build.js';
import { type Recorded, record } from './recorded.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
const HOST = new NodeHost();
const CORE = buildCoreModule();

interface Subject extends Recorded {
  readonly timeline: Timeline;
  readonly branches: TimelineBranches;
}

let folder: string;
let program: string;
let addresses: (name: string) => number;

async function subject(kind: string): Promise<Subject> {
  const run = await record([program, folder, kind], { scheduleSeed: kind === 'threads' ? 3 : 0, engine: { coreModule: CORE } });
  const timeline = new Timeline(run.options);
  return { ...run, timeline, branches: new TimelineBranches(timeline, run.options, HOST) };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'branchExecution-'));
  writeFileSync(join(folder, 'input'), 'some bytes to add up'.repeat(10));
  writeFileSync(join(folder, 'victim'), 'as it was');
  program = await buildProgram('choices.c', VARIANT);
  const { symbols } = new ElfFile(program, new Uint8Array(readFileSync(program)));
  addresses = (name) => symbols.find(name)?.address ?? Number.NaN;
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true }));

function outputOf(branch: RecordedBranch): string {
  return branch.output.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
}

function int32(value: number): Uint8Array {
  return new Uint8Array(Int32Array.of(value).buffer);
}

describe('a branch as an execution', () => {
  it('does what was recorded, if nothing is altered', async () => {
    for (const kind of ['plain', 'threads', 'crash']) {
      const run = await subject(kind);
      const branch = await run.branches.branchAt(at(1000));
      expect(branch.position).toEqual(at(1000));
      const conditions: Condition[] = [{ kind: 'syscall' }, { kind: 'switch' }, { kind: 'signal' }];
      const expected = await run.timeline.all(conditions, at(1000));
      await branch.seekEnd();
      expect(branch.end).toMatchObject({ kind: 'ended', status: { kind: run.status.kind } });
      const found: unknown[] = [];
      await branch.each(conditions, (hit) => (found.push(hit), 'go on'), at(1000));
      expect(found).toEqual(expected);
      await branch.seek(at(branch.endTime));
      expect(outputOf(branch)).toBe(run.output);
      branch.drop();
    }
  });

  it('goes another way, and can be gone back', async () => {
    for (const kind of ['plain', 'threads']) {
      const run = await subject(kind);
      const start = at(Math.floor(run.instructions / 2));
      const branch = await run.branches.branchAt(start);
      const thread = branch.state.current!.id;
      await branch.writeMemory(thread, addresses('choice'), int32(0));
      expect([...branch.state.read(thread, addresses('choice'), 4)!]).toEqual([0, 0, 0, 0]);
      const conditions: Condition[] = [{ kind: 'syscall' }, { kind: 'switch' }, { kind: 'memory', access: 'write', ranges: [{ start: addresses('total'), end: addresses('total') + 8 }] }];
      const hits = [];
      for (let hit = await branch.forward(conditions); hit !== undefined; hit = await branch.forward(conditions)) hits.push(hit);
      expect(branch.end).toMatchObject({ kind: 'ended', status: { kind: 'exited' } });
      expect(outputOf(branch)).toMatch(/right\ninput is gone: -1\nsecond \d+\n$/);
      expect(branch.departure?.time).toBeGreaterThan(start.time);
      const back = [];
      for (let hit = await branch.backward(conditions); hit !== undefined; hit = await branch.backward(conditions)) back.push(hit);
      expect(back.length).toBeGreaterThan(3);
      expect(back.map(({ position }) => position).reverse()).toEqual(hits.map(({ position }) => position));
      expect(branch.position.time).toBe(start.time);
      branch.drop();
    }
  });
});
