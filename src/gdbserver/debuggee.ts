/**
 * The process that a client debugs: where in the recording it begins and ends, and which of all threads are its own.
 * Positions before and after are not for the client. What is altered goes to a branch, which takes the recording's
 * place until it is dropped.
 */
import { Branching } from '../debugger/control/branching.js';
import type { Stretch } from '../debugger/control/running.js';
import { AUX, auxiliaryValue, auxiliaryVector } from '../debugger/program/auxiliaryVector.js';
import { NO_FILES } from '../debugger/program/debugFiles.js';
import { Modules } from '../debugger/program/modules.js';
import { ProgramView } from '../debugger/program/programView.js';
import { RecordedFiles } from '../debugger/program/recordedFiles.js';
import { comparePositions, type Position } from '../replay/log/position.js';
import type { BranchExecution, BranchMaker } from '../replay/branch/branchExecution.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { RecordedProcess } from '../replay/timeline/recordedProcesses.js';
import type { State, StoredFile, Thread } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';

/** What the process was started with. */
interface Beginning {
  readonly auxv: Uint8Array;
  readonly files: RecordedFiles;
}

/** The recording, and what all its processes share. */
interface Recorded {
  readonly execution: Execution;
  readonly branches: BranchMaker | undefined;
  readonly modules: Modules;
}

export class Debuggee {
  /** The recording, or what is looked at instead of it. */
  readonly branching: Branching;

  private constructor(
    private readonly recorded: Recorded,
    readonly process: RecordedProcess,
    readonly beginning: Beginning,
  ) {
    this.branching = new Branching(recorded.execution, recorded.branches);
  }

  /** The execution is then where the program was loaded. */
  static async open(execution: Execution, process: RecordedProcess, branches: BranchMaker | undefined): Promise<Debuggee> {
    return Debuggee.load({ execution, branches, modules: new Modules(NO_FILES) }, process);
  }

  private static async load(recorded: Recorded, process: RecordedProcess): Promise<Debuggee> {
    const { execution, modules } = recorded;
    const { pid, position } = process.loaded;
    await execution.seek(position);
    return new Debuggee(recorded, process, beginningOf(execution.state, pid, modules));
  }

  /** Another process, or program, at the same position. */
  async other(process: RecordedProcess): Promise<Debuggee> {
    const { recorded, position, beginning } = this;
    const isLoadedAlike = comparePositions(process.loaded.position, this.process.loaded.position) === 0;
    if (isLoadedAlike) return new Debuggee(recorded, process, beginning);
    const debuggee = await Debuggee.load(recorded, process);
    await recorded.execution.seek(position);
    return debuggee;
  }

  get modules(): Modules {
    return this.recorded.modules;
  }

  get recording(): Execution {
    return this.recorded.execution;
  }

  get execution(): Execution {
    return this.branching.execution;
  }

  get branch(): BranchExecution | undefined {
    return this.branching.branch;
  }

  /** Back to the recording, where the branch began; if there is one. */
  dropBranch(): void {
    if (this.branch !== undefined) this.branching.drop();
  }

  get pid(): number {
    return this.process.pid;
  }

  get state(): State {
    return this.execution.state;
  }

  get position(): Position {
    return this.execution.position;
  }

  /** Those that there are now. */
  get threads(): readonly Thread[] {
    return this.state.threads.filter(({ pid }) => pid === this.pid);
  }

  /** The one that runs, or any if another process does. */
  get someThread(): number {
    const { current } = this.state;
    return current?.pid === this.pid ? current.id : (this.threads[0]?.id ?? 0);
  }

  owns(thread: number): boolean {
    return this.threads.some(({ id }) => id === thread);
  }

  /** Where the process, or the branch, begins. */
  get begin(): Position {
    return this.branch?.start ?? this.process.begin;
  }

  get isAtBegin(): boolean {
    return comparePositions(this.position, this.begin) <= 0;
  }

  /** Of the execution: what is the process's. */
  get within(): Stretch {
    return { begin: this.begin, end: this.branch === undefined ? this.process.end : undefined };
  }

  async seekBegin(work?: Work): Promise<void> {
    this.dropBranch();
    await this.execution.seek(this.process.begin, work);
  }

  async seekEnd(work?: Work): Promise<void> {
    const end = this.branch === undefined ? this.process.end : undefined;
    await (end === undefined ? this.execution.seekEnd(work) : this.execution.seek(end, work));
  }

  /** The program as the process sees it here. Undefined if it has no threads. */
  get program(): ProgramView | undefined {
    return this.programOf(this.someThread);
  }

  /** The same as any thread of any process sees it. */
  programOf(id: number): ProgramView | undefined {
    return this.viewAt(this.state, id);
  }

  /** The same at another time. */
  readonly viewAt = (state: State, id: number): ProgramView | undefined => {
    const thread = state.threads.find((one) => one.id === id);
    return thread === undefined ? undefined : new ProgramView(state, thread, this.recorded.modules);
  };

  /** A file of the recording by any name that the program has for it. */
  file(path: string): StoredFile | undefined {
    const { beginning: { files }, program } = this;
    if (files.find(path) === undefined && program !== undefined) files.collect(program);
    return files.find(path);
  }
}

function beginningOf(state: State, pid: number, modules: Modules): Beginning {
  const files = new RecordedFiles();
  const thread = state.threads.find((one) => one.pid === pid);
  if (thread === undefined) return { auxv: new Uint8Array(0), files };
  const program = new ProgramView(state, thread, modules);
  const auxv = auxiliaryVector(program);
  const linker = auxiliaryValue(auxv, AUX.BASE);
  files.collect(program, linker === undefined ? undefined : Number(linker));
  return { auxv, files };
}
