/**
 * A value that was written in pieces: bytes of a text over a pointer, say. What stored it as a whole meant it; the
 * pieces that came later did not, and the first of them is where it was corrupted.
 */
import { guestAddr } from '../../base/types.js';
import type { Link, ValueFlow } from '../../flow/chain.js';
import { memoryPlace } from '../../flow/copies/place.js';
import { isOwnCode, viewOf } from '../../flow/ownCode.js';
import type { OpDef } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';
import { at } from '../../replay/log/position.js';
import { type Hit, memoryRange } from '../../replay/timeline/conditions.js';
import type { Work } from '../../replay/timeline/work.js';
import { blockAt, evaluationAt } from '../failure/leaves.js';

/** Narrower values are no pointers and no indices. */
const NARROWEST = 4;

/** Whether the user's own code stored only a part of the value there. */
export async function isPiece(flow: ValueFlow, { place, position, thread, rip }: Link, work?: Work): Promise<boolean> {
  if (place.kind !== 'memory' || place.size < NARROWEST || rip === 0) return false;
  await flow.execution.seek(position, work);
  const { state } = flow.execution;
  const view = viewOf(state, thread, flow.modules);
  const block = view !== undefined && isOwnCode(view, rip) ? blockAt(state, thread) : null;
  if (block === null) return false;
  const evaluation = evaluationAt(state, thread, block);
  return block.nodes.some((node) => {
    const { effect, bytes } = OPS[node.op] as OpDef;
    const address = effect === 'store' && bytes > 0 && bytes < place.size ? evaluation.address(node) : undefined;
    return address !== undefined && address >= place.address && address < place.address + place.size;
  });
}

/** The first of the pieces that came after what stored the whole; `newest` is the last of them. */
export async function firstPiece(flow: ValueFlow, newest: Link, work?: Work): Promise<Link> {
  const { place, thread } = newest;
  if (place.kind !== 'memory') return newest;
  const after = at(newest.position.time + 1);
  const writers = new Map<number, Hit>();
  for (let i = 0; i < place.size; i++) {
    const hit = await flow.execution.lastWrite([memoryRange(guestAddr(place.address + i), 1)], after, work);
    if (hit !== undefined) writers.set(hit.position.time, hit);
  }
  const byTime = [...writers.values()].sort((a, b) => a.position.time - b.position.time);
  const [oldest] = byTime;
  const isWhole = (oldest?.access?.bytes ?? 0) >= place.size;
  const first = isWhole && byTime.length > 1 ? byTime[1] : oldest;
  if (first?.access === undefined || first.access.by === 'kernel' || first.position.time === newest.position.time) return newest;
  return { ...newest, kind: 'mixed', position: at(first.position.time), thread: first.task === 0 ? thread : first.task, rip: first.rip, place: memoryPlace(first.access.address, first.access.bytes) };
}
