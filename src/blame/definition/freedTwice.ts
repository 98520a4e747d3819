/**
 * A pointer that is freed a second time: the statement that made it another pointer than the one that was freed first.
 * If it is the very same, freeing it is what is wrong.
 */
import { guestAddr } from '../../base/types.js';
import type { Chain, Link, ValueFlow } from '../../flow/chain.js';
import { isOwnCode, viewOf } from '../../flow/ownCode.js';
import { RDI } from '../../layout/cpuState.js';
import { comparePositions, type Position } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import { frameName, placeOf } from '../frames.js';

export interface FreeCall {
  /** Where the function begins. */
  readonly entry: number;
  /** Right before the call that failed. */
  readonly position: Position;
  readonly thread: number;
  readonly pointer: bigint;
}

type Freed =
  /** It was not freed before. */
  | { readonly kind: 'once' }
  /** By the same variable. */
  | { readonly kind: 'same' }
  /** Where its pointer parted from the other one. */
  | { readonly kind: 'parted'; readonly link: Link };

/** `chain`: that of the pointer. The execution moves. */
export async function freedBefore(flow: ValueFlow, { entry, position, thread, pointer }: FreeCall, chain: Chain, work?: Work): Promise<Freed> {
  const { execution } = flow;
  await execution.seek(position, work);
  const first = await execution.backward([{ kind: 'address', addresses: [guestAddr(entry)] }], work, {
    accepts: ({ task }, state) => state.register(task, 'rdi') === pointer,
  });
  if (first === undefined) return { kind: 'once' };
  // A block that was allocated again since is another one.
  const made = chain.links.at(-1);
  if (made !== undefined && comparePositions(made.position, first.position) > 0) return { kind: 'once' };
  const other = await flow.origin(first.position, first.task, { kind: 'register', offset: RDI.offset, size: 8 }, { work, isPointer: true });
  const shared = new Set(other.links.map(keyOf));
  const own = chain.links.filter((link) => !shared.has(keyOf(link)) && link.place.kind === 'memory' && link.rip !== 0);
  // One line may make several copies of a pointer, in a register and in memory: they are the same to the user.
  const lines = new Set<string>();
  for (const one of [{ position: first.position, thread: first.task }, ...other.links.filter(({ rip }) => rip !== 0)]) lines.add(await lineOf(flow, one, work));
  for (const link of own.toReversed()) {
    if (lines.has(await lineOf(flow, link, work))) continue;
    const view = viewOf(execution.state, link.thread, flow.modules);
    if (link.thread === thread && view !== undefined && isOwnCode(view, link.rip) && !isParameter(link)) return { kind: 'parted', link };
  }
  return { kind: 'same' };
}

/** The execution stands there afterwards. */
async function lineOf(flow: ValueFlow, { position, thread }: Pick<Link, 'position' | 'thread'>, work: Work | undefined): Promise<string> {
  await flow.execution.seek(position, work);
  const view = viewOf(flow.execution.state, thread, flow.modules);
  return view === undefined ? '' : frameName(placeOf(view));
}

/** Whether a function stores what it was given: that is passing, no assignment. */
function isParameter({ from }: Link): boolean {
  return from?.kind === 'register' && PASSING.has(from.offset);
}

/** rdi, rsi, rdx, rcx, r8, r9. */
const PASSING: ReadonlySet<number> = new Set([7, 6, 2, 1, 8, 9].map((register) => register * 8));

function keyOf({ position, thread, rip }: Link): string {
  return `${position.time} ${thread} ${rip}`;
}
