/** Entries of the file tree that we play ourselves. */
import type { BytePath } from '../../base/bytePath.js';
import type { OpenFile } from '../files/openFile.js';
import type { Process } from '../process.js';

interface Common {
  /** Without links: how the guest would name it. */
  readonly path: BytePath;
  /** Permissions. */
  readonly mode: number;
  /** Whose it is; without one it is root's. */
  readonly of?: Process;
  /** Only who could trace `of` may look at it, whatever the permissions say. */
  readonly guarded?: boolean;
}

export type VirtualNode =
  /**
   * A file whose text is made when it is read. `write` takes what is written at once, and gives its length or an error.
   */
  | (Common & { readonly kind: 'text'; text(): Uint8Array; write?(bytes: Uint8Array, by: Process): number })
  /** A file that is more than text. */
  | (Common & { readonly kind: 'file'; open(flags: number): OpenFile })
  /**
   * A symbolic link as readlink shows it; following it leads to `file` or `node` or, without one, to the host's
   * `leadsTo`, or else to `target`.
   */
  | (Common & {
      readonly kind: 'link';
      readonly target: BytePath;
      readonly file?: OpenFile;
      readonly node?: VirtualNode;
      /** Where the host has what it leads to, if the user may not get there by `target`. */
      readonly leadsTo?: BytePath;
      readonly size: number;
    })
  /** With `hostPath` calls that need a directory of the host are given that one. */
  | (Common & { readonly kind: 'directory'; entries(): readonly VirtualEntry[]; readonly hostPath?: BytePath });

export interface VirtualEntry {
  readonly name: BytePath;
  /** DT_* */
  readonly type: number;
}
