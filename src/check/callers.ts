/**
 * Who calls the functions that we stand in for: a number for each thread and function, and for whether a C library has
 * called. It is asked at every call, so the last answers are at hand.
 */
import { RSP } from '../layout/cpuState.js';
import type { Process } from '../linux/process.js';
import { linearOffset } from '../machine/addressSpaceAccess.js';
import type { Blocks } from './heap/blocks.js';
import { isLibraryCode } from './libraries.js';
import type { PreparedStandIn } from './standIn.js';

const TWO_32 = 0x1_0000_0000;
/** Answers at hand: a power of two. */
const AT_HAND = 1024;
const SPREAD = 0x9e37_79b1;
const SPREAD_BITS = 22;

export class Callers {
  /** By a hash of where the call returns to and of the function: what it was about, and the answer. */
  private readonly returns = new Float64Array(AT_HAND);
  private readonly threads = new Float64Array(AT_HAND);
  private readonly callees = new Uint32Array(AT_HAND);
  private readonly numbers = new Uint32Array(AT_HAND);
  /** Whether it is a C library's code that calls return to. */
  private readonly librarysCalls = new Map<number, boolean>();

  constructor(
    private readonly process: Process,
    private readonly blocks: Blocks,
  ) {}

  /** Of the function that the program is at the beginning of. */
  numberIn(callee: PreparedStandIn): number {
    const { process } = this;
    const tid = process.machine.loaded?.tid ?? process.pid;
    const { cpu, space: { linear: { view } } } = process;
    const slot = linearOffset(cpu.num(RSP));
    const low = view.getUint32(slot, true);
    const returnsTo = view.getUint32(slot + 4, true) * TWO_32 + low;
    const at = Math.imul(low ^ Math.imul(callee.number, SPREAD), SPREAD) >>> SPREAD_BITS;
    if (this.returns[at] === returnsTo && this.threads[at] === tid && this.callees[at] === callee.number) return this.numbers[at] as number;
    const number = this.blocks.doer({ tid, pid: process.pid, by: callee.name, isLibrarys: this.isLibrarys(returnsTo) });
    this.returns[at] = returnsTo;
    this.threads[at] = tid;
    this.callees[at] = callee.number;
    this.numbers[at] = number;
    return number;
  }

  /** Whether a C library has called it. */
  private isLibrarys(returnsTo: number): boolean {
    const known = this.librarysCalls.get(returnsTo);
    if (known !== undefined) return known;
    const found = isLibraryCode(this.process.space.find(returnsTo));
    this.librarysCalls.set(returnsTo, found);
    return found;
  }
}
