/**
 * The bytes of a stored state: numbers in the encoding of events (log/). They are good for versions of culprit with the
 * same layout of CPU state and page bits, which the fingerprint at their start tells. Damage is found by the checksum
 * of the chunk they are in; what is refused here (BadState) is nonsense that would lead us astray.
 */
import { UserError } from '../../base/errors.js';
import { PAGE_SIZE, USER_SPACE_END } from '../../base/types.js';
import { CC } from '../../ir/flags.js';
import * as cpuState from '../../layout/cpuState.js';
import { PAGE_TABLE_ENTRIES } from '../../layout/memoryMap.js';
import { PAGE } from '../../machine/pages.js';
import { stateBits } from '../../machine/snapshots/pageTable.js';
import { crc32 } from '../format/crc32.js';
import { isPossibleView, pagesOfView, type View } from '../../machine/views.js';
import { readEffect, readMapping, type RecordedMapping, writeEffect, writeMapping } from '../log/effects.js';
import { LogReader } from '../log/logReader.js';
import { LogWriter } from '../log/logWriter.js';
import { RUN_WORDS } from '../log/registerWords.js';
import type { TaskFacts } from '../play/worldState.js';
import type { FlatObject, FlatSpace, FlatState, PageRun } from './flatState.js';

/** To be raised when the bytes mean something else than before. */
const VERSION = 1;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** Bits that a page of a snapshot may have. */
const PAGE_BITS = PAGE.PROT | PAGE.CLAIMED | PAGE.ABSENT | PAGE.WRITTEN | PAGE.EXACT | PAGE.DIRTY;

/** Bytes that are no state, or one of another version of culprit. */
export class BadState extends UserError {}

/** Everything that decides what the bytes of a state mean. */
function fingerprint(): number {
  const layout = Object.entries(cpuState).sort(([a], [b]) => (a < b ? -1 : 1));
  return crc32(new TextEncoder().encode(JSON.stringify([VERSION, RUN_WORDS, PAGE, CC, layout])));
}

export function writeState(state: FlatState): Uint8Array<ArrayBuffer> {
  const w = new LogWriter(64 * 1024);
  const { place, clock, current } = state;
  nums(w, fingerprint(), state.time, state.doneHere, state.lastEvent, place.chunk, place.at, place.time, state.expected ? 1 : 0);
  nums(w, current === undefined ? 0 : current + 1, clock.elapsed, clock.lastStamp);
  each(w, state.threads, (facts) => writeEffect(w, facts));
  each(w, state.tasks, ({ id, space, words }) => {
    nums(w, id, space);
    w.raw(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
  });
  each(w, state.objects, (object) => writeObject(w, object));
  each(w, state.spaces, (space) => writeSpace(w, space));
  return w.take();
}

function nums(w: LogWriter, ...numbers: readonly number[]): void {
  for (const number of numbers) w.num(number);
}

function each<T>(w: LogWriter, items: readonly T[], write: (item: T) => void): void {
  w.num(items.length);
  items.forEach(write);
}

function writeObject(w: LogWriter, { facts, size, pages }: FlatObject): void {
  nums(w, facts.object, facts.device, facts.inode, facts.blob, size);
  w.text(facts.path);
  each(w, pages, ({ index, contents }) => nums(w, index, contents));
}

function writeSpace(w: LogWriter, space: FlatSpace): void {
  nums(w, space.id, Math.min(space.stackLimit, NO_LIMIT), space.peakResidentPages, space.peakMapped);
  each(w, space.reserved, ({ start, end }) => nums(w, start, end));
  each(w, space.mappings, (m) => writeMapping(w, m));
  each(w, space.views, ({ begin, size, real }) => nums(w, begin, size, real));
  each(w, space.unpublished, (page) => w.num(page));
  let end = 0;
  each(w, space.runs, ({ first, length, state, contents }) => {
    nums(w, first - end, length, state, contents);
    end = first + length;
  });
}

/** Throws a BadState, or whatever reading numbers throws (a UserError). */
export function readState(bytes: Uint8Array): FlatState {
  const r = new LogReader(bytes);
  check(r.num() === fingerprint(), 'is of another version of culprit');
  const [time, doneHere, lastEvent] = [r.num(), r.num(), r.num()];
  const place = { chunk: r.num(), at: r.num(), time: r.num() };
  const [expected, currentNumber] = [r.num() !== 0, r.num()];
  const current = currentNumber === 0 ? undefined : currentNumber - 1;
  const clock = { elapsed: r.num(), lastStamp: r.num() };
  const threads = list(r, () => readFacts(r));
  const tasks = list(r, () => ({ id: r.num(), space: r.num(), words: readTaskWords(r) }));
  const objects = list(r, () => readObject(r));
  const spaces = list(r, () => readSpace(r));
  check(r.isAtEnd);
  const state: FlatState = { time, doneHere, lastEvent, place, expected, current, clock, threads, tasks, objects, spaces };
  checkReferences(state);
  return state;
}

function list<T>(r: LogReader, read: () => T): T[] {
  const items: T[] = [];
  for (let left = r.num(); left > 0; left--) items.push(read());
  return items;
}

function readFacts(r: LogReader): TaskFacts {
  const effect = readEffect(r);
  check(effect?.op === 'task');
  return effect;
}

function readTaskWords(r: LogReader): Uint32Array {
  const bytes = Uint8Array.from(r.raw(RUN_WORDS * 4));
  return new Uint32Array(bytes.buffer);
}

function readObject(r: LogReader): FlatObject {
  const [object, device, inode, blob, size, path] = [r.num(), r.num(), r.num(), r.num(), r.num(), r.text()];
  return { facts: { object, device, inode, blob, path }, size, pages: list(r, () => ({ index: r.num(), contents: r.num() })) };
}

function readSpace(r: LogReader): FlatSpace {
  const [id, limit, peakResidentPages, peakMapped] = [r.num(), r.num(), r.num(), r.num()];
  const reserved = list(r, () => ({ start: r.num(), end: r.num() }));
  const mappings = list(r, () => readMapping(r));
  checkMappings(mappings);
  const views = list(r, () => ({ begin: r.num(), size: r.num(), real: r.num() }));
  checkViews(views);
  const unpublished = list(r, () => r.num());
  let end = 0;
  const runs = list(r, () => {
    const [gap, length, state, contents] = [r.num(), r.num(), r.num(), r.num()];
    const run = { first: end + gap, length, state, contents };
    checkRun(run);
    end = run.first + length;
    return run;
  });
  return { id, stackLimit: limit === NO_LIMIT ? Infinity : limit, peakResidentPages, peakMapped, reserved, mappings, views, unpublished, runs };
}

/** No two on the same page, and none so large that to find that out takes long. */
function checkViews(views: readonly View[]): void {
  const taken = new Set<number>();
  for (const view of views) {
    check(isPossibleView(view));
    for (const page of pagesOfView(view)) {
      check(!taken.has(page));
      taken.add(page);
    }
  }
}

/** In order, of whole pages, and none over another. */
function checkMappings(mappings: readonly RecordedMapping[]): void {
  let last = 0;
  for (const { start, end, prot } of mappings) {
    check(start >= last && start < end && end <= USER_SPACE_END && start % PAGE_SIZE === 0 && end % PAGE_SIZE === 0 && prot <= PAGE.PROT);
    last = end;
  }
}

/** The last linear page belongs to no guest page. */
function checkRun({ first, length, state }: PageRun): void {
  check(length > 0 && first + length < PAGE_TABLE_ENTRIES && state <= 0xffff_ffff);
  check((stateBits(state) & ~PAGE_BITS) === 0 && (state === 0 || (stateBits(state) & PAGE.CLAIMED) !== 0));
}

function checkReferences({ current, tasks, objects, spaces }: FlatState): void {
  const known = { spaces: new Set(spaces.map(({ id }) => id)), tasks: new Set(tasks.map(({ id }) => id)), objects: new Set(objects.map(({ facts }) => facts.object)) };
  check(known.spaces.size === spaces.length && known.objects.size === objects.length && (current === undefined || known.tasks.has(current)));
  for (const { id, space } of tasks) check(known.spaces.has(space) || id !== current);
  for (const { mappings } of spaces) for (const { object } of mappings) check(object === undefined || known.objects.has(object));
}

function check(condition: boolean, what = 'makes no sense'): asserts condition {
  if (!condition) throw new BadState(`a stored checkpoint ${what}`);
}
