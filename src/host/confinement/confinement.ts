/**
 * The second layer of the sandbox: the kernel of the host refuses what our own sandbox (host/sandbox) lets through by
 * mistake. It holds for the rest of our process's life. A host that offers nothing of the kind has the first layer
 * alone; the result says what is on.
 */
import { filterCalls } from './callFilter.js';
import { landlockAbility, landlockCalls, type WritablePlaces } from './landlock.js';
import { makeNativeCalls } from './nativeCalls.js';

export interface Confinement {
  /** Version of Landlock that guards files; undefined if it does not. */
  readonly landlock: number | undefined;
  /** Whether calls that we never need are refused. */
  readonly callFilter: boolean;
}

/** What writing to does no harm, or is the user's own terminal. */
const DEVICES = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom', '/dev/tty'];

/** Who is confined. A thread of several that run programs leaves the others as they are. */
export type ConfinedPart = 'all threads' | 'this thread';

/** `inherited`: descriptors that the user connected. `places`: what culprit itself is still to write. */
export function confine(inherited: readonly number[], places: Partial<WritablePlaces> = {}, part: ConfinedPart = 'all threads'): Confinement {
  const streams = inherited.map((fd) => `/proc/self/fd/${fd}`);
  const ability = landlockAbility();
  if (ability === undefined) return { landlock: undefined, callFilter: isOn(makeNativeCalls(filterCalls(process.pid, part))?.at(-1)) };
  const { calls, decisive, done } = landlockCalls(ability, {
    files: [...DEVICES, ...streams, ...(places.files ?? [])],
    directories: places.directories ?? [],
    removing: places.removing ?? [],
  }, part);
  const results = makeNativeCalls([...calls, ...filterCalls(process.pid, part)]);
  done();
  return { landlock: isOn(results?.[decisive]) ? ability.version : undefined, callFilter: isOn(results?.at(-1)) };
}

function isOn(result: number | undefined): boolean {
  return result === 0;
}

/** For the user: which layers there are. */
export function confinementText({ landlock, callFilter }: Confinement): string {
  const kernel = [...(landlock === undefined ? [] : [`Landlock (version ${landlock})`]), ...(callFilter ? ['seccomp'] : [])];
  if (kernel.length === 0) return "sandbox: culprit's own; the kernel offers no second layer here";
  return `sandbox: culprit's own, and the kernel's by ${kernel.join(' and ')}`;
}
