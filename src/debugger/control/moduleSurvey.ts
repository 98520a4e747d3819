/**
 * What was ever loaded in an execution. Breakpoints in a library that is loaded later, or has been unloaded, or is of a
 * process that has ended, can be found because the execution is there as a whole: one pass over it looks at the
 * mappings whenever they change.
 */
import { at } from '../../replay/log/position.js';
import type { Execution } from '../../replay/timeline/execution.js';
import type { Work } from '../../replay/timeline/work.js';
import { ProgramView } from '../program/programView.js';
import type { ModuleList, Modules } from '../program/modules.js';

/** mmap, mprotect, munmap, execve, exit, exit_group. */
const MAPPING_CALLS = [9, 10, 11, 59, 60, 231];

export class ModuleSurvey {
  private readonly found = new Map<ModuleList, ProgramView>();
  private isComplete = false;

  constructor(private readonly modules: Modules) {}

  /** A view of the program for each set of modules that has been seen. Their memory is that of another time. */
  get views(): readonly ProgramView[] {
    return [...this.found.values()];
  }

  /** Everybody who is there now. */
  note(execution: Execution): void {
    const { state } = execution;
    const seen = new Set<number>();
    for (const thread of state.threads) {
      if (seen.has(thread.pid)) continue;
      seen.add(thread.pid);
      this.add(new ProgramView(state, thread, this.modules));
    }
  }

  /** Goes through all of the execution, once; it stands where it did afterwards. */
  async complete(execution: Execution, work?: Work): Promise<void> {
    if (this.isComplete) return;
    const home = execution.position;
    await execution.seek(at(0), work);
    await execution.forward([{ kind: 'syscall', numbers: MAPPING_CALLS }], work, {
      accepts: (hit, state) => {
        const thread = state.threads.find(({ id }) => id === hit.task);
        if (thread !== undefined) this.add(new ProgramView(state, thread, this.modules));
        return false;
      },
    });
    await execution.seek(home, work);
    this.isComplete = true;
  }

  private add(view: ProgramView): void {
    if (!this.found.has(view.modules)) this.found.set(view.modules, view);
  }
}
