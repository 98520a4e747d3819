/**
 * The host without what is different in every run for no reason of the program's: process numbers
 * and randomness; and with the guest's date. The same run twice is to be the same run, down to the bytes in memory.
 * What a program asks for beyond that (files, the date, the network) is its input.
 *
 * So what a guest takes for random is not: nothing that must be hard to guess may be made with it.
 */
import type { Host, HostClock, HostIdentity, TimeSpec } from '../host/host.js';
import { steadyFiles } from './steadyFiles.js';
import { RandomNumbers } from './tasks/randomNumbers.js';

/**
 * The first process is called so, unless another run is; below it are those outside that it knows: its parent, group
 * and session.
 */
export const FIRST_PID = 20_000;
const RANDOM_SEED = 0x0c01_d5ee;

/** `guestTime`: the guest's clock, once it runs. `firstPid`: what the first process is called. */
export function steadyHost(host: Host, guestTime: () => TimeSpec | undefined, firstPid = FIRST_PID): Host {
  const realtime = (): TimeSpec => guestTime() ?? host.clock.realtime();
  const numbers = knownNumbers(host.identity, firstPid);
  const outside = new Map([...numbers].map(([theirs, ours]) => [ours, theirs]));
  const steady = (theirs: number): number => numbers.get(theirs) ?? theirs;
  const { pid, parentPid, processGroup, session } = host.identity;
  const random = new RandomNumbers(RANDOM_SEED);
  return Object.assign(Object.create(host) as Host, {
    identity: {
      ...host.identity, numberOutside: (number: number) => outside.get(number), sessionOutside: session, pid: steady(pid), parentPid: steady(parentPid), processGroup: steady(processGroup), session: steady(session),
    },
    clock: Object.assign(Object.create(host.clock) as HostClock, { realtime }),
    files: steadyFiles(host.files, { guest: realtime, host: () => host.clock.realtime(), start: host.clock.realtime() }),
    signals: {
      listen: (signal: number, handler: () => void) => host.signals.listen(signal, handler),
      ownerOf: (pid: number) => host.signals.ownerOf?.(outside.get(pid) ?? pid),
      send: (to: number, signal: number) => host.signals.send(outside.get(to) ?? to, signal),
    },
    terminal: Object.assign(Object.create(host.terminal) as Host['terminal'], {
      foregroundGroup: () => steady(host.terminal.foregroundGroup()),
    }),
    random(target: Uint8Array) {
      for (let i = 0; i < target.length; i++) target[i] = random.next() >>> 24;
    },
  });
}

/** What the guest calls the processes outside that it hears of. Several of them may be one. */
function knownNumbers({ pid, parentPid, processGroup, session }: HostIdentity, firstPid: number): Map<number, number> {
  const numbers = new Map<number, number>([[0, 0]]);
  [pid, parentPid, processGroup, session].forEach((number, i) => {
    if (!numbers.has(number)) numbers.set(number, firstPid - i);
  });
  return numbers;
}
