/** An execution that is searched in parts has what it has in one piece, wherever the parts begin. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guestAddr, time } from '../../src/base/types.js';
import { ElfFile } from '../../src/elf/elfFile.js';
import { at, comparePositions } from '../../src/replay/log/position.js';
import { type Condition, memoryRange } from '../../src/replay/timeline/conditions.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { buildProgram } from '../programs/build.js';
import { record, type Recorded } from './recorded.js';

const VARIANT = { compiler: 'gcc', flags: ['-O1', '-static'] } as never;
/** With instructions from one checkpoint to the next: primes, so that all kinds of moments are a beginning. */
const PROGRAMS = [['timeTravel.c', 1009], ['sharedSegments.c', 1511], ['signalsBetween.c', 5003]] as const;

/** All instructions of main, everything that its data is, and whatever else there is to stop at. */
function conditionsFor(path: string, { instructions }: Recorded): Condition[] {
  const { symbols } = new ElfFile(path, new Uint8Array(readFileSync(path)));
  const [main, data] = [symbols.find('main'), symbols.find('_IO_2_1_stdout_')];
  const addresses = Array.from({ length: main?.size ?? 0 }, (_, i) => guestAddr((main?.address ?? 0) + i));
  return [
    { kind: 'address', addresses },
    { kind: 'memory', access: 'access', ranges: [memoryRange(guestAddr(data?.address ?? 0), data?.size ?? 0)] },
    { kind: 'syscall' },
    { kind: 'signal' },
    { kind: 'switch' },
    { kind: 'time', time: time(Math.floor(instructions / 2)) },
    { kind: 'time', time: time(10 * 1009) },
  ];
}

describe('searching in parts', () => {
  it.each(PROGRAMS)('%s: finds the same', async (source, checkpointInterval) => {
    const path = await buildProgram(source, VARIANT);
    const run = await record([path], { scheduleSeed: 3 });
    const conditions = conditionsFor(path, run);
    const whole = await new Timeline({ ...run.options, checkpointInterval: 2 ** 40 }).all(conditions);
    expect(new Set(whole.flatMap(({ conditions: met }) => met)).size).toBeGreaterThan(4);
    const timeline = new Timeline({ ...run.options, checkpointInterval });
    expect(await timeline.all(conditions)).toEqual(whole);
    const [from, to] = [at(Math.floor(run.instructions / 3)), at(Math.floor(run.instructions / 2) + 1)];
    expect(await timeline.all(conditions, from, to)).toEqual(whole.filter(({ position }) => comparePositions(position, from) >= 0 && comparePositions(position, to) < 0));
  });
});
