/**
 * gdb finishes a function by a breakpoint where it returns, and passes hits of it in other frames without a word to the
 * user: it looks at the frame, steps over the breakpoint and goes on. In a function that calls itself these are many,
 * and each costs seven packets. Nothing says that a breakpoint is of this kind, so it is learned: when gdb has passed
 * many hits in a row, those as deep on the stack or deeper are passed here.
 *
 * A breakpoint of the user's may be passed, too, by a condition that only gdb can evaluate. So only those are
 * considered that are new with this command, and where a function that is under way returns to.
 */
import { guestAddr } from '../base/types.js';
import type { Debuggee } from './debuggee.js';
import type { ReturnLimit } from './stepOver.js';

/** Passed in a row before we believe it. */
const ENOUGH = 16;
/** Bytes of the stack that are looked through for return addresses. */
const STACK_BYTES = 1 << 16;

interface BreakpointHit {
  readonly address: number;
  readonly thread: number;
  readonly stack: bigint;
}

export class SilentPasses {
  /** Addresses of breakpoints, of the command before and of this one. */
  private earlier: ReadonlySet<number> = new Set();
  private inserted = new Set<number>();
  /** Undefined until the program goes for the first time. */
  private candidates: ReadonlySet<number> | undefined;
  private last: BreakpointHit | undefined;
  private count = 0;
  private highest = 0n;

  /** Another command of the user's. */
  begin(): void {
    if (this.inserted.size > 0) this.earlier = this.inserted;
    this.inserted = new Set();
    this.candidates = undefined;
    this.last = undefined;
    this.count = 0;
  }

  hasInserted(address: number): void {
    this.inserted.add(address);
  }

  /** The client is told of a stop: at a breakpoint, or (undefined) of another kind. */
  hasStopped(hit: BreakpointHit | undefined): void {
    if (hit?.address !== this.last?.address || hit?.thread !== this.last?.thread) this.count = 0;
    if (this.count === 0) this.highest = 0n;
    this.last = hit;
  }

  /** The program goes on: hits that are to be passed. */
  goes(debuggee: Debuggee, thread: number): ReturnLimit | undefined {
    this.candidates ??= this.returnAddresses(debuggee, thread);
    const { last } = this;
    if (last === undefined || !this.candidates.has(last.address)) return undefined;
    this.count++;
    if (last.stack > this.highest) this.highest = last.stack;
    return this.count < ENOUGH ? undefined : { address: last.address, thread: last.thread, stack: this.highest + 1n };
  }

  private returnAddresses({ state }: Debuggee, thread: number): Set<number> {
    const found = new Set<number>();
    const fresh = new Set([...this.inserted].filter((address) => !this.earlier.has(address)));
    const start = guestAddr(Number(state.register(thread, 'rsp') ?? 0n));
    for (let size = fresh.size === 0 ? 0 : STACK_BYTES; size >= 8; size >>= 1) {
      const bytes = state.read(thread, start, size);
      if (bytes === null) continue;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let i = 0; i + 8 <= bytes.length; i += 8) {
        const word = Number(view.getBigUint64(i, true));
        if (fresh.has(word)) found.add(word);
      }
      break;
    }
    return found;
  }
}
