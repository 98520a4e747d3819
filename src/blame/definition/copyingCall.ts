/**
 * A library function that copies writes with many stores. If one of them wrote over what should not have been written,
 * so did those of the same call that went further: they are left out with it, since who knows the program knows one
 * call, and not stores of the C library.
 */
import { guestAddr } from '../../base/types.js';
import { Backtrace } from '../../debugger/program/backtrace.js';
import type { Link, ValueFlow } from '../../flow/chain.js';
import { memoryPlace } from '../../flow/copies/place.js';
import { contextOf, viewOf } from '../../flow/ownCode.js';
import { at } from '../../replay/log/position.js';
import { type Hit, memoryRange } from '../../replay/timeline/conditions.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Pieces } from './pieces.js';

const COPIES = /(mem(p?cpy|move|set|ccpy)|(str|stp|wcs|wcp)n?(cpy|cat))/;
const WORD = 8;
/** How far beyond the place is looked. */
const FARTHEST = 4096;
const MOST_STORES = 512;

/** Undefined if it is no such store, or the only one. The execution moves. */
export async function restOfCall(flow: ValueFlow, link: Link, work?: Work): Promise<Pieces | undefined> {
  const { place, position, thread, rip } = link;
  if (place.kind !== 'memory' || rip === 0) return undefined;
  const { execution } = flow;
  await execution.seek(position, work);
  const view = viewOf(execution.state, thread, flow.modules);
  if (view === undefined) return undefined;
  const name = new Backtrace(view).frames(1)[0]?.functionName ?? '';
  const { called, isInHeap } = contextOf(view);
  if (isInHeap || (!COPIES.test(name) && !COPIES.test(called ?? ''))) return undefined;
  const cfa = view.innermost().cfa();
  if (cfa === undefined) return undefined;
  const slot = guestAddr(Number(cfa) - WORD);
  const returnTo = guestAddr(Number(flow.valueOf(memoryPlace(slot, WORD), thread)));
  const begun = await execution.lastWrite([memoryRange(slot, WORD)], position, work);
  if (begun === undefined || begun.task !== thread) return undefined;
  await execution.seek(position, work);
  const over = await execution.forward([{ kind: 'address', addresses: [returnTo] }], work, { accepts: ({ task }) => task === thread });
  await execution.seek(position, work);
  const stores: Hit[] = [];
  await execution.each([{ kind: 'memory', access: 'write', ranges: [memoryRange(place.address, FARTHEST)], thread }], (hit) => {
    if (hit.task === thread && hit.access?.by === 'program') stores.push(hit);
    return stores.length < MOST_STORES ? 'go on' : 'stop';
  }, begun.position, over?.position, work);
  // The call itself stores its return address.
  const own = stores.filter(({ position: { time } }) => time > begun.position.time);
  const [first, ...rest] = own;
  if (first?.access === undefined || rest.length === 0) return undefined;
  const others = rest.flatMap((hit) => (hit.access === undefined ? [] : [{ time: hit.position.time, rip: hit.rip, address: hit.access.address, bytes: hit.access.bytes }]));
  return { first: { ...link, position: at(first.position.time), rip: first.rip, place: memoryPlace(first.access.address, first.access.bytes) }, others };
}
