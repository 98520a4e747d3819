/**
 * What the kernel did, gone through backward: what is wanted after it, of threads and memory, is wanted of others
 * before
 * it, or of the system call, or no more.
 */
import { CELLS } from '../../ir/dependences/cells.js';
import { GPR, RAX, RBP, RBX, RCX, RDI, RDX, RSI, RSP, type Slot, XMM } from '../../layout/cpuState.js';
import type { ChannelPlace, KernelChange } from '../../replay/timeline/observing.js';
import type { StretchEvent, SystemCall } from '../trace/stretch.js';
import type { ChannelWants } from './channelWants.js';
import { linearOf, type MemoryWants } from './memoryWants.js';
import type { ThreadWants } from './threadWants.js';
import type { WanterSet } from './wanters.js';

interface Wants {
  thread(id: number): ThreadWants;
  memory(space: number): MemoryWants;
  readonly channels: ChannelWants;
  /** Bytes that a function takes for a saved register are something else. */
  withoutRestores(set: WanterSet): WanterSet;
  /** Who wants what a system call uses: its node. NO_WANTERS: that is not asked for. */
  callerOf(call: SystemCall): WanterSet;
  /** Whether all that it uses is asked for. */
  isSeed(call: SystemCall, thread: number): boolean;
  /** What a system call has looked at in memory is used by it. */
  noteQuestion(instance: number, space: number, linear: number, bytes: number): void;
  /** What a system call has brought from outside is wanted. */
  noteInput(instance: number, name: string): void;
}

/** Someone wants what the kernel did for a system call. */
type WantCall = (instance: number, wanters: WanterSet) => void;
type Change = Extract<StretchEvent, { readonly happening?: undefined }>;

/** All of linear memory. */
const EVERYTHING = 0x8000_0000;
/** What the kernel sets for a handler of a signal: these, and all of SSE and x87. Others stay as they are. */
const FIRST_FLOAT = XMM[0]?.offset ?? CELLS;
export const SET_FOR_HANDLERS: readonly number[] = [
  ...[RAX, RDI, RSI, RDX, RSP].flatMap(({ offset }) => Array.from({ length: 8 }, (_, i) => offset + i)),
  ...Array.from({ length: CELLS - FIRST_FLOAT }, (_, i) => FIRST_FLOAT + i),
];

/** General registers in a ucontext_t, in its order, and where they begin; by cell, where each byte lies. */
const IN_CONTEXT: readonly Slot[] = [...GPR.slice(8), RDI, RSI, RBP, RBX, RDX, RAX, RCX, RSP];
const CONTEXT_REGISTERS = 40;
const PLACE_IN_CONTEXT: readonly number[] = IN_CONTEXT.reduce<number[]>((places, { offset }, i) => {
  for (let k = 0; k < 8; k++) places[offset + k] = CONTEXT_REGISTERS + i * 8 + k;
  return places;
}, []);

/** Cells of general registers, and where they lie in a ucontext_t. */
export function eachInContext(visit: (cell: number, place: number) => void): void {
  PLACE_IN_CONTEXT.forEach((place, cell) => visit(cell, place));
}

export class KernelWants {
  /** Of handlers that are gone through: what is wanted of the registers as they are after it, and were before. */
  private readonly aside = new Map<number, readonly [cell: number, wanters: WanterSet][]>();

  constructor(private readonly wants: Wants) {}

  undo({ change, instance, made, handler, frame }: Change, wantCall: WantCall): void {
    const { wants } = this;
    switch (change.kind) {
      case 'write':
        return this.undoWrite(change, instance, made, (set) => wantCall(instance, set));
      case 'ask':
        return wants.noteQuestion(instance, change.space, linearOf(change.address), change.bytes);
      case 'send':
        return this.undoSend(change, made, (set) => wantCall(instance, set));
      case 'pass': {
        const { from, to, bytes } = change;
        wants.channels.take(to.channel, to.position, bytes, (position, set) => {
          wantCall(instance, set);
          if (made !== undefined) wants.channels.add(from.channel, position - to.position + from.position, wants.callerOf(made));
        });
        return this.useAll(change.task, made, from, bytes);
      }
      case 'cut':
        return wants.channels.take(change.at.channel, change.at.position, Infinity, () => undefined);
      case 'replace': {
        const { file, address } = change;
        return this.take(change.space, address, change.bytes, (at, set) => {
          if (file !== undefined) wants.channels.add(file.channel, file.position + at - linearOf(address), set);
        });
      }
      case 'refresh':
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
        return this.undoReturn(wants.thread(change.task), handler, frame);
      case 'handler':
        return this.beginHandler(wants.thread(change.task), handler, frame, (set) => wantCall(instance, set));
    }
  }

  /** What was received is what was sent. */
  private undoWrite({ task, space, address, bytes, from, input }: Extract<KernelChange, { kind: 'write' }>, instance: number, made: SystemCall | undefined, wantCall: (wanters: WanterSet) => void): void {
    const { wants } = this;
    this.take(space, address, bytes, (at, set) => {
      wantCall(set);
      if (input !== undefined) wants.noteInput(instance, input);
      if (from !== undefined && made !== undefined) wants.channels.add(from.channel, from.position + at - linearOf(address), wants.callerOf(made));
    });
    if (from !== undefined) this.useAll(task, made, from, bytes);
  }

  /** A system call that is asked for uses all that it receives. */
  private useAll(thread: number, made: SystemCall | undefined, { channel, position }: ChannelPlace, bytes: number): void {
    const { wants } = this;
    if (made === undefined || !wants.isSeed(made, thread)) return;
    const own = wants.callerOf(made);
    for (let i = 0; i < bytes; i++) wants.channels.add(channel, position + i, own);
  }

  private undoSend({ task, space, address, bytes, to }: Extract<KernelChange, { kind: 'send' }>, made: SystemCall | undefined, wantCall: (wanters: WanterSet) => void): void {
    const { wants } = this;
    const memory = wants.memory(space);
    wants.channels.take(to.channel, to.position, bytes, (position, set) => {
      wantCall(set);
      if (made !== undefined) memory.add(linearOf(address + position - to.position), 1, wants.callerOf(made));
    });
    if (made !== undefined && wants.isSeed(made, task)) memory.add(linearOf(address), bytes, wants.callerOf(made));
  }

  /** General registers are what the handler left of them in memory, others what they were. */
  private undoReturn(thread: ThreadWants, handler: number, frame: Change['frame']): void {
    const all = thread.take();
    if (frame === undefined) return void this.aside.set(handler, all);
    const isSaved = (cell: number): boolean => PLACE_IN_CONTEXT[cell] !== undefined;
    this.aside.set(handler, all.filter(([cell]) => !isSaved(cell)));
    const memory = this.wants.memory(frame.space);
    for (const [cell, set] of all) if (isSaved(cell)) memory.add(linearOf(frame.context + (PLACE_IN_CONTEXT[cell] as number)), 1, set);
  }

  private beginHandler(thread: ThreadWants, handler: number, frame: Change['frame'], wantCall: (wanters: WanterSet) => void): void {
    for (const cell of SET_FOR_HANDLERS) {
      const set = thread.at(cell);
      if (set === 0) continue;
      thread.clear(cell);
      wantCall(set);
    }
    for (const [cell, set] of this.aside.get(handler) ?? []) thread.add(cell, set);
    this.aside.delete(handler);
    if (frame === undefined) return;
    PLACE_IN_CONTEXT.forEach((place, cell) => {
      this.take(frame.space, frame.context + place, 1, (_, set) => thread.add(cell, set));
    });
  }

  private take(space: number, address: number, bytes: number, taken: (linear: number, wanters: WanterSet) => void): void {
    this.wants.memory(space).take(linearOf(address), bytes, (at, set) => taken(at, this.wants.withoutRestores(set)));
  }
}
