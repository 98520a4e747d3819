/** What a checked program did that it must not do, as it was found: before any rule has been asked, and before people read it. */
import type { Block, Moment } from './heap/blocks.js';

export type Finding = (
  /** Memory is accessed that must not be. */
  | { readonly kind: 'access'; readonly access: 'read' | 'write' | 'execute'; readonly address: number }
  /** Memory is given back that cannot be. */
  | { readonly kind: 'free'; readonly address: number; readonly family: string }
) & {
  readonly moment: Moment;
  /** Number of the thread in the recording's own count is not known here: tid and pid are in `moment`. */
  readonly rip: number;
  /** The block that the address belongs to, if any. */
  readonly block: Block | undefined;
};
