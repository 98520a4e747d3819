/** A run whose structures are looked at, and the process that is meant. */
import type { Modules } from '../../debugger/program/modules.js';
import type { SourceText } from '../../debugger/program/sourceText.js';
import type { Execution } from '../../replay/timeline/execution.js';

export interface ShapedRun {
  readonly execution: Execution;
  readonly modules: Modules;
  readonly sources: SourceText;
}
