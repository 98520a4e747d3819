/** What an edge is due to, in words: a register or flag, a variable of the program, or an address. */
import { hex } from '../base/types.js';
import { cellName } from '../ir/dependences/cells.js';
import { MEMORY } from './graph.js';
import type { MemberEdge } from './slice.js';

/** Names of memory that last; undefined for what has none, or only for a while. */
export type NameOf = (address: number) => string | undefined;

/** Undefined of control. */
export function dueTo({ kind, place }: Pick<MemberEdge, 'kind' | 'place'>, nameOf: NameOf): string | undefined {
  if (kind === 'control') return undefined;
  if (place === MEMORY) return 'what the kernel stored';
  return place < MEMORY ? `$${cellName(place)}` : (nameOf(place - MEMORY) ?? hex(place - MEMORY));
}
