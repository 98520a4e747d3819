/** At random times, visited in random order, a recording is what the program was when it ran. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_ENGINE_OPTIONS } from '../../src/machine/engineOptions.js';
import { at } from '../../src/replay/log/position.js';
import { StateHasher } from '../../src/replay/timeline/stateHash.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { nameOf, RECORDED, type RecordedProgram } from './programs.js';
import { type LiveRun, openBytes } from './recordedRun.js';
import { type RememberedState, StateRecorder, withStops } from './rememberedStates.js';
import { commandOf, recordProgram, STATIC } from './runProgram.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const MOMENTS = LONG ? 100 : 12;
const TIMEOUT = 900_000;
/** So many parts have checkpoints between them: some ways are short, some long. */
const PARTS = 12;
/** In the usual run: threads, in several processes. */
const SAMPLE = ['forkedThreads.c', 'threadSignals.c'];
const programs = RECORDED.filter((program) => LONG || SAMPLE.includes(program.argv[0]));

/** The same numbers every time, from 0 on below 1. */
function* randomNumbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  }
}

function randomTimes(end: number, random: Generator<number, never>): number[] {
  const times = new Set<number>();
  for (let i = 0; i < MOMENTS; i++) times.add(1 + Math.floor(random.next().value * end));
  return [...times].sort((a, b) => a - b);
}

function shuffled<T>(list: readonly T[], random: Generator<number, never>): T[] {
  return list.map((item) => ({ item, key: random.next().value })).sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** Parts that are not what they were. Live, what has ended belongs to no process any more. */
function differences({ parts }: RememberedState, found: ReadonlyMap<string, string>): string[] {
  return [...parts].flatMap(([part, hash]) => (found.get(part) === hash ? [] : [part]));
}

async function check(program: RecordedProgram): Promise<void> {
  const random = randomNumbers(nameOf(program).length);
  const command = await commandOf(program, STATIC);
  let recorder: StateRecorder | undefined;
  const record = (times: readonly number[]): Promise<LiveRun> => withStops(() => recorder, () => recordProgram(command, program, { recorder: (target) => (recorder = new StateRecorder(target, times)) }));
  // How long it is, and then what it is on the way.
  const { outcome: { instructions } } = await record([]);
  const times = randomTimes(instructions, random);
  const { bytes } = await record(times);
  const states = recorder?.states ?? [];
  // Runs that wait for something outside may be a little shorter the second time.
  expect(states.length).toBeGreaterThan(times.length * 0.9);
  const { log, blobs, header } = openBytes(bytes);
  const timeline = new Timeline({ log, blobs, engine: DEFAULT_ENGINE_OPTIONS, startSeconds: header.startSeconds, checkpointInterval: Math.ceil(instructions / PARTS) });
  const hasher = new StateHasher();
  for (const state of shuffled(states, random)) {
    await timeline.seek(at(state.time, 0));
    expect({ time: timeline.position.time, differ: differences(state, hasher.parts(timeline.player.world)) }).toEqual({ time: state.time, differ: [] });
  }
}

describe('a recording is at any time what the program was', () => {
  it.each(programs.map((program) => [nameOf(program), program] as const))('%s', (_, program) => check(program), TIMEOUT);
});
