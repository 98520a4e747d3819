/**
 * gdb steps over a call by a breakpoint where it returns (back in time: where the function begins), and looks at the
 * frame at every hit. In a function that calls itself these are many, each of which costs packets. So hits that gdb
 * would pass are passed here: those deeper on the stack.
 *
 * Such a breakpoint is known by what gdb says: the last motion was a step into a function, or back to its return; since
 * then gdb has asked nothing that it asks when it stops for the user; it has inserted one breakpoint, at that place;
 * now it lets the program run.
 */
import { guestAddr } from '../base/types.js';
import type { Debuggee } from './debuggee.js';
import { valueOfBytes } from './hex.js';
import { SilentPasses } from './silentPasses.js';

/** Hits of a breakpoint that count: of this thread, and not deeper on the stack. */
export interface ReturnLimit {
  readonly address: number;
  readonly thread: number;
  readonly stack: bigint;
}

type Direction = 'forward' | 'backward';

/** What gdb says while a command of the user's goes on. */
const IN_BETWEEN = /^(?:[mxpg]|[Zz][01],|vCont;|bs|bc|Hc|QPassSignals:)/;
/** `ret`, with the prefixes that it may have. */
const RETURNS: readonly (readonly number[])[] = [[0xc3], [0xc2], [0xf3, 0xc3], [0xf2, 0xc3]];

export class StepOver {
  limit: ReturnLimit | undefined;
  private stepped: { readonly thread: number; readonly direction: Direction } | undefined;
  private inserted: number[] = [];
  readonly passes = new SilentPasses();

  heard(packet: string): void {
    if (IN_BETWEEN.test(packet)) return;
    this.passes.begin();
    this.stepped = undefined;
    this.limit = undefined;
  }

  hasInserted(address: number): void {
    this.inserted.push(address);
    this.passes.hasInserted(address);
  }

  hasRemoved(address: number): void {
    if (this.limit?.address === address) this.limit = undefined;
  }

  /** A step has been made as it was meant to be. */
  hasStepped(thread: number, direction: Direction): void {
    this.stepped = { thread, direction };
    this.inserted = [];
  }

  /** The program is about to run on; the client looks at `looked`. */
  goes(debuggee: Debuggee, direction: Direction, looked: number): void {
    this.stepsOver(debuggee, direction);
    const learned = direction === 'forward' ? this.passes.goes(debuggee, looked) : undefined;
    this.limit ??= learned;
  }

  private stepsOver(debuggee: Debuggee, direction: Direction): void {
    const { stepped, inserted: [address], inserted } = this;
    this.stepped = undefined;
    this.inserted = [];
    if (stepped?.direction !== direction || inserted.length !== 1 || address === undefined) return;
    const { thread } = stepped;
    const stack = debuggee.state.register(thread, 'rsp') ?? 0n;
    // The return address is popped when it returns; at the function's beginning it is on the stack.
    if (direction === 'forward' && returnAddress(debuggee, thread, stack) === address) this.limit = { address, thread, stack: stack + 8n };
    if (direction === 'backward' && isAtReturn(debuggee, thread)) this.limit = { address, thread, stack };
  }
}

function returnAddress({ state }: Debuggee, thread: number, stack: bigint): number {
  const bytes = state.read(thread, guestAddr(Number(stack)), 8);
  return bytes === null ? 0 : Number(valueOfBytes(bytes));
}

function isAtReturn({ state }: Debuggee, thread: number): boolean {
  const code = state.read(thread, guestAddr(Number(state.register(thread, 'rip') ?? 0n)), 2);
  return code !== null && RETURNS.some((bytes) => bytes.every((byte, i) => code[i] === byte));
}
