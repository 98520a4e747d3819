/**
 * Files of this machine as the debugger needs them: sources, and debug information that lies apart. The command hands
 * them in.
 */
import type { Inflate } from '../../dwarf/dwarfSections.js';

export interface DebugFiles {
  /** Undefined if it cannot be read, for whatever reason. */
  read(path: string): Uint8Array | undefined;
  /** When it was written last, in milliseconds since 1970; undefined if that is not known. */
  modified?(path: string): number | undefined;
  /** Unpacks compressed sections. */
  readonly inflate?: Inflate;
}

/** Where there are none. */
export const NO_FILES: DebugFiles = { read: () => undefined };
