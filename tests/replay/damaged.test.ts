/**
 * Recordings that were cut off or changed: played as far as they are sound, or refused; never further, never wrongly,
 * never a crash.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.js';
import { EventLog } from '../../src/replay/log/eventLog.js';
import { type Survey, surveyRecording } from '../../src/replay/recordingFile/surveyRecording.js';
import { buildProgram } from '../programs/build.js';
import { type LiveRun, openBytes, type Outcome, recordRun, replayRecording, replayRun } from './recordedRun.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const RUNS = LONG ? 5000 : 200;
/** More than the start and the first chunk have. */
const HEADER_BYTES = 2000;
const PLAYED = LONG ? 300 : 6;

const STATIC = { name: '-O1 static', compiler: 'gcc', flags: ['-O1', '-static'] } as const;

let live: LiveRun;
let whole: Survey;

beforeAll(async () => {
  const program = await buildProgram('deaths.c', STATIC);
  // Small parts, as if it had taken its time.
  let milliseconds = 0;
  live = await recordRun([program, '9', '11', '15'], { now: () => (milliseconds += 50) });
  expect(openBytes(live.bytes).log.chunks.length).toBeGreaterThan(5);
  whole = surveyRecording(openBytes(live.bytes));
  expect(whole.failure).toBeUndefined();
}, 120_000);

/** What can be had of some bytes; undefined if they are refused in one line. */
function survey(bytes: Uint8Array): Survey | undefined {
  return refusedOr(() => surveyRecording(openBytes(bytes)));
}

function refusedOr<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect(error.message).not.toContain('\n');
    return undefined;
  }
}

function play(bytes: Uint8Array): Outcome | undefined {
  return refusedOr(() => replayRun(bytes));
}

/** What was played is the beginning of what happened. */
function expectBeginning({ output, ends, instructions }: Outcome): void {
  expect(live.outcome.output.join('').startsWith(output.join(''))).toBe(true);
  expect(live.outcome.ends.slice(0, ends.length)).toEqual(ends);
  expect(instructions).toBeLessThanOrEqual(live.outcome.instructions);
}

function cutAt(at: number): Uint8Array {
  return live.bytes.slice(0, at);
}

function flipped(bit: number): Uint8Array {
  const bytes = live.bytes.slice();
  bytes[bit >> 3]! ^= 1 << (bit & 7);
  return bytes;
}

describe('a recording that is cut off', () => {
  it('anywhere, is read up to there', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: live.bytes.length - 1 }), (at) => {
        const found = survey(cutAt(at));
        // Only if even the header is missing is there nothing to say.
        if (found === undefined) expect(at).toBeLessThan(HEADER_BYTES);
        else expect(found.events).toBeLessThanOrEqual(whole.events);
      }),
      { numRuns: RUNS },
    );
  });

  it('is played up to there', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: live.bytes.length - 1 }), (at) => {
        const outcome = play(cutAt(at));
        if (outcome !== undefined) expectBeginning(outcome);
      }),
      { numRuns: PLAYED },
    );
  });
});

describe('a flipped bit', () => {
  it('is noticed, wherever it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: live.bytes.length * 8 - 1 }), (bit) => {
        const bytes = flipped(bit);
        const found = survey(bytes);
        if (found === undefined) return;
        const { damage, isComplete, blobs } = openBytes(bytes);
        const noticed = damage ?? found.failure ?? blobs.check(() => undefined);
        expect({ noticed: noticed !== undefined, isComplete }).not.toEqual({ noticed: false, isComplete: true });
      }),
      { numRuns: RUNS },
    );
  });

  it('does not make replay do anything else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: live.bytes.length * 8 - 1 }), (bit) => {
        const outcome = play(flipped(bit));
        if (outcome !== undefined) expectBeginning(outcome);
      }),
      { numRuns: PLAYED },
    );
  });
});

it('a run in which something of ours broke is played up to there', async () => {
  const broken = await recordRun([await buildProgram('determinism/stamps.c', STATIC)], { breaks: true });
  expect(openBytes(broken.bytes)).toMatchObject({ isComplete: false, summary: undefined, damage: undefined });
  const { instructions } = replayRun(broken.bytes);
  expect(instructions).toBeGreaterThan(1000);
  expect(instructions).toBeLessThanOrEqual(broken.outcome.instructions);
});

describe('events that were changed, with a checksum that is right,', () => {
  const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 });

  /** The log with some bytes changed. */
  function changed(log: EventLog, edits: readonly (readonly [number, number])[]): EventLog {
    const payloads = log.chunks.map((chunk) => chunk.read());
    for (const [at, byte] of edits) {
      const payload = payloads[at % payloads.length] as Uint8Array;
      payload[Math.floor(at / payloads.length) % payload.length] = byte;
    }
    return new EventLog(log.chunks.map((chunk, i) => ({ ...chunk, read: () => payloads[i] as Uint8Array })));
  }

  it('are refused if they make no sense', () => {
    fc.assert(
      fc.property(changes, (edits) => {
        const recording = openBytes(live.bytes);
        surveyRecording({ ...recording, log: changed(recording.log, edits) });
      }),
      { numRuns: RUNS },
    );
  });

  it('are refused if no task is said to run', () => {
    for (const edits of [[[7, 1], [0, 0]]] as const) {
      const recording = openBytes(live.bytes);
      refusedOr(() => replayRecording({ ...recording, log: changed(recording.log, edits) }));
    }
  });

  it('are played as far as that is possible', () => {
    fc.assert(
      fc.property(changes, (edits) => {
        const recording = openBytes(live.bytes);
        refusedOr(() => replayRecording({ ...recording, log: changed(recording.log, edits) }));
      }),
      { numRuns: PLAYED },
    );
  });
});
