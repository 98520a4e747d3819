/** A run that is looked into: a recording, a run in which something was left out, or one with guards. */
import type { Modules } from '../debugger/program/modules.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { viewOf } from '../flow/ownCode.js';
import type { Position } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';

export interface BlamedRun {
  readonly execution: Execution;
  readonly modules: Modules;
}

/** The program as a thread sees it there. The execution moves. */
export async function viewAt({ execution, modules }: BlamedRun, position: Position, thread: number, work?: Work): Promise<ProgramView | undefined> {
  await execution.seek(position, work);
  return viewOf(execution.state, thread, modules);
}
