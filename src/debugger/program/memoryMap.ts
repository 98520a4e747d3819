/** What of a process's memory there is, for those who show it. */
import { permissionLetters } from '../../base/mapLine.js';
import type { State } from '../../replay/timeline/state.js';

interface MappedRange {
  readonly start: number;
  readonly end: number;
  readonly fileOffset: number;
  /** `r-xp` */
  readonly permissions: string;
  /** A path, `[heap]`, `[stack]`; empty for anonymous memory. */
  readonly name: string;
}

/** Of the process that a thread belongs to, in the order of addresses. */
export function mappedRanges(state: State, thread: number): MappedRange[] {
  return state.mappings(thread).map((mapping) => {
    const { start, end, fileOffset, name } = mapping;
    return { start, end, fileOffset, permissions: permissionLetters(mapping), name };
  });
}
