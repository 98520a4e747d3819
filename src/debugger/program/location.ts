/** A place in code that a breakpoint can be at, and what people write to name it. */
import { UserError } from '../../base/errors.js';
import type { Scope } from '../../dwarf/scope.js';
import type { LoadedModule } from './modules.js';
import type { ProgramView } from './programView.js';
import type { VisibleFrame } from './visibleFrame.js';

export interface CodeLocation {
  readonly address: bigint;
  readonly module: LoadedModule | undefined;
  readonly functionName: string | undefined;
  /** As the compiler named the file, and with its directory. */
  readonly fileName: string | undefined;
  readonly path: string | undefined;
  /** 0 if not known. */
  readonly line: number;
  /** The function, copy or block that the place is in. */
  readonly scope: Scope | undefined;
}

/** What a location may refer to without saying so. */
export interface LocationContext {
  readonly program: ProgramView;
  /** For `12` and `+3`: the selected frame. */
  readonly frame?: VisibleFrame | undefined;
  /** For `12` and `+3` where the frame has no line: what was listed last. */
  readonly listed?: { readonly path: string; readonly line: number } | undefined;
  /** For `*expression`. Throws a UserError. */
  evaluateAddress?(expression: string): bigint;
}

/** Nothing of that name now: it may come with a library. */
export class LocationNotFound extends UserError {
  override name = 'LocationNotFound';
}
