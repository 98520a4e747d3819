/**
 * The process that a client debugs: where in the recording it begins and ends, and which of all threads are its own. Positions before and
 * after are not for the client. What is altered goes to a branch, which takes the recording's place until it is dropped.
 */
import { comparePositions, type Position } from '../replay/play/position.js';
import type { BranchExecution } from '../replay/branch/branchExecution.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { State, Thread } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';
import { StoredElfs } from '../replay/play/storedElfs.js';
import type { MappableFile } from '../machine/mapping.js';
import { AUX, auxValue, type Libraries, readAuxv, readLibraries, type Reader } from './loadedProgram.js';
import { fileAt, RecordedFiles } from './recordedFiles.js';
import type { RecordedProcess } from './recordedProcesses.js';

/** What the process was started with. */
export interface Beginning {
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
  ) {}

  /** The execution is then where the program was loaded. */
  static async open(execution: Execution, process: RecordedProcess, work?: Work): Promise<Debuggee> {
    await execution.seek(process.loaded.position, work);
    return new Debuggee(execution, process, beginningOf(execution.state, process.loaded.pid));
  }

  /** Another process, or program, at the same position. */
  async other(process: RecordedProcess): Promise<Debuggee> {
    const { recording, position, beginning } = this;
    if (comparePositions(process.loaded.position, this.process.loaded.position) === 0) return new Debuggee(recording, process, beginning);
    const debuggee = await Debuggee.open(recording, process);
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

  /** Memory as the process has it. */
  readonly read: Reader = (address, length) => this.state.read(this.someThread, address, length);

  get libraries(): Libraries {
    return readLibraries(this.read, this.beginning.auxv);
  }

  /** A file of the recording by any name that the program has for it. */
  file(path: string): MappableFile | undefined {
    const { files } = this.beginning;
    const known = files.find(path);
    const space = this.state.space(this.someThread);
    if (known !== undefined || space === undefined) return known;
    files.collect(space);
    for (const { name, dynamic } of this.libraries.all) files.alias(name, space, dynamic);
    return files.find(path);
  }
}

function beginningOf(state: State, pid: number): Beginning {
  const files = new RecordedFiles();
  const thread = state.threads.find((one) => one.pid === pid)?.id ?? 0;
  const space = state.space(thread);
  if (space === undefined) return { auxv: new Uint8Array(0), files };
  const read: Reader = (address, length) => state.read(thread, address, length);
  const auxv = readAuxv(read, Number(state.register(thread, 'rsp') ?? 0n));
  files.collect(space);
  const [header, linker] = [auxValue(auxv, AUX.PHDR), auxValue(auxv, AUX.BASE)];
  const program = header === undefined ? undefined : fileAt(space, header);
  const interpreter = program === undefined ? undefined : new StoredElfs().of(program)?.interpreter;
  if (interpreter !== undefined && linker !== undefined) files.alias(interpreter, space, linker);
  return { auxv, files };
}
