/**
 * What the kernel did to the machine between two stretches of guest code, as it stands in a
 * recording. Doing the same again, in order, is all that replay needs of a kernel. Notes change
 * nothing: they tell people what happened.
 */
import { unreachable } from '../../base/assert.js';
import type { GuestAddr } from '../../base/types.js';
import type { Mapping } from '../../machine/mapping.js';
import type { View } from '../../machine/views.js';
import { type Input, readInput } from './inputs.js';
import { type KernelNote, SUBJECTS } from './kernelFacts.js';
import type { LogReader } from './logReader.js';
import type { LogWriter } from './logWriter.js';

/** A mapping as it is recorded: its file is a number. */
export interface RecordedMapping extends Omit<Mapping, 'file'> {
  readonly object?: number;
}

export type Effect =
  /** Bytes stored into guest memory. */
  | { readonly op: 'write'; readonly space: number; readonly address: number; readonly bytes: Uint8Array }
  | { readonly op: 'map'; readonly space: number; readonly mapping: RecordedMapping }
  | { readonly op: 'unmap' | 'discard' | 'forget'; readonly space: number; readonly start: number; readonly length: number }
  | { readonly op: 'protect'; readonly space: number; readonly start: number; readonly length: number; readonly prot: number }
  | { readonly op: 'inCopy'; readonly space: number; readonly start: number; readonly length: number; readonly inCopy: Mapping['inCopy'] }
  | { readonly op: 'copyPages'; readonly space: number; readonly from: number; readonly to: number; readonly length: number }
  /** The space becomes a copy of another one. */
  | { readonly op: 'copySpace'; readonly space: number; readonly from: number }
  | { readonly op: 'clear'; readonly space: number }
  /** Memory is shown at addresses of its own (machine/views.ts), or no more. */
  | { readonly op: 'view'; readonly space: number; readonly view: View }
  | { readonly op: 'unview'; readonly space: number; readonly begin: number }
  /** What functions with hooks did, in the stretch of code that follows (hookAnswers.ts). */
  | { readonly op: 'hooks'; readonly space: number; readonly answers: Uint8Array }
  | { readonly op: 'stackLimit'; readonly space: number; readonly bytes: number }
  /** A shared page that was written goes to its object. */
  | { readonly op: 'clean'; readonly space: number; readonly page: number }
  /** Something that can be mapped: a file with its contents in a blob, or (blob 0) nothing but zeros. */
  | { readonly op: 'object'; readonly object: number; readonly path: string; readonly device: number; readonly inode: number; readonly size: number; readonly blob: number }
  /** Other bytes in an object than replay would know of. */
  | { readonly op: 'patch'; readonly object: number; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly op: 'objectSize'; readonly object: number; readonly size: number }
  /** The guest's clock moved by more than instructions. */
  | { readonly op: 'clock'; readonly nanoseconds: number }
  /** Who runs next, where, and which words of its CPU state differ from what it stopped with. */
  | { readonly op: 'run'; readonly task: number; readonly space: number; readonly words: readonly (readonly [index: number, value: number])[] }
  /** A new task, which has not run yet: all of its CPU state that is not zero. */
  | { readonly op: 'registers'; readonly task: number; readonly space: number; readonly words: readonly (readonly [index: number, value: number])[] }
  /**
   * What the kernel read from the program's memory. All of an event come first: memory is still as the program left it.
   * Between them are only facts about files (object, patch, objectSize) that had to be known to read.
   */
  | ({ readonly op: 'input' } & Input)
  /** The state of all memory and registers here, to be compared. */
  | { readonly op: 'hash'; readonly space: number; readonly hash: string }
  | Note;

export type Note =
  | { readonly op: 'task'; readonly task: number; readonly process: number; readonly tid: number; readonly pid: number; readonly name: string }
  | { readonly op: 'taskEnd'; readonly task: number; readonly code: number }
  | { readonly op: 'process'; readonly process: number; readonly pid: number; readonly parent: number }
  | { readonly op: 'program'; readonly process: number; readonly exe: string; readonly args: readonly string[] }
  /** `signal` is 0 if it exited with `code`. */
  | { readonly op: 'processEnd'; readonly process: number; readonly code: number; readonly signal: number }
  | { readonly op: 'result'; readonly task: number; readonly number: number; readonly result: number }
  | { readonly op: 'signal'; readonly task: number; readonly signal: number; readonly code: number; readonly handled: boolean }
  | { readonly op: 'output'; readonly fd: number; readonly bytes: Uint8Array }
  | KernelNote;

/** Numbers in the file: never change them, only add. */
export const OP = {
  write: 1, map: 2, unmap: 3, discard: 4, forget: 5, protect: 6, inCopy: 7, copyPages: 8, copySpace: 9, clear: 10, stackLimit: 11, clean: 12,
  object: 13, patch: 14, objectSize: 15, clock: 16, run: 17, hash: 18, input: 19, registers: 20, view: 21, unview: 22, hooks: 23,
  task: 32, taskEnd: 33, process: 34, program: 35, processEnd: 36, result: 37, signal: 38, output: 39,
  facts: 48, descriptor: 49, position: 50, woken: 51, waits: 53,
} as const satisfies Record<Effect['op'], number>;

const NAMES = new Map<number, Effect['op']>(Object.entries(OP).map(([name, number]) => [number, name as Effect['op']]));

const IN_COPY: readonly Mapping['inCopy'][] = [undefined, 'zeros', 'nothing'];
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const HAS = { SHARED: 1, GROWS_DOWN: 2, OBJECT: 4, MAX_PROT: 8, ACCOUNTED: 16 } as const;

export function writeEffect(w: LogWriter, e: Effect): void {
  w.num(OP[e.op]);
  switch (e.op) {
    case 'write':
      return writeAll(w, [e.space, e.address], e.bytes);
    case 'map':
      w.num(e.space);
      return writeMapping(w, e.mapping);
    case 'unmap':
    case 'discard':
    case 'forget':
      return writeAll(w, [e.space, e.start, e.length]);
    case 'protect':
      return writeAll(w, [e.space, e.start, e.length, e.prot]);
    case 'inCopy':
      return writeAll(w, [e.space, e.start, e.length, IN_COPY.indexOf(e.inCopy)]);
    case 'copyPages':
      return writeAll(w, [e.space, e.from, e.to, e.length]);
    case 'copySpace':
      return writeAll(w, [e.space, e.from]);
    case 'clear':
      return w.num(e.space);
    case 'view':
      return writeAll(w, [e.space, e.view.begin, e.view.size, e.view.real]);
    case 'unview':
      return writeAll(w, [e.space, e.begin]);
    case 'hooks':
      return writeAll(w, [e.space], e.answers);
    case 'stackLimit':
      return writeAll(w, [e.space, Math.min(e.bytes, NO_LIMIT)]);
    case 'clean':
      return writeAll(w, [e.space, e.page]);
    case 'object':
      writeAll(w, [e.object, e.device, e.inode, e.size, e.blob]);
      return w.text(e.path);
    case 'patch':
      return writeAll(w, [e.object, e.offset], e.bytes);
    case 'objectSize':
      return writeAll(w, [e.object, e.size]);
    case 'clock':
      return w.num(e.nanoseconds);
    case 'run':
    case 'registers':
      writeAll(w, [e.task, e.space, e.words.length]);
      for (const word of e.words) writeAll(w, word);
      return;
    case 'input':
      return unreachable('inputs are written by who has the memory');
    case 'hash':
      w.num(e.space);
      return w.text(e.hash);
    default:
      return writeNote(w, e);
  }
}

function writeNote(w: LogWriter, e: Note): void {
  switch (e.op) {
    case 'task':
      writeAll(w, [e.task, e.process, e.tid, e.pid]);
      return w.text(e.name);
    case 'taskEnd':
      w.num(e.task);
      return w.signed(e.code);
    case 'process':
      return writeAll(w, [e.process, e.pid, e.parent]);
    case 'program':
      w.num(e.process);
      w.text(e.exe);
      w.num(e.args.length);
      for (const arg of e.args) w.text(arg);
      return;
    case 'processEnd':
      return writeAll(w, [e.process, e.code, e.signal]);
    case 'result':
      writeAll(w, [e.task, e.number]);
      return w.signed(e.result);
    case 'signal':
      writeAll(w, [e.task, e.signal, e.handled ? 1 : 0]);
      return w.signed(e.code);
    case 'output':
      return writeAll(w, [e.fd], e.bytes);
    case 'facts':
      writeAll(w, [SUBJECTS.indexOf(e.subject), e.id]);
      return w.text(e.facts);
    case 'descriptor':
      return writeAll(w, [e.table, e.fd, e.file, e.closeOnExec ? 1 : 0]);
    case 'position':
      return writeAll(w, [e.file, e.position]);
    case 'waits':
      return writeAll(w, [e.task, e.deadline]);
    case 'woken':
      writeAll(w, [e.task, e.number]);
      return w.signed(e.result);
  }
}

function writeAll(w: LogWriter, numbers: readonly number[], bytes?: Uint8Array): void {
  for (const number of numbers) w.num(number);
  if (bytes !== undefined) w.bytes(bytes);
}

export function writeMapping(w: LogWriter, m: RecordedMapping): void {
  const flags = (m.shared ? HAS.SHARED : 0) | (m.growsDown ? HAS.GROWS_DOWN : 0) | (m.object === undefined ? 0 : HAS.OBJECT) |
    (m.maxProt === undefined ? 0 : HAS.MAX_PROT) | (m.accounted === true ? HAS.ACCOUNTED : 0);
  writeAll(w, [m.start, m.end, m.prot, flags, m.fileOffset, m.device, m.inode, IN_COPY.indexOf(m.inCopy)]);
  if (m.object !== undefined) w.num(m.object);
  if (m.maxProt !== undefined) w.num(m.maxProt);
  w.text(m.name);
}

export function readMapping(r: LogReader): RecordedMapping {
  const start = r.num() as GuestAddr;
  const end = r.num() as GuestAddr;
  const [prot, flags, fileOffset, device, inode] = [r.num(), r.num(), r.num(), r.num(), r.num()];
  const inCopy = IN_COPY[r.num()];
  const object = (flags & HAS.OBJECT) === 0 ? undefined : r.num();
  const maxProt = (flags & HAS.MAX_PROT) === 0 ? undefined : r.num();
  return {
    start, end, prot, fileOffset, device, inode, name: r.text(),
    shared: (flags & HAS.SHARED) !== 0, growsDown: (flags & HAS.GROWS_DOWN) !== 0,
    ...(object === undefined ? {} : { object }), ...(maxProt === undefined ? {} : { maxProt }),
    ...((flags & HAS.ACCOUNTED) === 0 ? {} : { accounted: true }), ...(inCopy === undefined ? {} : { inCopy }),
  };
}

/** Undefined: an effect of a later version, which cannot be skipped. */
export function readEffect(r: LogReader): Effect | undefined {
  const op = NAMES.get(r.num());
  switch (op) {
    case undefined:
      return undefined;
    case 'write':
      return { op, space: r.num(), address: r.num(), bytes: r.bytes() };
    case 'map':
      return { op, space: r.num(), mapping: readMapping(r) };
    case 'unmap':
    case 'discard':
    case 'forget':
      return { op, space: r.num(), start: r.num(), length: r.num() };
    case 'protect':
      return { op, space: r.num(), start: r.num(), length: r.num(), prot: r.num() };
    case 'inCopy':
      return { op, space: r.num(), start: r.num(), length: r.num(), inCopy: IN_COPY[r.num()] };
    case 'copyPages':
      return { op, space: r.num(), from: r.num(), to: r.num(), length: r.num() };
    case 'copySpace':
      return { op, space: r.num(), from: r.num() };
    case 'clear':
      return { op, space: r.num() };
    case 'view':
      return { op, space: r.num(), view: { begin: r.num(), size: r.num(), real: r.num() } };
    case 'unview':
      return { op, space: r.num(), begin: r.num() };
    case 'hooks':
      return { op, space: r.num(), answers: r.bytes() };
    case 'stackLimit':
      return { op, space: r.num(), bytes: r.num() };
    case 'clean':
      return { op, space: r.num(), page: r.num() };
    case 'object':
      return { op, object: r.num(), device: r.num(), inode: r.num(), size: r.num(), blob: r.num(), path: r.text() };
    case 'patch':
      return { op, object: r.num(), offset: r.num(), bytes: r.bytes() };
    case 'objectSize':
      return { op, object: r.num(), size: r.num() };
    case 'clock':
      return { op, nanoseconds: r.num() };
    case 'run':
    case 'registers':
      return { op, task: r.num(), space: r.num(), words: readWords(r) };
    case 'input':
      return { op, ...readInput(r) };
    case 'hash':
      return { op, space: r.num(), hash: r.text() };
    default:
      return readNote(op, r);
  }
}

function readWords(r: LogReader): [number, number][] {
  const words: [number, number][] = [];
  for (let count = r.num(); count > 0; count--) words.push([r.num(), r.num()]);
  return words;
}

function readNote(op: Note['op'], r: LogReader): Note {
  switch (op) {
    case 'task':
      return { op, task: r.num(), process: r.num(), tid: r.num(), pid: r.num(), name: r.text() };
    case 'taskEnd':
      return { op, task: r.num(), code: r.signed() };
    case 'process':
      return { op, process: r.num(), pid: r.num(), parent: r.num() };
    case 'program':
      return { op, process: r.num(), exe: r.text(), args: readTexts(r) };
    case 'processEnd':
      return { op, process: r.num(), code: r.num(), signal: r.num() };
    case 'result':
      return { op, task: r.num(), number: r.num(), result: r.signed() };
    case 'signal':
      return { op, task: r.num(), signal: r.num(), handled: r.num() !== 0, code: r.signed() };
    case 'output':
      return { op, fd: r.num(), bytes: r.bytes() };
    case 'facts':
      return { op, subject: SUBJECTS[r.num()] ?? 'world', id: r.num(), facts: r.text() };
    case 'descriptor':
      return { op, table: r.num(), fd: r.num(), file: r.num(), closeOnExec: r.num() !== 0 };
    case 'position':
      return { op, file: r.num(), position: r.num() };
    case 'waits':
      return { op, task: r.num(), deadline: r.num() };
    case 'woken':
      return { op, task: r.num(), number: r.num(), result: r.signed() };
  }
}

function readTexts(r: LogReader): string[] {
  const texts: string[] = [];
  for (let count = r.num(); count > 0; count--) texts.push(r.text());
  return texts;
}
