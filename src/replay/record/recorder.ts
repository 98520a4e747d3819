/**
 * Makes a recording of a run. It hears of everything that is done to the machine from outside
 * the program and puts it into events (log/): a task ran up to some time, then this and that changed. What the
 * guest's own instructions do is not recorded: they will do it again.
 */
import { assert } from '../../base/assert.js';
import { RAX } from '../../layout/cpuState.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import { textOfBytePath } from '../../host/bytePath.js';
import type { ExitStatus, Process } from '../../linux/process.js';
import type { SigInfo } from '../../linux/signals/siginfo.js';
import type { Task } from '../../linux/tasks/task.js';
import type { VirtualClock } from '../../linux/tasks/virtualClock.js';
import type { Witness } from '../../linux/witness.js';
import type { World } from '../../linux/world.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import { linearOffset } from '../../machine/addressSpaceAccess.js';
import type { MappedSpace } from '../../machine/addressSpaceMappings.js';
import type { Mapping } from '../../machine/mapping.js';
import type { View } from '../../machine/views.js';
import { SpaceHashers } from '../../machine/snapshots/hashSpace.js';
import type { SpaceWitness } from '../../machine/spaceWitness.js';
import type { Stop } from '../../machine/stop.js';
import { type Effect, type RecordedMapping, writeEffect } from '../log/effects.js';
import { ChunkWriter } from '../log/chunkWriter.js';
import { type EventHead, STOP_REGISTER_BYTES } from '../log/events.js';
import { LogWriter } from '../log/logWriter.js';
import { changedWords, RUN_WORDS } from '../log/registerWords.js';
import { CallNotes } from './callNotes.js';
import { KernelInputs } from './kernelInputs.js';
import { KernelNotes, NO_NOTES, type Notes } from './kernelNotes.js';
import { KernelWrites } from './kernelWrites.js';
import { type KnownObject, MappedObjects } from './mappedObjects.js';
import type { RecordingTarget } from './recordingTarget.js';

interface RecordedSpace {
  readonly id: number;
  /** The CPU state that comes with it, in place; views are dear to make. */
  readonly words: Uint32Array;
  readonly stopRegisters: Uint8Array;
  stackLimit: number;
  /** It has been cleared, which nobody needs to know before it is used again. */
  cleared: boolean;
}

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
export interface RecordedBefore {
  readonly nextSpace: number;
  readonly nextTask: number;
  readonly nextProcess: number;
  readonly objects: { readonly known: readonly KnownObject[]; readonly next: number };
}

const READ = 0;
const RECVFROM = 45;
const FUTEX = 202;
/** An event that grows beyond this is continued in another one: chunks have a largest size. */
const EVENT_BYTES = 8 * 1024 * 1024;
const NOTHING = new Uint8Array();
const WRITE_BYTES = 4 * 1024 * 1024;
/** A second or two. */
const HASH_INTERVAL = 500_000_000;

export class Recorder implements Witness, SpaceWitness {
  private readonly spaces = new Map<MappedSpace, RecordedSpace>();
  protected readonly tasks = new Map<Task, RecordedTask>();
  protected readonly processes = new Map<Process, number>();
  private readonly objects: MappedObjects;
  private readonly writes = new KernelWrites();
  private readonly inputs = new KernelInputs();
  /** What the event that is going on has so far. */
  protected head: EventHead = { time: 0, task: 0, stop: 'start', registers: new Uint8Array(STOP_REGISTER_BYTES) };
  private readonly known = new LogWriter();
  private readonly effects = new LogWriter(64 * 1024);
  private readonly calls: CallNotes;
  private readonly notes: Notes;
  /** Of the task that stopped last. */
  private readonly registers = new Uint8Array(STOP_REGISTER_BYTES);
  private anyCleared = false;
  private inGuest = false;
  private stoppedLast: Task | undefined;
  private runs: { readonly task: Task; readonly space: MappedSpace } | undefined;
  private readonly chunks: ChunkWriter;
  private readonly hashers = new SpaceHashers();
  private nextHash: number;
  protected clock: VirtualClock | undefined;
  protected elapsed = 0;
  /** The beginning of the event that is going on is already written. */
  private isSplit = false;
  /** Events so far, and signals that took effect. */
  count = 0;
  signals = 0;

  constructor(
    target: RecordingTarget,
    /** Milliseconds. */
    now: () => number,
    /** Instructions after which the state of memory is recorded, so that replay can compare. */
    private readonly hashInterval = HASH_INTERVAL,
    /** What was recorded before, if this goes on with it. Then nobody needs notes of what the kernel knows. */
    before?: RecordedBefore,
  ) {
    this.nextHash = hashInterval;
    this.chunks = new ChunkWriter(target, now);
    const ids = { task: (task: Task): number => this.taskRecord(task).id, process: (process: Process): number => this.processRecord(process) };
    this.notes = before === undefined ? new KernelNotes((note) => this.emit(note), ids) : NO_NOTES;
    this.calls = new CallNotes(this.notes);
    this.objects = new MappedObjects((effect) => this.discovered(effect), (id, offset, bytes) => target.blob(id, offset, bytes), before?.objects);
    [this.nextSpace, this.nextTask, this.nextProcess] = [before?.nextSpace ?? 1, before?.nextTask ?? 1, before?.nextProcess ?? 1];
  }

  get threads(): number {
    return this.nextTask - 1;
  }

  get processCount(): number {
    return this.nextProcess - 1;
  }

  /** The run is over: what is left is handed over. If something of ours failed while the program ran, nothing came after the last event. */
  finish(): void {
    if (!this.inGuest) {
      this.settle();
      this.endEvent();
    }
    this.chunks.handOver();
  }

  // --- what happens in the run ---

  spaceMade(space: AddressSpace, id = this.nextSpace++): void {
    const { u8, u32 } = space.linear;
    this.spaces.set(space, {
      id,
      words: u32.subarray(STATE_BASE >>> 2, (STATE_BASE >>> 2) + RUN_WORDS),
      stopRegisters: u8.subarray(STATE_BASE, STATE_BASE + STOP_REGISTER_BYTES),
      stackLimit: space.stackLimit, cleared: false,
    });
    space.witness = this;
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
    this.settle();
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
    if (this.head.time >= this.nextHash) this.noteHash(machine.space, space.id);
    this.endEvent();
    this.inGuest = true;
  }

  stopped(task: Task, stop: Stop, time: number): void {
    this.inGuest = false;
    const space = this.spaceRecord(task.process.machine.space);
    const record = this.taskRecord(task);
    record.words.set(space.words);
    this.stoppedLast = task;
    this.elapsed += time - this.head.time;
    this.registers.set(space.stopRegisters);
    // Whoever stopped it there is the kernel's business: replay has nobody who would.
    this.head = { time, task: record.id, stop: stop.kind === 'breakpoint' ? 'budget' : stop.kind, registers: this.registers };
    if (stop.kind === 'syscall') {
      this.inputs.begin();
      this.calls.made(task, space.words[RAX.offset / 4] as number);
    }
    if (this.anyCleared) for (const cleared of this.spaces.keys()) this.confirmClear(cleared);
    this.anyCleared = false;
  }

  idle(): void {
    if (this.chunks.isOverdue) this.blocked();
  }

  blocked(): void {
    this.settle();
    if (!this.isSplit || this.effects.length > 0) this.splitEvent();
    this.chunks.handOver();
  }

  systemCallWaits(task: Task): void {
    this.inputs.end();
    this.calls.waits();
    const deadline = task.wait?.deadline ?? Infinity;
    if (deadline !== Infinity) this.emit({ op: 'waits', task: this.taskRecord(task).id, deadline: Math.max(0, Math.ceil(deadline)) });
  }

  futexWoken(task: Task): void {
    this.emit({ op: 'woken', task: this.taskRecord(task).id, number: FUTEX, result: 0 });
  }

  systemCallWoken(task: Task, number: number, result: number): void {
    this.settle(bytesRead(number, result));
    this.calls.woke(task, number);
    this.emit({ op: 'woken', task: this.taskRecord(task).id, number: Math.max(0, number), result });
  }

  systemCallEnded(task: Task, number: number, result: number): void {
    this.settle(bytesRead(number, result));
    this.inputs.end();
    this.calls.returned(task, number);
    this.emit({ op: 'result', task: this.taskRecord(task).id, number: Math.max(0, number), result });
  }

  signalDelivered(process: Process, info: SigInfo, handled: boolean): void {
    this.signals++;
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
    for (const part of parts(bytes)) this.emit({ op: 'output', fd, bytes: part });
  }

  // --- what is done to address spaces; while the guest runs it does so itself, and will again ---

  writing(space: MappedSpace, address: number, length: number): void {
    if (this.inGuest) return;
    this.confirmClear(space);
    this.inputs.writing(address, length);
    this.writes.announce(space, address, length);
  }

  reading(space: MappedSpace, address: number, length: number): void {
    if (!this.inGuest) this.inputs.reading(space, this.spaceRecord(space).id, address, length);
  }

  mapping(space: MappedSpace, m: Mapping): void {
    if (this.inGuest) return;
    const { file, ...rest } = m;
    const mapping: RecordedMapping = file === undefined ? rest : { ...rest, object: this.objects.idOf(file) };
    this.changed(space, (id) => ({ op: 'map', space: id, mapping }));
  }

  unmapping(space: MappedSpace, start: number, length: number): void {
    if (this.inGuest || space.isUnmapped(start, length)) return;
    this.changed(space, (id) => ({ op: 'unmap', space: id, start, length }));
  }

  protecting(space: MappedSpace, start: number, length: number, prot: number): void {
    this.changed(space, (id) => ({ op: 'protect', space: id, start, length, prot }));
  }

  settingInCopy(space: MappedSpace, start: number, length: number, inCopy: Mapping['inCopy']): void {
    this.changed(space, (id) => ({ op: 'inCopy', space: id, start, length, inCopy }));
  }

  discarding(space: MappedSpace, start: number, length: number): void {
    this.changed(space, (id) => ({ op: 'discard', space: id, start, length }));
  }

  forgetting(space: MappedSpace, start: number, length: number): void {
    this.changed(space, (id) => ({ op: 'forget', space: id, start, length }));
  }

  copyingPages(space: MappedSpace, from: number, to: number, length: number): void {
    this.changed(space, (id) => ({ op: 'copyPages', space: id, from, to, length }));
  }

  copyingSpace(space: MappedSpace, from: MappedSpace): void {
    this.changed(space, (id) => ({ op: 'copySpace', space: id, from: this.spaceRecord(from).id }));
  }

  clearing(space: MappedSpace): void {
    this.settle();
    this.inputs.end();
    this.spaceRecord(space).cleared = true;
    this.anyCleared = true;
  }

  viewing(space: MappedSpace, view: View): void {
    this.changed(space, (id) => ({ op: 'view', space: id, view }));
  }

  unviewing(space: MappedSpace, begin: number): void {
    this.changed(space, (id) => ({ op: 'unview', space: id, begin }));
  }

  cleaning(space: MappedSpace, page: number): void {
    this.changed(space, (id) => ({ op: 'clean', space: id, page }));
  }

  loaded(space: MappedSpace, m: Mapping, start: number, end: number): void {
    if (m.file === undefined) return;
    const offset = linearOffset(start);
    this.objects.loaded(m.file, m.fileOffset + (start - m.start), space.linear.u8.subarray(offset, offset + (end - start)));
  }

  measured(m: Mapping, size: number): void {
    if (m.file !== undefined) this.objects.measured(m.file, size);
  }

  writingBack(m: Mapping, offset: number, bytes: Uint8Array): void {
    this.objects.writtenBack(m, offset, bytes);
  }

  // --- putting it together ---

  private changed(space: MappedSpace, effect: (id: number) => Effect): void {
    if (this.inGuest) return;
    this.settle();
    this.inputs.end();
    this.confirmClear(space);
    this.add(effect(this.spaceRecord(space).id));
  }

  private confirmClear(space: MappedSpace): void {
    const record = this.spaceRecord(space);
    if (!record.cleared) return;
    record.cleared = false;
    this.add({ op: 'clear', space: record.id });
  }

  protected emit(effect: Effect): void {
    this.settle();
    this.add(effect);
  }

  private add(effect: Effect): void {
    writeEffect(this.effects, effect);
    if (this.effects.length > EVENT_BYTES) this.splitEvent();
  }

  /** What the guest finds in files while it runs, or the kernel when it reads from memory, replay has to know before. */
  private discovered(effect: Effect): void {
    if (!this.inGuest) {
      if (!this.inputs.discovered(effect)) this.emit(effect);
      return;
    }
    writeEffect(this.known, effect);
    if (this.known.length > EVENT_BYTES) this.writeAhead();
  }

  /** Before the event that the guest is on its way to: one that has what is known so far. */
  private writeAhead(): void {
    const known = this.known.take();
    this.appendEvent({ ...this.head, stop: 'more' }, NOTHING, NOTHING, known);
  }

  private settle(atLeast = 0): void {
    if (!this.writes.any) return;
    this.writes.settle(atLeast, (space, address, bytes) => {
      const { id } = this.spaceRecord(space);
      let at = address;
      for (const part of parts(bytes)) {
        this.add({ op: 'write', space: id, address: at, bytes: part });
        at += part.length;
      }
    });
  }

  /** Somebody else runs now: who ran last is left with what the kernel has told it. */
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
    this.nextHash = this.head.time + this.hashInterval;
    this.emit({ op: 'hash', space: id, hash: this.hashers.hash(space, 'own') });
  }

  private endEvent(): void {
    this.appendEvent(this.head, this.known.view(), this.inputs.view(), this.effects.view());
    this.known.clear();
    this.inputs.clear();
    this.effects.clear();
    this.isSplit = false;
  }

  /** The event goes on in another one at the same time. */
  private splitEvent(): void {
    this.endEvent();
    this.head = { ...this.head, stop: 'more' };
    this.isSplit = true;
  }

  private appendEvent(head: EventHead, known: Uint8Array, inputs: Uint8Array, effects: Uint8Array): void {
    this.chunks.append(head, known, inputs, effects);
    this.count++;
  }

  protected spaceRecord(space: MappedSpace): RecordedSpace {
    const record = this.spaces.get(space);
    assert(record !== undefined, 'every address space is known');
    return record;
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

  private nextSpace: number;
  private nextTask: number;
  private nextProcess: number;
}

/** What was read is recorded as a whole, so that it can be found there (branch/laterReads.ts). */
function bytesRead(call: number, result: number): number {
  return (call === READ || call === RECVFROM) && result > 0 ? result : 0;
}

function* parts(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += WRITE_BYTES) yield bytes.subarray(at, at + WRITE_BYTES);
}
