/**
 * The process that a client debugs: where in the recording it begins and ends, and which of all threads are its own. Positions before and
 * after are not for the client. What is altered goes to a branch, which takes the recording's place until it is dropped.
 */
import { AUX, auxiliaryValue, auxiliaryVector } from '../debugger/program/auxiliaryVector.js';
import { NO_FILES } from '../debugger/program/hostFiles.js';
import { Modules } from '../debugger/program/modules.js';
import { ProgramView } from '../debugger/program/programView.js';
import { RecordedFiles } from '../debugger/program/recordedFiles.js';
import { comparePositions, type Position } from '../replay/play/position.js';
import type { BranchExecution } from '../replay/branch/branchExecution.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { RecordedProcess } from '../replay/timeline/recordedProcesses.js';
import type { State, StoredFile, Thread } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';

/** What the process was started with. */
interface Beginning {
  readonly auxv: Uint8Array;
  readonly files: RecordedFiles;
}

export class Debuggee {
  /** What is looked at instead of the recording. */
  branch: BranchExecution | undefined;

  private constructor(
    readonly recording: Execution,
    readonly process: RecordedProcess,
    readonly beginning: Beginning,
    private readonly modules: Modules,
  ) {}

  /** The execution is then where the program was loaded. */
  static async open(execution: Execution, process: RecordedProcess, modules = new Modules(NO_FILES)): Promise<Debuggee> {
    await execution.seek(process.loaded.position);
    return new Debuggee(execution, process, beginningOf(execution.state, process.loaded.pid, modules), modules);
  }

  /** Another process, or program, at the same position. */
  async other(process: RecordedProcess): Promise<Debuggee> {
    const { recording, position, beginning, modules } = this;
    const isLoadedAlike = comparePositions(process.loaded.position, this.process.loaded.position) === 0;
    if (isLoadedAlike) return new Debuggee(recording, process, beginning, modules);
    const debuggee = await Debuggee.open(recording, process, modules);
    await recording.seek(position);
    return debuggee;
  }

  get execution(): Execution {
    return this.branch ?? this.recording;
  }

  /** Back to the recording, where the branch began. */
  async dropBranch(): Promise<void> {
    const { branch } = this;
    if (branch === undefined) return;
    this.branch = undefined;
    await this.recording.seek(branch.start);
    branch.drop();
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

  isAfterEnd(position: Position): boolean {
    const { end } = this.process;
    return this.branch === undefined && end !== undefined && comparePositions(position, end) > 0;
  }

  async seekBegin(work?: Work): Promise<void> {
    await this.dropBranch();
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
    const { state, modules } = this;
    const thread = state.threads.find((one) => one.id === id);
    return thread === undefined ? undefined : new ProgramView(state, thread, modules);
  }

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
