/**
 * A what-if branch as scripts see it: the same questions as for a recording, with times from where the branch began.
 * It is run once, as far as it is wanted; then it is as fixed as a recording.
 */
import { time } from '../../base/types.js';
import { Modules } from '../../debugger/program/modules.js';
import type { BranchEnd, BranchExecution } from '../../replay/branch/branchExecution.js';
import type { Position } from '../../replay/log/position.js';
import type { Thread } from '../../replay/timeline/state.js';
import type { Work } from '../../replay/timeline/work.js';
import { type BranchChanges, makeChanges } from './branchChanges.js';
import { type ExecutionParts, TracedExecution } from './tracedExecution.js';

export interface BranchOptions extends BranchChanges {
  /** Instructions, if it is not to run to its end: it may have none. */
  readonly run?: number;
}

export class TracedBranch extends TracedExecution {
  constructor(
    private readonly whatIf: BranchExecution,
    parts: ExecutionParts,
  ) {
    super(parts);
  }

  /** When it began: there are no times before. */
  get startTime(): number {
    return this.whatIf.start.time;
  }

  /** How it ended; undefined if it did not within the instructions that it was run for. */
  get end(): BranchEnd | undefined {
    return this.whatIf.endTime <= this.endTime ? this.whatIf.end : undefined;
  }

  /** When it first asked something that the recording has no answer to, and what. */
  get departure(): { readonly time: number; readonly why: string } | undefined {
    const { departure } = this.whatIf;
    return departure === undefined || departure.time > this.endTime ? undefined : { time: departure.time, why: departure.why };
  }

  /** What may make it different from what would have been. */
  get warnings(): readonly string[] {
    return [...new Set(this.whatIf.warnings)];
  }

  /** Gives its memory back. It cannot be asked any more. */
  drop(): void {
    this.whatIf.drop();
    this.copy?.drop();
  }

  /** From a copy that goes there, with all changes that were made before. */
  protected override async branchAt(position: Position): Promise<BranchExecution> {
    return this.second.use(async () => {
      await this.copy?.seek(position, this.work);
      return (this.copy as BranchExecution).fork(this.work);
    });
  }

  protected override get threadsAtStart(): readonly Thread[] {
    const { playing } = this;
    playing.standAt(playing.start);
    return playing.state.threads;
  }

  private get copy(): BranchExecution | undefined {
    return this.second.opened as BranchExecution | undefined;
  }
}

/** `begin` makes the branch that is to be changed, each time a new one: a branch is the same whenever it is run. */
export async function tracedBranch(
  begin: () => Promise<BranchExecution>, { run = Infinity, ...changes }: BranchOptions, parts: Omit<ExecutionParts, 'execution' | 'another'>,
): Promise<TracedBranch> {
  const modules = new Modules(parts.files);
  const make = async (): Promise<BranchExecution> => {
    const branch = await begin();
    const to = branch.position.time + run;
    await makeChanges(branch, changes, modules, parts.work);
    await runOn(branch, to, parts.work);
    return branch;
  };
  const branch = await make();
  const { time } = branch.position;
  return new TracedBranch(branch, { ...parts, execution: branch, another: make, ...(run === Infinity ? {} : { lastTime: time }) });
}

/** Up to a time, or to its end. */
async function runOn(branch: BranchExecution, to: number, work: Work | undefined): Promise<void> {
  if (to === Infinity) await branch.seekEnd(work);
  else if (to > branch.position.time) await branch.forward([{ kind: 'time', time: time(to) }], work);
}
