/**
 * What the recorded kernel knew at a place in the log: processes, threads, open files. It is put together from the
 * notes in the log alone, without running anything.
 */
import { UserError } from '../../base/errors.js';
import { parseJson } from '../../base/json.js';
import { isReading, LedgerPipes } from './ledgerPipes.js';
import type { Effect } from './effects.js';
import type { EventLog, LogPlace } from './eventLog.js';
import type { RecordedEvent } from './events.js';
import type { Input } from './inputs.js';
import type { FactsOf, FileFacts, ProcessFacts, ProgramFacts, Subject, TaskFacts, WorldFacts } from './kernelFacts.js';
import { RAX, RDI, RSI } from '../../layout/cpuState.js';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';

export interface LedgerCall {
  readonly number: number;
  readonly registers: Uint8Array;
  readonly inputs: readonly Input[];
  /** Which event it came with. */
  readonly since: number;
  /** What it will return, if that is known already. */
  result?: number;
  /** Until when it waits at most. */
  deadline?: number;
}

export interface LedgerTask {
  readonly id: number;
  facts: TaskFacts;
  /** Instructions it has retired. */
  instructions: number;
  /** In a system call that has not returned. */
  call: LedgerCall | undefined;
}

export interface LedgerProcess {
  readonly id: number;
  facts: ProcessFacts;
  program: ProgramFacts;
  /** Instructions of threads that are gone. */
  endedInstructions: number;
  /** What the first thread ended with, if it has ended before the others. */
  leaderCode: number | undefined;
}

export interface LedgerFile {
  readonly id: number;
  facts: FileFacts;
  position: number;
}

interface LedgerDescriptor {
  readonly file: number;
  readonly closeOnExec: boolean;
}

/** F_SETLK, F_SETLKW, and the same for open file descriptions. */
const LOCK_COMMANDS: ReadonlySet<number> = new Set([6, 7, 37, 38]);

export class Ledger {
  world: WorldFacts | undefined;
  readonly processes = new Map<number, LedgerProcess>();
  readonly tasks = new Map<number, LedgerTask>();
  readonly files = new Map<number, LedgerFile>();
  /** Descriptors by table and number. */
  readonly tables = new Map<number, Map<number, LedgerDescriptor>>();
  /** Processes that have ended, by their number in the recording. */
  readonly ended = new Map<number, { readonly pid: number; readonly code: number; readonly signal: number }>();
  /** System calls that were made, by number. */
  readonly calls = new Set<number>();
  /** A process has asked for a lock on a file. Who has which is not noted. */
  usesLocks = false;
  readonly pipes = new LedgerPipes();
  /** What waits to be read from sockets, by file. */
  readonly sockets = new LedgerPipes();
  largestTid = 0;
  /** The largest number of a process, also of those that are gone. */
  processCount = 0;
  /** Events so far, and the time of the last. */
  private count = 0;
  private time = 0;

  /** Everything up to `place`. */
  static at(log: EventLog, place: LogPlace): Ledger {
    const ledger = new Ledger();
    const cursor = log.cursor();
    while (isBefore(log, cursor.place, place)) {
      const event = cursor.next();
      if (event === undefined) break;
      ledger.add(event);
    }
    return ledger;
  }

  /** The next event has happened. */
  add(event: RecordedEvent): void {
    this.count++;
    const task = this.tasks.get(event.task);
    if (task !== undefined && event.stop !== 'more') {
      task.instructions += event.time - this.time;
      if (event.stop === 'syscall') this.callMade(task, event);
    }
    this.time = event.time;
    for (const effect of event.effects) this.note(effect);
  }

  /** What a descriptor of a task's process refers to. */
  fileOf(task: number, fd: number): LedgerFile | undefined {
    const process = this.processes.get(this.tasks.get(task)?.facts.process ?? 0);
    const file = this.tables.get(process?.facts.table ?? 0)?.get(fd)?.file;
    return file === undefined ? undefined : this.files.get(file);
  }

  private callMade(task: LedgerTask, { registers, effects }: RecordedEvent): void {
    const number = new DataView(registers.buffer, registers.byteOffset).getUint32(RAX.offset, true);
    const inputs = effects.filter((effect) => effect.op === 'input');
    task.call = { number, since: this.count, registers, inputs };
    this.calls.add(number);
    this.usesLocks ||= asksForLock(number, registers);
  }

  private note(effect: Effect): void {
    switch (effect.op) {
      case 'facts':
        this.setFacts(effect.subject, effect.id, effect.facts);
        return;
      case 'descriptor': {
        const table = entry(this.tables, effect.table, () => new Map<number, LedgerDescriptor>());
        if (effect.file === 0) table.delete(effect.fd);
        else table.set(effect.fd, effect);
        return;
      }
      case 'position':
        this.moved(entry(this.files, effect.file, () => unknownFile(effect.file)), effect.position);
        return;
      case 'waits': {
        const task = this.tasks.get(effect.task);
        if (task?.call !== undefined) task.call.deadline = effect.deadline;
        return;
      }
      case 'woken': {
        const task = this.tasks.get(effect.task);
        if (task?.call === undefined) return;
        task.call.result = effect.result;
        this.pipeUsed(task, effect.result);
        return;
      }
      case 'result': {
        const task = this.tasks.get(effect.task);
        if (task?.call === undefined) return;
        if (task.call.result === undefined) this.pipeUsed(task, effect.result);
        task.call = undefined;
        return;
      }
      case 'run': {
        const task = this.tasks.get(effect.task);
        if (task !== undefined) task.call = undefined;
        return;
      }
      case 'taskEnd':
        this.taskEnded(effect.task, effect.code);
        return;
      case 'processEnd':
        this.processEnded(effect.process, effect.code, effect.signal);
        return;
    }
  }

  private moved(file: LedgerFile, position: number): void {
    file.position = position;
    if (file.facts.kind === 'pipe') this.pipes.setFilled(file.facts.pipe, position);
    if (file.facts.kind === 'stream') this.sockets.setFilled(file.id, position);
  }

  /** A system call that may have written to a pipe or a socket, or read from one, has its result. */
  private pipeUsed({ id, call }: LedgerTask, result: number): void {
    if (call === undefined || result <= 0) return;
    const registers = new DataView(call.registers.buffer, call.registers.byteOffset);
    const file = this.fileOf(id, registers.getInt32(RDI.offset, true));
    const facts = file?.facts;
    if (facts?.kind === 'pipe') this.pipes.used(facts.pipe, call, result);
    if (facts?.kind === 'stream') this.sockets.used(isReading(call) ? (file?.id ?? 0) : (facts.socket.peer ?? 0), call, result);
  }

  private setFacts(subject: Subject, id: number, text: string): void {
    const facts = parseFacts(text);
    switch (subject) {
      case 'world':
        this.world = facts as WorldFacts;
        return;
      case 'program':
        entry(this.processes, id, () => unknownProcess(id)).program = facts as ProgramFacts;
        return;
      case 'process':
        this.processCount = Math.max(this.processCount, id);
        entry(this.processes, id, () => unknownProcess(id)).facts = facts as ProcessFacts;
        return;
      case 'task': {
        const known = facts as TaskFacts;
        this.largestTid = Math.max(this.largestTid, known.tid);
        entry(this.tasks, id, () => ({ id, facts: known, instructions: 0, call: undefined })).facts = known;
        return;
      }
      case 'file':
        entry(this.files, id, () => unknownFile(id)).facts = facts as FileFacts;
        return;
    }
  }

  private taskEnded(id: number, code: number): void {
    const task = this.tasks.get(id);
    const process = this.processes.get(task?.facts.process ?? 0);
    if (task !== undefined && process !== undefined) {
      process.endedInstructions += task.instructions;
      if (task.facts.isLeader) process.leaderCode = code;
    }
    this.tasks.delete(id);
  }

  private processEnded(id: number, code: number, signal: number): void {
    const process = this.processes.get(id);
    if (process !== undefined) this.ended.set(id, { pid: process.facts.pid, code, signal });
    this.processes.delete(id);
  }
}

function asksForLock(number: number, registers: Uint8Array): boolean {
  const name = SYSCALL_NAMES[number];
  if (name !== 'fcntl') return name === 'flock';
  return LOCK_COMMANDS.has(new DataView(registers.buffer, registers.byteOffset).getUint32(RSI.offset, true));
}

function unknownFile(id: number): LedgerFile {
  return { id, facts: { kind: 'other', path: 'a file', flags: 0 }, position: 0 };
}

/** Complete as soon as all its facts have come, which is within one event. */
function unknownProcess(id: number): LedgerProcess {
  return { id, endedInstructions: 0, leaderCode: undefined } as LedgerProcess;
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

export function parseFacts(text: string): FactsOf[Subject] {
  try {
    return parseJson(text) as FactsOf[Subject];
  } catch {
    throw new UserError('the recording is damaged: facts about processes make no sense');
  }
}

/**
 * Whether something of the log lies between a place and one after it. The end of a chunk is the beginning of the next.
 */
export function isBefore(log: EventLog, place: LogPlace, other: LogPlace): boolean {
  if (place.chunk === other.chunk) return place.at < other.at;
  if (place.chunk > other.chunk) return false;
  return other.at > 0 || place.chunk + 1 < other.chunk || place.at < log.payload(place.chunk).length;
}
