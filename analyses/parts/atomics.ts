/**
 * What threads tell each other by atomic variables. Which those are: what is declared as atomic, what is accessed by an
 * instruction that is atomic by itself somewhere in the program, and what the user names. For these, plain loads and
 * stores count, too: that is what the compiler makes of an atomic load or store. Whether the program asked for an order
 * (`memory_order_relaxed`) is not in its code: x86 orders them all.
 */
import { execution, type Snapshot } from 'culprit/traces';
import type { Step, Steps } from './synchronisation.js';

export interface Bytes {
  readonly address: number;
  readonly length: number;
}

export function contains({ address, length }: Bytes, place: number): boolean {
  return place >= address && place < address + length;
}

/** Where a variable is, when main begins. */
export async function bytesOf(variable: string): Promise<Bytes> {
  return (await execution.breakpoints('main').first())?.value.readVar(variable).range ?? { address: 0, length: 0 };
}

/** What instructions that are atomic by themselves access. */
export async function atomicallyUsed(): Promise<readonly Bytes[]> {
  const places = new Map<string, Bytes>();
  for await (const { value: { atomic } } of execution.atomics()) if (atomic !== undefined) places.set(`${atomic.address} ${atomic.length}`, atomic);
  return [...places.values()];
}

/** Nothing if there are no such variables. */
export function atomicSteps(places: readonly Bytes[]): Steps[] {
  if (places.length === 0) return [];
  const sorted = places.map(({ address, length }) => ({ address, length })).sort((a, b) => a.address - b.address);
  const nameAt = (address: number): string => `atomic ${sorted.find((place) => contains(place, address))?.address ?? address}`;
  return [execution.watchpoints(sorted, 'ACCESS').filter(({ access }) => access?.by === 'program').map((at) => [stepOf(at, nameAt)])];
}

/**
 * A thread that loads learns from the one that stored what it loads; a thread that changes what is there passes on what
 * was passed on before, too.
 */
function stepOf(at: Snapshot, nameAt: (address: number) => string): Step {
  const { atomic, threadId: thread } = at;
  const { address, kind } = atomic ?? at.access ?? { address: 0, kind: 'READ' };
  const name = nameAt(address);
  if (kind === 'READ') return { thread, receives: [name] };
  return atomic === undefined ? { thread, sends: name, replaces: true } : { thread, receives: [name], sends: name };
}
