/** What an edge is due to, in words: a register or flag, a variable of the program, or an address. */
import { hex } from '../base/types.js';
import { cellName } from '../ir/dependences/cells.js';
import { MEMORY } from './graph.js';
import type { MemberEdge } from './slice.js';

/** The name of what is at an address when it gets its value at a time (placeNames.ts); undefined if it has none. */
export type NameOf = (address: number, time: number) => string | undefined;

/** Undefined of control. */
export function dueTo({ kind, place, time }: Pick<MemberEdge, 'kind' | 'place' | 'time'>, nameOf: NameOf): string | undefined {
  if (kind === 'control') return undefined;
  if (place === MEMORY) return 'what the kernel stored';
  return place < MEMORY ? `$${cellName(place)}` : (nameOf(place - MEMORY, time) ?? hex(place - MEMORY));
}
