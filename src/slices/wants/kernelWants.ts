/**
 * What the kernel did, gone through backward: what is wanted after it, of threads and memory, is wanted of others
 * before it, or of the system call, or no more.
 */
import { CELLS } from '../../ir/dependences/cells.js';
import { RAX, RDI, RDX, RSI, RSP, XMM } from '../../layout/cpuState.js';
import type { StretchEvent } from '../trace/stretch.js';
import { linearOf, type MemoryWants } from './memoryWants.js';
import type { ThreadWants } from './threadWants.js';
import type { WanterSet } from './wanters.js';

interface Wants {
  thread(id: number): ThreadWants;
  memory(space: number): MemoryWants;
  /** Bytes that a function takes for a saved register are something else. */
  withoutRestores(set: WanterSet): WanterSet;
}

/** Someone wants what the kernel did for a system call. */
type WantCall = (instance: number, wanters: WanterSet) => void;
type Change = Extract<StretchEvent, { readonly happening?: undefined }>;

/** All of linear memory. */
const EVERYTHING = 0x8000_0000;
/** What the kernel sets for a handler of a signal: these, and all of SSE and x87. Others stay as they are. */
const FIRST_FLOAT = XMM[0]?.offset ?? CELLS;
const SET_FOR_HANDLERS: readonly number[] = [
  ...[RAX, RDI, RSI, RDX, RSP].flatMap(({ offset }) => Array.from({ length: 8 }, (_, i) => offset + i)),
  ...Array.from({ length: CELLS - FIRST_FLOAT }, (_, i) => FIRST_FLOAT + i),
];

export class KernelWants {
  /** Of handlers that are gone through: what is wanted of the registers as they are after it, and were before. */
  private readonly aside = new Map<number, readonly [cell: number, wanters: WanterSet][]>();

  constructor(private readonly wants: Wants) {}

  undo({ change, instance, handler }: Change, wantCall: WantCall): void {
    const { wants } = this;
    switch (change.kind) {
      case 'write':
        return this.take(change.space, change.address, change.bytes, (_, set) => wantCall(instance, set));
      case 'replace':
        return this.take(change.space, change.address, change.bytes, () => undefined);
      case 'clear':
        return this.take(change.space, 0, EVERYTHING, () => undefined);
      case 'move': {
        const moved = linearOf(change.from) - linearOf(change.to);
        return wants.memory(change.space).take(linearOf(change.to), change.bytes, (at, set) => wants.memory(change.space).add(at + moved, 1, set));
      }
      case 'copy':
        return wants.memory(change.space).take(0, EVERYTHING, (at, set) => wants.memory(change.from).add(at, 1, set));
      case 'thread':
        for (const [cell, set] of wants.thread(change.task).take()) wants.thread(change.by).add(cell, set);
        return;
      case 'program':
        wants.thread(change.task).take();
        return;
      case 'handled':
        this.aside.set(handler, wants.thread(change.task).take());
        return;
      case 'handler':
        this.beginHandler(wants.thread(change.task), handler, (set) => wantCall(instance, set));
    }
  }

  private beginHandler(thread: ThreadWants, handler: number, wantCall: (wanters: WanterSet) => void): void {
    for (const cell of SET_FOR_HANDLERS) {
      const set = thread.at(cell);
      if (set === 0) continue;
      thread.clear(cell);
      wantCall(set);
    }
    for (const [cell, set] of this.aside.get(handler) ?? []) thread.add(cell, set);
    this.aside.delete(handler);
  }

  private take(space: number, address: number, bytes: number, taken: (linear: number, wanters: WanterSet) => void): void {
    this.wants.memory(space).take(linearOf(address), bytes, (at, set) => taken(at, this.wants.withoutRestores(set)));
  }
}
