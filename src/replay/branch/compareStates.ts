/** What is different between two states of a program: registers and memory, as a list. */
import { PAGE_SIZE } from '../../base/types.js';
import { FS_BASE, GPR, GS_BASE, MXCSR, RIP, type Slot, XMM } from '../../layout/cpuState.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import { linearOffset } from '../../machine/addressSpaceAccess.js';
import type { PlayedWorld } from '../play/playedWorld.js';

/** A program at one time. Names of spaces and threads are the same for the same ones. */
export interface ComparableState {
  readonly spaces: ReadonlyMap<string, AddressSpace>;
  /** CPU state of each thread, in words of 32 bits. */
  readonly threads: ReadonlyMap<string, Uint32Array>;
}

/** What the recording's numbers are called. */
export function spaceName(id: number): string {
  return `space ${id}`;
}

export function threadName(id: number): string {
  return `thread ${id}`;
}

/** Of a recording at the time where its player stands. */
export function stateOf({ spaces, tasks }: PlayedWorld): ComparableState {
  const mapped = [...spaces].filter(([, { machine }]) => machine.space.mappings().length > 0);
  return {
    spaces: new Map(mapped.map(([id, { machine }]) => [spaceName(id), machine.space])),
    threads: new Map([...tasks].map(([id, task]) => [threadName(id), spaces.get(task.space)?.wordsOf(task) ?? task.words])),
  };
}

interface RegisterDifference {
  readonly thread: string;
  readonly register: string;
  readonly values: readonly [bigint, bigint];
}

interface MemoryDifference {
  readonly space: string;
  readonly start: number;
  readonly end: number;
  /** Whether both have other bytes there, or only one of them (0 or 1) has memory there. */
  readonly kind: 'changed' | 'only in first' | 'only in second';
}

export interface Differences {
  readonly registers: readonly RegisterDifference[];
  readonly memory: readonly MemoryDifference[];
  /** Threads and spaces that only one of them has. */
  readonly onlyInFirst: readonly string[];
  readonly onlyInSecond: readonly string[];
}

const REGISTERS: readonly Slot[] = [RIP, ...GPR, FS_BASE, GS_BASE, MXCSR, ...XMM];

export function compareStates(first: ComparableState, second: ComparableState): Differences {
  const names = (state: ComparableState): string[] => [...state.spaces.keys(), ...state.threads.keys()];
  const [ofFirst, ofSecond] = [names(first), names(second)];
  return {
    registers: [...first.threads].flatMap(([thread, words]) => compareRegisters(thread, words, second.threads.get(thread))),
    memory: [...first.spaces].flatMap(([space, memory]) => compareMemory(space, memory, second.spaces.get(space))),
    onlyInFirst: ofFirst.filter((name) => !ofSecond.includes(name)),
    onlyInSecond: ofSecond.filter((name) => !ofFirst.includes(name)),
  };
}

function compareRegisters(thread: string, first: Uint32Array, second: Uint32Array | undefined): RegisterDifference[] {
  if (second === undefined) return [];
  return REGISTERS.flatMap(({ name, offset, type }) => {
    const length = type === 'v128' ? 4 : type === 'i64' ? 2 : 1;
    const values = [wide(first, offset / 4, length), wide(second, offset / 4, length)] as const;
    return values[0] === values[1] ? [] : [{ thread, register: name, values }];
  });
}

function wide(words: Uint32Array, at: number, length: number): bigint {
  let value = 0n;
  for (let i = length - 1; i >= 0; i--) value = (value << 32n) | BigInt(words[at + i] as number);
  return value;
}

function compareMemory(space: string, first: AddressSpace, second: AddressSpace | undefined): MemoryDifference[] {
  if (second === undefined) return [];
  const found: MemoryDifference[] = [];
  const add = (start: number, end: number, kind: MemoryDifference['kind']): void => {
    const last = found.at(-1);
    if (last?.kind === kind && last.end === start) found[found.length - 1] = { ...last, end };
    else found.push({ space, start, end, kind });
  };
  for (const page of pagesOf(first, second)) comparePage(page, first, second, add);
  return found;
}

/** All pages that one of them has mapped, in order. */
function pagesOf(...spaces: readonly AddressSpace[]): number[] {
  const pages = new Set<number>();
  for (const space of spaces) {
    for (const m of space.mappings()) if (m.prot !== 0) for (let page: number = m.start; page < m.end; page += PAGE_SIZE) pages.add(page);
  }
  return [...pages].sort((a, b) => a - b);
}

function comparePage(page: number, first: AddressSpace, second: AddressSpace, add: (start: number, end: number, kind: MemoryDifference['kind']) => void): void {
  const mapped = [first, second].map((space) => space.find(page));
  if (mapped[1] === undefined) return add(page, page + PAGE_SIZE, 'only in first');
  if (mapped[0] === undefined) return add(page, page + PAGE_SIZE, 'only in second');
  const neither = !first.isResident(page) && !second.isResident(page);
  if (neither && mapped[0].file === undefined && mapped[1].file === undefined) return;
  const [a, b] = [contentsOf(first, page), contentsOf(second, page)];
  for (let i = 0; i < PAGE_SIZE; i++) {
    if (a[i] === b[i]) continue;
    const start = i;
    while (i < PAGE_SIZE && a[i] !== b[i]) i++;
    add(page + start, page + i, 'changed');
  }
}

/** What a page holds, or would if it were touched; nothing is touched. */
function contentsOf(space: AddressSpace, page: number): Uint8Array {
  if (space.isResident(page)) return space.linear.u8.subarray(linearOffset(page), linearOffset(page) + PAGE_SIZE);
  const bytes = new Uint8Array(PAGE_SIZE);
  const m = space.find(page);
  m?.file?.read(m.fileOffset + (page - m.start), bytes);
  return bytes;
}
