/**
 * What a client writes: registers and memory. A recording cannot be altered, so the first write makes a branch of it.
 * gdb writes, too, when it calls functions of the program (`print f(3)`): registers, a run, and all registers as they
 * were. What such a call did is dropped then, and the program stands where it stood.
 */
import type { GuestAddr } from '../base/types.js';
import type { BranchMark, PendingWrite } from '../debugger/control/branching.js';
import type { Debuggee } from './debuggee.js';

/** A call in a branch goes through these. */
interface Origin {
  readonly thread: number;
  readonly registers: readonly (bigint | undefined)[];
  /** What to return to. */
  readonly mark: BranchMark;
  /** The program has run since. */
  hasRun: boolean;
}

const COMPARED = ['rip', 'rsp', 'rbp', 'rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'];

/** Nothing depends on them; gdb writes them with all others. */
const UNALTERABLE: ReadonlySet<string> = new Set(['orig_rax', 'cs', 'ss', 'ds', 'es', 'fs', 'gs']);

/** Bytes that gdb may put on the stack for a call. */
const LARGEST_FRAME = 0x10000;

export class Alterations {
  private origin: Origin | undefined;

  constructor(private readonly owner: { readonly debuggee: Debuggee }) {}

  private get debuggee(): Debuggee {
    return this.owner.debuggee;
  }

  /** The program is about to run. */
  resumed(): void {
    const { origin, debuggee } = this;
    if (origin === undefined) return;
    // Only what begins elsewhere is a call.
    if (!origin.hasRun && debuggee.state.register(origin.thread, 'rip') === origin.registers[0]) this.forget();
    else origin.hasRun = true;
  }

  /** What the client does now is no part of a call any more. */
  forget(): void {
    if (this.origin !== undefined) this.debuggee.branching.forget(this.origin.mark);
    this.origin = undefined;
  }

  async setRegister(thread: number, name: string, value: bigint): Promise<void> {
    const { debuggee } = this;
    const isKnown = UNALTERABLE.has(name) || debuggee.state.register(thread, name) === value;
    if (isKnown) return;
    await this.noteOrigin(thread);
    await this.write(thread, { kind: 'register', name, value });
    this.endCall();
  }

  async writeMemory(thread: number, address: GuestAddr, bytes: Uint8Array): Promise<void> {
    const known = this.debuggee.state.read(thread, address, bytes.length);
    if (known?.every((byte, i) => byte === bytes[i]) === true) return;
    if (this.isBelowStack(thread, address)) await this.noteOrigin(thread);
    else if (this.origin?.hasRun === false) this.forget();
    await this.write(thread, { kind: 'memory', address: BigInt(address), bytes });
  }

  private async write(thread: number, write: PendingWrite): Promise<void> {
    await this.debuggee.branching.write(thread, [write]);
  }

  /** What is not in use: where gdb puts the return address and arguments of a call. */
  private isBelowStack(thread: number, address: number): boolean {
    const stack = Number(this.debuggee.state.register(thread, 'rsp') ?? 0n);
    return address < stack && address >= stack - LARGEST_FRAME;
  }

  private async noteOrigin(thread: number): Promise<void> {
    if (this.origin !== undefined) return;
    const registers = this.registersOf(thread);
    this.origin = { thread, registers, mark: await this.debuggee.branching.mark(), hasRun: false };
  }

  /** All registers are as they were before a call: so is everything else. */
  private endCall(): void {
    const { origin, debuggee } = this;
    if (origin?.hasRun !== true || !this.registersOf(origin.thread).every((value, i) => value === origin.registers[i])) return;
    this.origin = undefined;
    debuggee.branching.undo(origin.mark);
  }

  private registersOf(thread: number): (bigint | undefined)[] {
    return COMPARED.map((name) => this.debuggee.state.register(thread, name));
  }
}
