/** Entries of the file tree that we play ourselves. */
import type { BytePath } from '../../host/bytePath.js';
import type { OpenFile } from '../files/openFile.js';

export type VirtualNode =
  /** A file whose text is made when it is opened. */
  | { readonly kind: 'text'; readonly path: BytePath; readonly mode: number; text(): Uint8Array }
  /** A symbolic link as readlink shows it; following it leads to `file` or `node` or, without one, to the host's `target`. */
  | {
      readonly kind: 'link';
      readonly path: BytePath;
      readonly target: BytePath;
      /** Where the host has what it leads to, if the user may not get there by `target`. */
      readonly hostPath?: BytePath;
      readonly file?: OpenFile;
      readonly node?: VirtualNode;
      readonly mode: number;
      readonly size: number;
    }
  /** With `hostPath` everybody may look into it, and calls that need a directory of the host are given that one. */
  | { readonly kind: 'directory'; readonly path: BytePath; entries(): readonly VirtualEntry[]; readonly hostPath?: BytePath };

export interface VirtualEntry {
  readonly name: BytePath;
  /** DT_* */
  readonly type: number;
}
