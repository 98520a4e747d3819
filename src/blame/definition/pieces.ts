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
import { isOwnFunction } from '../frames.js';
import { blockAt, evaluationAt } from '../failure/leaves.js';

/** Narrower values are no pointers and no indices. */
const NARROWEST = 4;

/** Whether the user's own code stored only a part of the value there. */
export async function isPiece(flow: ValueFlow, { place, position, thread, rip }: Link, work?: Work): Promise<boolean> {
  if (place.kind !== 'memory' || place.size < NARROWEST || rip === 0) return false;
  await flow.execution.seek(position, work);
  const { state } = flow.execution;
  const view = viewOf(state, thread, flow.modules);
  const block = view !== undefined && (isOwnCode(view, rip) || isOwnFunction(view)) ? blockAt(state, thread) : null;
  if (block === null) return false;
  const evaluation = evaluationAt(state, thread, block);
  return block.nodes.some((node) => {
    const { effect, bytes } = OPS[node.op] as OpDef;
    const address = effect === 'store' && bytes > 0 && bytes < place.size ? evaluation.address(node) : undefined;
    return address !== undefined && address >= place.address && address < place.address + place.size;
  });
}

/** Whether an instruction that left a value there wrote more than the value: it copied a stretch of memory. */
export async function isWider(flow: ValueFlow, { place, position, thread, rip }: Link, work?: Work): Promise<boolean> {
  if (place.kind !== 'memory' || rip === 0) return false;
  await flow.execution.seek(position, work);
  const block = blockAt(flow.execution.state, thread);
  return block !== null && block.nodes.some(({ op }) => (OPS[op] as OpDef).effect === 'store' && (OPS[op] as OpDef).bytes > place.size);
}

/** Pieces that belong together. */
export interface Pieces {
  /** The first that came after what stored the whole. */
  readonly first: Link;
  /** The others, in the order of time. */
  readonly others: readonly { readonly time: number; readonly rip: number; readonly address: number; readonly bytes: number }[];
}

/** `newest` is the last of them. */
export async function piecesOf(flow: ValueFlow, newest: Link, work?: Work): Promise<Pieces> {
  const { place, thread } = newest;
  const alone: Pieces = { first: newest, others: [] };
  if (place.kind !== 'memory') return alone;
  const after = at(Math.min(newest.position.time + 1, flow.execution.endTime));
  const writers = new Map<number, Hit>();
  for (let i = 0; i < place.size; i++) {
    const hit = await flow.execution.lastWrite([memoryRange(guestAddr(place.address + i), 1)], after, work);
    if (hit !== undefined) writers.set(hit.position.time, hit);
  }
  const byTime = [...writers.values()].sort((a, b) => a.position.time - b.position.time);
  const [oldest] = byTime;
  const isWhole = (oldest?.access?.bytes ?? 0) >= place.size;
  const [first, ...rest] = isWhole && byTime.length > 1 ? byTime.slice(1) : byTime;
  if (first?.access === undefined || first.access.by === 'kernel' || first.position.time === newest.position.time) return alone;
  const others = rest.flatMap(({ access, position, rip, task }) => (access === undefined || access.by === 'kernel' || task !== first.task ? [] : [{ time: position.time, rip, address: access.address, bytes: access.bytes }]));
  const link: Link = { ...newest, kind: 'mixed', position: at(first.position.time), thread: first.task === 0 ? thread : first.task, rip: first.rip, place: memoryPlace(first.access.address, first.access.bytes) };
  return { first: link, others };
}
