/**
 * A program that runs with one input, within limits, recorded in memory. What takes more time or more instructions than
 * it may is ended, and counts as a hang. Time is what the run itself takes of a processor: on a busy machine an input
 * is no more of a hang than on a quiet one. A program that only waits has some times as long by the clock. Of
 * instructions the limit is exact: a run that took more is a hang, even if it came to its end before it was noticed.
 */
import fs from 'node:fs';
import type { BytePath } from '../../base/bytePath.js';
import type { HowItEnded } from '../../debugger/control/stops.js';
import type { Host } from '../../host/host.js';
import { createGuest, type Guest } from '../../linux/guest.js';
import type { ExitStatus } from '../../linux/process.js';
import type { WorldOptions } from '../../linux/world.js';
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../machine/engineOptions.js';
import type { PlayerOptions } from '../../replay/play/player.js';
import { MemoryRecording } from '../../replay/record/memoryRecording.js';
import { Recorder } from '../../replay/record/recorder.js';
import type { TriageLimits } from '../../triage/triageJob.js';

export interface RunRequest {
  readonly host: Host;
  readonly program: BytePath;
  readonly args: readonly BytePath[];
  readonly limits: TriageLimits;
  /** Which interleaving of threads. */
  readonly scheduleSeed: number;
  readonly engine: Partial<EngineOptions>;
  /** Steps in between the program and the machine. */
  readonly observed?: Pick<WorldOptions, 'interceptor' | 'onEnd'>;
}

export interface InputRun {
  readonly status: ExitStatus;
  /** In words, if it did not come to its end. */
  readonly hang: string | undefined;
  /** For timelines over what was recorded. */
  readonly recording: PlayerOptions;
}

/** Waiting is not computing, and there may be much else to do for this machine. */
const CLOCK_FACTOR = 3;
/** Of the times in /proc: a hundred a second on every Linux. */
const TICKS_PER_SECOND = 100;

export async function runInput({ host, program, args, limits, scheduleSeed, engine, observed = {} }: RunRequest): Promise<InputRun> {
  const target = new MemoryRecording();
  const recorder = new Recorder(target, () => host.clock.milliseconds());
  const started: { guest?: Guest } = {};
  let isLate = false;
  const began = ownSeconds();
  const watched = Object.assign(Object.create(host) as Host, {
    clock: Object.assign(Object.create(host.clock) as Host['clock'], {
      yield: async () => {
        isLate ||= ownSeconds() - began > limits.seconds;
        const { guest } = started;
        if (guest !== undefined && (isLate || isBeyond(limits, guest))) guest.world.killAll();
        await host.clock.yield();
      },
    }),
  });
  const guest = createGuest(watched, {
    program, args, environment: host.environment(), engine,
    world: { ...observed, witness: recorder, timeout: limits.seconds * CLOCK_FACTOR * 1000, closed: true, children: 'end', scheduleSeed },
  });
  started.guest = guest;
  const { world } = guest;
  const status = await world.run();
  world.outside.release();
  recorder.finish();
  const recording = { log: target.log(), blobs: target, engine: { ...DEFAULT_ENGINE_OPTIONS, ...engine }, startSeconds: world.clock.startSeconds };
  return { status, hang: hangOf(guest, limits, isLate), recording };
}

function isBeyond({ instructions }: TriageLimits, { world }: Guest): boolean {
  return instructions !== null && world.instructions > instructions;
}

function hangOf(guest: Guest, limits: TriageLimits, isLate: boolean): string | undefined {
  const { ending } = guest.world;
  if (isLate || ending?.reason === 'timeout') return `not done after ${limits.seconds} s`;
  if (ending?.reason === 'deadlock' && !ending.isOfLeftBehind) return 'all threads wait for each other';
  return isBeyond(limits, guest) ? `not done after ${limits.instructions} instructions` : undefined;
}

/** What this thread has taken of a processor. */
function ownSeconds(): number {
  const fields = fs.readFileSync('/proc/thread-self/stat', 'latin1').replace(/^.*\) /s, '').split(' ');
  const [USER, SYSTEM] = [11, 12];
  return (Number(fields[USER]) + Number(fields[SYSTEM])) / TICKS_PER_SECOND;
}

/** As debuggers say it. */
export function endingOf({ status, hang }: InputRun): HowItEnded {
  if (hang !== undefined) return { how: 'unknown', code: 0, remark: hang };
  return status.kind === 'exited' ? { how: 'exited', code: status.code } : { how: 'signaled', code: status.signal };
}
