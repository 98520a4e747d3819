/**
 * A program that runs with one input, within limits, recorded in memory. What takes more time or more instructions than
 * it may is ended, and counts as a hang. Of instructions the limit is exact: a run that took more is a hang, even if it
 * came to its end before it was noticed, so that the answer is the same on every machine.
 */
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

export async function runInput({ host, program, args, limits, scheduleSeed, engine, observed = {} }: RunRequest): Promise<InputRun> {
  const target = new MemoryRecording();
  const recorder = new Recorder(target, () => host.clock.milliseconds());
  let guest: Guest | undefined;
  const watched = Object.assign(Object.create(host) as Host, {
    clock: Object.assign(Object.create(host.clock) as Host['clock'], {
      yield: async () => {
        if (guest !== undefined && isBeyond(limits, guest)) guest.world.killAll();
        await host.clock.yield();
      },
    }),
  });
  guest = createGuest(watched, {
    program, args, environment: host.environment(), engine,
    world: { ...observed, witness: recorder, timeout: limits.seconds * 1000, closed: true, children: 'end', scheduleSeed },
  });
  const { world } = guest;
  const status = await world.run();
  world.outside.release();
  recorder.finish();
  const recording = { log: target.log(), blobs: target, engine: { ...DEFAULT_ENGINE_OPTIONS, ...engine }, startSeconds: world.clock.startSeconds };
  return { status, hang: hangOf(guest, limits), recording };
}

function isBeyond({ instructions }: TriageLimits, { world }: Guest): boolean {
  return instructions !== null && world.instructions > instructions;
}

function hangOf(guest: Guest, limits: TriageLimits): string | undefined {
  const { ending } = guest.world;
  if (ending?.reason === 'timeout') return `not done after ${limits.seconds} s`;
  if (ending?.reason === 'deadlock' && !ending.isOfLeftBehind) return 'all threads wait for each other';
  return isBeyond(limits, guest) ? `not done after ${limits.instructions} instructions` : undefined;
}

/** As debuggers say it. */
export function endingOf({ status, hang }: InputRun): HowItEnded {
  if (hang !== undefined) return { how: 'unknown', code: 0, remark: hang };
  return status.kind === 'exited' ? { how: 'exited', code: status.code } : { how: 'signaled', code: status.signal };
}
