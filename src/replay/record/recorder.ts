/**
 * Makes a recording of a run. It hears of everything that is done to the machine from outside
 * the program and puts it into events (eventBuilder.ts): a task ran up to some time, then this and that changed. Here
 * is what happens to processes and threads; what is done to their memory is in spaceRecorder.ts. What the guest's own
 * instructions do is not recorded: they will do it again.
 */
import { RAX } from '../../layout/cpuState.js';
import { textOfBytePath } from '../../base/bytePath.js';
import type { ExitStatus, Process } from '../../linux/process.js';
import type { SigInfo } from '../../linux/signals/siginfo.js';
import type { Task } from '../../linux/tasks/task.js';
import type { VirtualClock } from '../../linux/tasks/virtualClock.js';
import type { Witness } from '../../linux/witness.js';
import type { World } from '../../linux/world.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { MappedSpace } from '../../machine/addressSpaceMappings.js';
import { SpaceHashers } from '../../machine/snapshots/hashSpace.js';
import { type Stop, VECTOR } from '../../machine/stop.js';
import { isLocalAddress } from '../../layout/viewAddresses.js';
import type { Effect } from '../log/effects.js';
import { STOP_REGISTER_BYTES } from '../log/events.js';
import { changedWords, RUN_WORDS } from '../log/registerWords.js';
import { CallNotes } from './callNotes.js';
import { EventBuilder, partsOf } from './eventBuilder.js';
import { KernelNotes, NO_NOTES, type Notes } from './kernelNotes.js';
import { type KnownObject, MappedObjects } from './mappedObjects.js';
import type { RecordingTarget } from './recordingTarget.js';
import { type RecordedSpace, SpaceRecorder } from './spaceRecorder.js';

interface RecordedTask {
  readonly id: number;
  /** Its CPU state, as far as it has been recorded. */
  readonly words: Uint32Array;
  /** Where it is while another task of the same machine is loaded. */
  readonly unloaded: Uint32Array;
  /** Where it runs, as far as that has been recorded. */
  space: number;
}

/** Numbers that were given out, and files whose contents are known. */
interface RecordedBefore {
  readonly nextSpace: number;
  readonly nextTask: number;
  readonly nextProcess: number;
  readonly objects: { readonly known: readonly KnownObject[]; readonly next: number };
}

const FUTEX = 202;
/** A second or two. */
const HASH_INTERVAL = 500_000_000;

export class Recorder implements Witness {
  protected readonly event: EventBuilder;
  private readonly spaces: SpaceRecorder;
  protected readonly tasks = new Map<Task, RecordedTask>();
  protected readonly processes = new Map<Process, number>();
  private readonly calls: CallNotes;
  private readonly notes: Notes;
  /** Of the task that stopped last. */
  private readonly registers = new Uint8Array(STOP_REGISTER_BYTES);
  private stoppedLast: Task | undefined;
  private runs: { readonly task: Task; readonly space: MappedSpace } | undefined;
  private readonly hashers = new SpaceHashers();
  private nextHash: number;
  protected clock: VirtualClock | undefined;
  protected elapsed = 0;
  private nextSpace: number;
  private nextTask: number;
  private nextProcess: number;
  /** That took effect. */
  signals = 0;

  constructor(
    target: RecordingTarget,
    /** Milliseconds. */
    now: () => number,
    /** Instructions after which the state of memory is recorded, so that replay can compare. */
    private readonly hashInterval = HASH_INTERVAL,
    /** What was recorded before, if this goes on with it. Then notes of what the kernel knows are not needed. */
    before?: RecordedBefore,
  ) {
    this.nextHash = hashInterval;
    this.event = new EventBuilder(target, now, (space) => this.spaceRecord(space).id);
    const objects = new MappedObjects((effect) => this.event.discovered(effect), (id, offset, bytes) => target.blob(id, offset, bytes), before?.objects);
    this.spaces = new SpaceRecorder(this.event, objects);
    const ids = { task: (task: Task): number => this.taskRecord(task).id, process: (process: Process): number => this.processRecord(process) };
    this.notes = before === undefined ? new KernelNotes((note) => this.emit(note), ids, objects) : NO_NOTES;
    this.calls = new CallNotes(this.notes);
    [this.nextSpace, this.nextTask, this.nextProcess] = [before?.nextSpace ?? 1, before?.nextTask ?? 1, before?.nextProcess ?? 1];
  }

  /** Events so far. */
  get count(): number {
    return this.event.count;
  }

  get threads(): number {
    return this.nextTask - 1;
  }

  get processCount(): number {
    return this.nextProcess - 1;
  }

  /**
   * The run is over: what is left is handed over. If something of ours failed while the program ran, nothing came after
   * the last event.
   */
  finish(): void {
    if (!this.event.inGuest) {
      this.event.settle();
      this.event.end();
    }
    this.event.handOver();
  }

  // --- what happens in the run ---

  spaceMade(space: AddressSpace, id = this.nextSpace++): void {
    this.spaces.made(space, id);
  }

  begin(world: World): void {
    this.clock = world.clock;
    this.notes.began(world);
  }

  taskMade(task: Task): void {
    const isFirst = this.nextTask === 1;
    if (isFirst) this.notes.firstProcess(task.process);
    const record = this.taskRecord(task);
    this.notes.processChanged(task.process);
    this.notes.taskChanged(task);
    const { machine } = task.process;
    const space = this.spaceRecord(machine.space);
    record.space = space.id;
    record.words.set(machine.loaded === task ? space.words : record.unloaded);
    const words = changedWords(new Uint32Array(RUN_WORDS), record.words);
    this.emit({ op: 'registers', task: record.id, space: space.id, words });
  }

  running(task: Task): void {
    this.event.settle();
    this.calls.settle();
    this.noteClock();
    if (this.stoppedLast !== task) this.noteLeft();
    const { machine } = task.process;
    const record = this.taskRecord(task);
    const space = this.spaceRecord(machine.space);
    if (machine.space.stackLimit !== space.stackLimit) {
      space.stackLimit = machine.space.stackLimit;
      this.emit({ op: 'stackLimit', space: space.id, bytes: space.stackLimit });
    }
    const words = changedWords(record.words, space.words);
    if (words.length > 0 || this.runs?.task !== task || this.runs.space !== machine.space) {
      this.runs = { task, space: machine.space };
      record.space = space.id;
      this.emit({ op: 'run', task: record.id, space: space.id, words });
    }
    if (this.event.head.time >= this.nextHash) this.noteHash(machine.space, space.id);
    this.event.end();
    this.event.inGuest = true;
  }

  stopped(task: Task, stop: Stop, time: number): void {
    const space = this.spaceRecord(task.process.machine.space);
    const record = this.taskRecord(task);
    record.words.set(space.words);
    this.stoppedLast = task;
    this.elapsed += time - this.event.head.time;
    this.registers.set(space.stopRegisters);
    // Why it stopped there is the kernel's business: a replay does not stop there.
    this.event.stopped(space.id, { time, task: record.id, stop: isForInterceptor(stop) ? 'budget' : stop.kind, registers: this.registers });
    if (stop.kind === 'syscall') {
      this.event.inputs.begin();
      this.calls.made(task, space.words[RAX.offset / 4] as number);
    }
    this.spaces.confirmClears();
  }

  idle(): void {
    if (this.event.isOverdue) this.blocked();
  }

  blocked(): void {
    this.event.pause();
  }

  systemCallWaits(task: Task): void {
    this.event.inputs.end();
    this.calls.waits();
    const deadline = task.wait?.deadline ?? Infinity;
    if (deadline !== Infinity) this.emit({ op: 'waits', task: this.taskRecord(task).id, deadline: Math.max(0, Math.ceil(deadline)) });
  }

  futexWoken(task: Task): void {
    this.emit({ op: 'woken', task: this.taskRecord(task).id, number: FUTEX, result: 0 });
  }

  systemCallWoken(task: Task, number: number, result: number): void {
    this.event.settle();
    this.calls.woke(task, number);
    this.emit({ op: 'woken', task: this.taskRecord(task).id, number: Math.max(0, number), result });
  }

  systemCallEnded(task: Task, number: number, result: number): void {
    this.event.settle();
    this.event.inputs.end();
    this.calls.returned(task, number);
    this.emit({ op: 'result', task: this.taskRecord(task).id, number: Math.max(0, number), result });
  }

  signalDelivered(process: Process, info: SigInfo, handled: boolean): void {
    this.signals++;
    // What ends here does not run on: this is the last that is known of its registers, of which sigreturn may have
    // changed all.
    if (!handled && this.stoppedLast === process.task) this.noteLeft();
    this.emit({ op: 'signal', task: this.taskRecord(process.task).id, signal: info.signal, code: info.code, handled });
    this.calls.signalDelivered(process);
  }

  taskEnded(task: Task): void {
    this.emit({ op: 'taskEnd', task: this.taskRecord(task).id, code: task.exitCode });
    this.tasks.delete(task);
    if (this.stoppedLast === task) this.stoppedLast = undefined;
    if (this.runs?.task === task) this.runs = undefined;
  }

  processEnded(process: Process, status: ExitStatus): void {
    const [code, signal] = status.kind === 'exited' ? [status.code, 0] : [0, status.signal];
    this.emit({ op: 'processEnd', process: this.processRecord(process), code, signal });
    this.processes.delete(process);
    this.calls.processEnded(process);
  }

  programStarted(process: Process): void {
    this.noteProgram(process, this.processRecord(process));
    this.calls.programStarted(process);
  }

  output(fd: number, bytes: Uint8Array): void {
    for (const part of partsOf(bytes)) this.emit({ op: 'output', fd, bytes: part });
  }

  /** Tasks by their numbers in the log. */
  taskOf(id: number): Task | undefined {
    return [...this.tasks].find(([, record]) => record.id === id)?.[0];
  }

  // --- putting it together ---

  protected emit(effect: Effect): void {
    this.event.emit(effect);
  }

  /** Another task runs now: the one that ran last is left with what the kernel has told it. */
  private noteLeft(): void {
    const task = this.stoppedLast;
    if (task === undefined) return;
    const record = this.taskRecord(task);
    const { machine } = task.process;
    const space = this.spaceRecord(machine.space);
    const current = machine.loaded === task ? space.words : record.unloaded;
    const words = changedWords(record.words, current);
    if (words.length === 0 && record.space === space.id) return;
    record.words.set(current);
    record.space = space.id;
    this.emit({ op: 'registers', task: record.id, space: space.id, words });
  }

  private noteClock(): void {
    const now = this.clock?.now() ?? 0;
    if (now > this.elapsed) this.emit({ op: 'clock', nanoseconds: now - this.elapsed });
    this.elapsed = now;
  }

  private noteHash(space: AddressSpace, id: number): void {
    this.nextHash = this.event.head.time + this.hashInterval;
    this.emit({ op: 'hash', space: id, hash: this.hashers.hash(space, 'own') });
  }

  protected spaceRecord(space: MappedSpace): RecordedSpace {
    return this.spaces.record(space);
  }

  protected taskRecord(task: Task): RecordedTask {
    const known = this.tasks.get(task);
    if (known !== undefined) return known;
    const record = { id: this.nextTask++, words: new Uint32Array(RUN_WORDS), unloaded: new Uint32Array(task.registers.buffer, 0, RUN_WORDS), space: 0 };
    this.tasks.set(task, record);
    const { process } = task;
    this.emit({ op: 'task', task: record.id, process: this.processRecord(process), tid: task.tid, pid: process.pid, name: textOfBytePath(task.name) });
    return record;
  }

  private processRecord(process: Process): number {
    const known = this.processes.get(process);
    if (known !== undefined) return known;
    const id = this.nextProcess++;
    this.processes.set(process, id);
    this.emit({ op: 'process', process: id, pid: process.pid, parent: process.parentPid });
    this.noteProgram(process, id);
    this.notes.programStarted(process);
    return id;
  }

  private noteProgram(process: Process, id: number): void {
    this.emit({ op: 'program', process: id, exe: textOfBytePath(process.exe), args: process.argv.map(textOfBytePath) });
  }
}

/**
 * A replay, which has no interceptor, does not stop there. Nor does it know when functions return whose variables have
 * addresses of their own.
 */
function isForInterceptor(stop: Stop): boolean {
  if (stop.kind === 'pageFault') return isLocalAddress(Number(stop.address));
  return stop.kind === 'breakpoint' || stop.kind === 'astray' || stop.kind === 'undefined' || (stop.kind === 'trap' && stop.vector === VECTOR.BR);
}
