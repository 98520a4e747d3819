/** Entries of the file tree that we play ourselves. */
import type { BytePath } from '../../host/bytePath.js';
import type { OpenFile } from '../files/openFile.js';

export type VirtualNode =
  /** A file whose text is made when it is opened. */
  | { readonly kind: 'text'; readonly path: BytePath; readonly mode: number; text(): Uint8Array }
  /** A symbolic link as readlink shows it; following it leads to `file` or, without one, to the host's `target`. */
  | {
      readonly kind: 'link';
      readonly path: BytePath;
      readonly target: BytePath;
      readonly file?: OpenFile;
      readonly mode: number;
      readonly size: number;
    }
  | { readonly kind: 'directory'; readonly path: BytePath; entries(): readonly VirtualEntry[] };

export interface VirtualEntry {
  readonly name: BytePath;
  /** DT_* */
  readonly type: number;
}
