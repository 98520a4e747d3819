/**
 * Bytes that were never meant as a pointer, such as text, and are used as one: they were copied to where a pointer was.
 * What was there before tells which of the copies that was: the others put them where such bytes belong.
 */
import type { Chain, Link, ValueFlow } from '../../flow/chain.js';
import type { Work } from '../../replay/timeline/work.js';

const WORD = 8;

/** The oldest copy that wrote over a pointer; undefined if none did. The execution moves. */
export async function overPointer(flow: ValueFlow, { links }: Chain, work?: Work): Promise<Link | undefined> {
  for (const link of links.toReversed()) {
    const { place, position, thread, rip, value } = link;
    if (place.kind !== 'memory' || place.size !== WORD || rip === 0) continue;
    await flow.execution.seek(position, work);
    const before = flow.valueOf(place, thread);
    if (before !== value && before !== 0n && flow.isMapped(before, thread)) return link;
  }
  return undefined;
}
