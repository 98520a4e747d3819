/**
 * Notes what the kernel knows of processes, threads and open files whenever a system call may have changed it, so that
 * a branch can go on from the middle of the recording with a kernel of its own (log/kernelFacts.ts). What most calls
 * change is a file's position, which is one number; everything else is compared as a whole after the few calls that
 * change it.
 */
import { pageCeil, pageFloor } from '../../base/types.js';
import { GPR, RDI, RDX, RSI, type Slot } from '../../layout/cpuState.js';
import { EPOLL, Epoll } from '../../linux/files/epoll.js';
import { EventFd } from '../../linux/files/eventFd.js';
import type { FdTable } from '../../linux/files/fdTable.js';
import { MemFd } from '../../linux/files/memFd.js';
import type { OpenFile } from '../../linux/files/openFile.js';
import { type Pipe, PipeEnd } from '../../linux/files/pipe.js';
import { SignalFd } from '../../linux/files/signalFd.js';
import { TimerFd } from '../../linux/files/timerFd.js';
import type { SavedStream } from '../../linux/sockets/streamState.js';
import type { Process } from '../../linux/process.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import type { Task } from '../../linux/tasks/task.js';
import type { World } from '../../linux/world.js';
import type { KernelNote, Subject } from '../log/kernelFacts.js';
import { fileFacts, isStream, processFacts, programFacts, taskFacts, worldFacts } from './factsOf.js';
import { CHANGES, changesOf, filesMovedBy, fileWrittenBy } from './loudCalls.js';
import type { MappedObjects } from './mappedObjects.js';

interface KnownFile {
  readonly id: number;
  /** Of a pipe: shared by its ends. */
  readonly place: { position: number };
  facts: string;
  /** Of sockets: what cannot have changed unless this has. */
  brief: string;
}

interface KnownTable {
  readonly id: number;
  version: number;
  /** By descriptor. */
  readonly entries: Map<number, { readonly file: OpenFile; readonly closeOnExec: boolean }>;
}

/** The recording's numbers. */
interface RecordedIds {
  task(task: Task): number;
  process(process: Process): number;
}

const EPOLL_WAITS: ReadonlySet<string> = new Set(['epoll_wait', 'epoll_pwait', 'epoll_pwait2']);
const ARGUMENTS: readonly Slot[] = [RDI, RSI, RDX, GPR[10] as Slot, GPR[8] as Slot, GPR[9] as Slot];

/** The listener that is told when something may have changed. */
export type Notes = Pick<KernelNotes, 'began' | 'firstProcess' | 'programStarted' | 'processChanged' | 'taskChanged' | 'callEnded' | 'signalsChanged' | 'filesClosed'>;

/** Notes are not wanted. */
export const NO_NOTES: Notes = {
  began: () => {}, firstProcess: () => {}, programStarted: () => {}, processChanged: () => {}, taskChanged: () => {}, callEnded: () => {}, signalsChanged: () => {}, filesClosed: () => {},
};

export class KernelNotes {
  private readonly files = new WeakMap<OpenFile, KnownFile>();
  private readonly pipes = new WeakMap<Pipe, { position: number }>();
  private readonly tables = new WeakMap<FdTable, KnownTable>();
  private readonly lastFacts: Readonly<Record<Subject, WeakMap<object, string>>> = {
    world: new WeakMap(), program: new WeakMap(), process: new WeakMap(), task: new WeakMap(), file: new WeakMap(),
  };
  private readonly inherited = new WeakMap<OpenFile, number>();
  /** Sockets that others may connect to at any time. */
  private readonly listeners = new Set<OpenFile>();
  private nextFile = 1;
  private nextTable = 1;

  constructor(
    private readonly emit: (note: KernelNote) => void,
    private readonly ids: RecordedIds,
    private readonly objects: MappedObjects,
  ) {}

  began(world: World): void {
    this.noteFacts(world, 'world', 0, worldFacts(world));
  }

  /** The first process: what it has now is from the user. */
  firstProcess({ files }: Process): void {
    for (const fd of files.numbers()) this.inherited.set(files.get(fd) as OpenFile, fd);
  }

  programStarted(process: Process): void {
    this.noteFacts(process, 'program', this.ids.process(process), programFacts(process));
  }

  processChanged(process: Process): void {
    const { parent } = process.family;
    const table = this.tableOf(process.files).id;
    this.noteFacts(process, 'process', this.ids.process(process), processFacts(process, parent === undefined ? 0 : this.ids.process(parent), table));
  }

  taskChanged(task: Task): void {
    this.noteFacts(task, 'task', this.ids.task(task), taskFacts(task, this.ids.process(task.process)));
  }

  /** The call has done what it does, and memory is as it leaves it. */
  callEnded(task: Task, call: number): void {
    const { process } = task;
    if (this.tables.get(process.files)?.version !== process.files.version) this.compareTable(process.files);
    const moved = filesMovedBy(call);
    if (moved !== undefined) for (const argument of moved) this.fileMoved(task, argument);
    const written = fileWrittenBy(call);
    if (written !== undefined) this.fileWritten(task, written);
    const changes = changesOf(call);
    if (changes === 0) return;
    if ((changes & CHANGES.FILE) !== 0) this.fileChanged(task, call);
    if ((changes & CHANGES.PROCESS) !== 0) this.processChanged(process);
    if ((changes & CHANGES.TASK) !== 0) this.taskChanged(task);
    if ((changes & CHANGES.EVERYBODY) !== 0) this.everybodyChanged(process.world);
  }

  /** Signals have come or gone. */
  signalsChanged(process: Process): void {
    this.processChanged(process);
    for (const task of process.tasks) this.taskChanged(task);
  }

  /** The process has ended, and has no files any more. */
  filesClosed({ files }: Process): void {
    if (this.tables.has(files)) this.compareTable(files);
  }

  private everybodyChanged({ processes }: World): void {
    for (const process of processes) if (process.exitStatus === undefined) this.signalsChanged(process);
  }

  private fileMoved(task: Task, argument: number): void {
    const file = this.argumentFile(task, argument);
    if (file === undefined) return;
    const known = this.fileOf(file);
    if (file instanceof SignalFd) this.signalsChanged(task.process);
    if (file instanceof EventFd || file instanceof TimerFd) this.compareFile(file, known);
    this.comparePosition(file, known);
    if (isStream(file)) this.streamUsed(file, known);
  }

  /** What is sent waits at the other end. */
  private streamUsed(file: SavedStream, known: KnownFile): void {
    if (file.brief !== known.brief) this.compareFile(file, known);
    const peer = file.connectedWith;
    if (peer === undefined) return;
    const other = this.fileOf(peer);
    if (peer.brief !== other.brief) this.compareFile(peer, other);
    this.comparePosition(peer, other);
  }

  /** Files that are in memory only are objects for replay, whether a process maps them or not. */
  private fileWritten(task: Task, argument: number): void {
    const file = this.argumentFile(task, argument);
    if (file instanceof MemFd) this.compareContents(file);
  }

  private compareContents(file: MemFd): void {
    const { bytes } = file;
    this.objects.measured(bytes, bytes.size);
    for (const { start, end } of file.takeChanged()) {
      const first = pageFloor(start);
      const pages = new Uint8Array(pageCeil(end) - first);
      bytes.read(first, pages);
      this.objects.loaded(bytes, first, pages);
    }
  }

  private comparePosition(file: OpenFile, known: KnownFile): void {
    const position = positionOf(file);
    if (position === known.place.position) return;
    known.place.position = position;
    this.emit({ op: 'position', file: known.id, position });
  }

  private fileChanged(task: Task, call: number): void {
    const file = this.argumentFile(task, 0);
    if (file === undefined || !isWorthLooking(file, call)) return;
    this.compareFile(file, this.fileOf(file));
    if (isStream(file)) this.streamChanged(file);
  }

  /** And with it those who have to do with it. */
  private streamChanged(file: SavedStream): void {
    this.compareFile(file, this.fileOf(file));
    const peer = file.connectedWith;
    if (peer !== undefined) this.compareFile(peer, this.fileOf(peer));
    if (file.isListening) this.listeners.add(file);
    for (const listener of this.listeners) {
      this.compareFile(listener, this.fileOf(listener));
      if (!(listener as SavedStream).isListening) this.listeners.delete(listener);
    }
  }

  private argumentFile(task: Task, argument: number): OpenFile | undefined {
    const fd = task.process.machine.registerOf(task, ARGUMENTS[argument] as Slot) | 0;
    return task.process.files.get(fd);
  }

  private tableOf(files: FdTable): KnownTable {
    return this.tables.get(files) ?? this.compareTable(files);
  }

  private compareTable(files: FdTable): KnownTable {
    let known = this.tables.get(files);
    if (known === undefined) this.tables.set(files, (known = { id: this.nextTable++, version: -1, entries: new Map() }));
    const { id, entries } = known;
    known.version = files.version;
    for (const [fd, { file }] of entries) {
      if (files.get(fd) !== undefined) continue;
      entries.delete(fd);
      this.emit({ op: 'descriptor', table: id, fd, file: 0, closeOnExec: false });
      if (isStream(file)) this.streamChanged(file);
    }
    for (const fd of files.numbers()) {
      const [file, closeOnExec] = [files.get(fd) as OpenFile, files.closeOnExec(fd)];
      const entry = entries.get(fd);
      if (entry?.file === file && entry.closeOnExec === closeOnExec) continue;
      const number = this.fileOf(file).id;
      entries.set(fd, { file, closeOnExec });
      this.emit({ op: 'descriptor', table: id, fd, file: number, closeOnExec });
      if (isStream(entry?.file)) this.streamChanged(entry.file);
    }
    return known;
  }

  private fileOf(file: OpenFile): KnownFile {
    const known = this.files.get(file);
    if (known !== undefined) return known;
    const made: KnownFile = { id: this.nextFile++, place: this.placeOf(file), facts: '', brief: '' };
    this.files.set(file, made);
    this.compareFile(file, made);
    if (file instanceof MemFd) this.compareContents(file);
    const position = positionOf(file);
    if (position !== 0) this.emit({ op: 'position', file: made.id, position });
    made.place.position = position;
    return made;
  }

  private placeOf(file: OpenFile): { position: number } {
    if (!(file instanceof PipeEnd)) return { position: 0 };
    let place = this.pipes.get(file.pipe);
    if (place === undefined) this.pipes.set(file.pipe, (place = { position: 0 }));
    return place;
  }

  private compareFile(file: OpenFile, known: KnownFile): void {
    const facts = JSON.stringify(fileFacts(file, this.inherited.get(file), (other) => this.fileOf(other).id));
    if (isStream(file)) known.brief = file.brief;
    if (facts === known.facts) return;
    known.facts = facts;
    this.emit({ op: 'facts', subject: 'file', id: known.id, facts });
  }

  private noteFacts(of: object, subject: Subject, id: number, value: unknown): void {
    const facts = JSON.stringify(value);
    const last = this.lastFacts[subject];
    if (last.get(of) === facts) return;
    last.set(of, facts);
    this.emit({ op: 'facts', subject, id, facts });
  }
}

/** Waiting for an epoll changes it only if it has watches for one event. There may be many, and waiting is frequent. */
function isWorthLooking(file: OpenFile, call: number): boolean {
  return !EPOLL_WAITS.has(SYSCALL_NAMES[call] ?? '') || (file instanceof Epoll && file.list().some(({ events }) => (events & EPOLL.ONESHOT) !== 0));
}

function positionOf(file: OpenFile): number {
  if (isStream(file)) return file.waiting;
  return file instanceof PipeEnd ? file.pipe.filled : (file.position ?? 0);
}
