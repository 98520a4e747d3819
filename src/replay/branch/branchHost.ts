/**
 * The host of a branch: the files of a real one, of which nothing is ever changed; nothing else of it. Time passes
 * only as the branch computes and sleeps, and sleeping takes no time, so that the same branch runs the same way every
 * time.
 */
import { E } from '../../base/errno.js';
import { bytePath } from '../../base/bytePath.js';
import type { Host, HostClock, HostIdentity, TimeSpec } from '../../host/host.js';
import { createSandbox } from '../../host/sandbox/sandbox.js';
import { RandomNumbers } from '../../linux/tasks/randomNumbers.js';
import type { WorldFacts } from '../log/kernelFacts.js';

export interface BranchHost {
  readonly host: Host;
  /** The guest's clock, as soon as there is one: files that are written get its time. */
  useClock(now: () => TimeSpec): void;
  dispose(): void;
}

const SEED = 0x0b1a_4c11;

export function createBranchHost(real: Host, facts: WorldFacts, notify: (line: string) => void): BranchHost {
  const seconds = (value: number): TimeSpec => ({ seconds: value, nanoseconds: 0 });
  let now = (): TimeSpec => seconds(facts.start.realtime);
  const sandbox = createSandbox(real, { now: () => now() });
  const random = new RandomNumbers(SEED);
  let milliseconds = 0;
  const clock: HostClock = {
    realtime: () => now(),
    monotonic: () => seconds(facts.start.monotonic),
    boottime: () => seconds(facts.start.boottime),
    milliseconds: () => milliseconds,
    sleep: async (time) => void (milliseconds += time),
    yield: async () => {},
    sleepBlocking: (time) => void (milliseconds += time),
  };
  const identity: HostIdentity = { ...sandbox.identity, ...facts.identity };
  const host: Host = {
    ...sandbox,
    clock,
    identity,
    job: undefined,
    files: Object.assign(Object.create(sandbox.files) as Host['files'], {
      inherited: () => [],
      workingDirectory: () => bytePath(facts.workingDirectory),
    }),
    terminal: {
      isTerminal: () => false, attributes: () => -E.NOTTY, setAttributes: () => -E.NOTTY, windowSize: () => -E.NOTTY,
      foregroundGroup: () => facts.identity.processGroup,
    },
    // Who started the run is all that is known of the others.
    signals: { listen: () => () => {}, send: (pid, signal) => (pid !== facts.identity.parentPid ? -E.SRCH : signal === 0 ? 0 : -E.PERM) },
    random(target) {
      for (let i = 0; i < target.length; i++) target[i] = random.next() >>> 24;
    },
    environment: () => [],
    notify,
  };
  return { host, useClock: (read) => void (now = read), dispose: () => sandbox.dispose() };
}
