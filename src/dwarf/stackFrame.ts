/**
 * A frame on the stack of a stopped program: its registers, what is known about its code, how to evaluate expressions
 * in it, and the frame that called it. Frames are made from the innermost on, each from the one before.
 */
import type { CallFrames } from './callFrames.js';
import { argumentExpression, callSiteAt, referredExpression } from './callSites.js';
import type { DebugInfo } from './debugInfo.js';
import type { Die } from './die.js';
import { AT } from './dwarfConstants.js';
import { unlessCorrupt } from './dwarfError.js';
import { evaluate, evaluateNumber } from './expression.js';
import type { FrameRules } from './frameRules.js';
import type { Location, ProgramState } from './location.js';
import type { Scope } from './scope.js';
import { scopesAt, sourceFrames, type SourceFrame } from './sourceFrames.js';
import { calleeOf, jumpsBetween } from './tailCalls.js';
import type { Unit } from './unit.js';
import { cfaOf, unwind, type Unwound } from './unwind.js';
import { expressionWhereabouts, type Variable, type Whereabouts } from './variable.js';

/** A loaded file. */
export interface Module {
  /** What was added to its addresses when it was loaded. */
  readonly bias: bigint;
  readonly info: DebugInfo | undefined;
  readonly frames: CallFrames;
  /** Where a function begins (without load bias), by its symbol. */
  symbolAddress?(name: string): number | undefined;
}

/** What frames need to know of the program. */
export interface StoppedProgram {
  moduleAt(address: bigint): Module | undefined;
  memory(address: bigint, size: number): Uint8Array | undefined;
  /** Address of a thread-local variable of a module. */
  tlsAddress(module: Module, offset: bigint): bigint | undefined;
}

const RETURN_ADDRESS = 16;
/** Entry values may lead from frame to frame; further than this is nonsense. */
const MOST_ENTRY_VALUES = 64;

export class StackFrame implements ProgramState {
  readonly module: Module | undefined;
  readonly bias: bigint;
  private chain: readonly Scope[] | undefined;
  private frameRules: FrameRules | null | undefined;
  private callerFrame: StackFrame | null | undefined;
  private canonical: bigint | undefined;
  private jumped: { readonly caller: StackFrame; readonly frames: readonly StackFrame[] } | undefined;

  private constructor(
    private readonly program: StoppedProgram,
    /** By DWARF number, 16 being the pc. */
    private readonly registers: (number: number) => bigint | undefined,
    readonly pc: bigint,
    /** Whether `pc` is the instruction that runs next, or the one after a call that is under way. */
    readonly isExact: boolean,
    readonly level: number,
  ) {
    this.module = program.moduleAt(isExact ? pc : pc - 1n);
    this.bias = this.module?.bias ?? 0n;
  }

  /** The frame of a stopped thread. `registers` are by DWARF number: see `ProgramState.register`; 16 is the pc. */
  static innermost(program: StoppedProgram, registers: (number: number) => bigint | undefined): StackFrame {
    return new StackFrame(program, registers, registers(RETURN_ADDRESS) ?? 0n, true, 0);
  }

  register(number: number): bigint | undefined {
    return this.registers(number);
  }

  memory(address: bigint, size: number): Uint8Array | undefined {
    return this.program.memory(address, size);
  }

  /** The address in the file to look things up by: within the call that is under way. */
  get address(): number {
    return Number(this.pc - this.bias) - (this.isExact ? 0 : 1);
  }

  /** Scopes around the pc, innermost first; empty without debug information. */
  get scopes(): readonly Scope[] {
    this.chain ??= this.ask((info) => scopesAt(info, this.address)) ?? [];
    return this.chain;
  }

  /** The calls that this frame stands for, innermost first: inlined ones, then the function itself. */
  get calls(): SourceFrame[] {
    return this.ask((info) => sourceFrames(info, this.address)) ?? [];
  }

  frameBase(): bigint | undefined {
    const outer = this.scopes.at(-1);
    if (outer === undefined) return undefined;
    const place = expressionWhereabouts(outer.die, AT.FRAME_BASE, this.address);
    return place.kind === 'expression' ? evaluateNumber(place.expression, place.unit, this) : undefined;
  }

  cfa(): bigint | undefined {
    if (this.canonical !== undefined) return this.canonical;
    const { rules } = this;
    if (rules !== undefined) this.canonical = cfaOf(rules.cfa, this);
    return this.canonical;
  }

  tlsAddress(offset: bigint): bigint | undefined {
    return this.module === undefined ? undefined : this.program.tlsAddress(this.module, offset);
  }

  /** By the description of the call in the caller. */
  entryValue(expression: Uint8Array): bigint | undefined {
    return this.askCaller(expression, argumentExpression);
  }

  /** What was at the address that a register held when the function was entered. */
  entryData(expression: Uint8Array): bigint | undefined {
    return this.askCaller(expression, referredExpression);
  }

  private askCaller(expression: Uint8Array, find: typeof argumentExpression): bigint | undefined {
    const onStack = this.level < MOST_ENTRY_VALUES ? this.caller() : undefined;
    const caller = onStack === undefined ? undefined : (this.tailCallers(onStack)[0] ?? onStack);
    const call = caller?.callUnderWay;
    const value = caller === undefined || call === undefined || this.isCalledElsewhere(call, caller) ? undefined : find(call, expression);
    return caller === undefined || value === undefined ? undefined : evaluateNumber(value, caller.scopes.at(-1)?.die.unit, caller);
  }

  /** The description of the call that it waits for. */
  private get callUnderWay(): Die | undefined {
    const outer = this.scopes.at(-1);
    return outer === undefined ? undefined : callSiteAt(outer, Number(this.pc - this.bias));
  }

  /** Whether that call is known to lead to another function: then this one was jumped to, from an unknown place. */
  private isCalledElsewhere(call: Die, { module }: StackFrame): boolean {
    const own = this.scopes.at(-1)?.entry;
    if (own === undefined || module === undefined || module !== this.module) return false;
    const called = unlessCorrupt(() => calleeOf(call, module), () => undefined);
    return called !== undefined && called !== own;
  }

  /**
   * Functions between this one and its caller on the stack, which ended by jumping: frames for them, from the inside
   * out.
   */
  tailCallers(caller: StackFrame): readonly StackFrame[] {
    if (this.jumped?.caller !== caller) this.jumped = { caller, frames: unlessCorrupt(() => this.findTailCallers(caller), () => []) };
    return this.jumped.frames;
  }

  private findTailCallers(caller: StackFrame): StackFrame[] {
    const own = this.scopes.at(-1)?.entry;
    const { module } = this;
    if (own === undefined || module === undefined || caller.module !== module || caller.isExact) return [];
    const call = caller.callUnderWay;
    const jumps = call === undefined ? [] : jumpsBetween(call, own, module);
    return jumps.reduceRight<StackFrame[]>(([above = caller, ...more], jump) => {
      const made = new StackFrame(this.program, (number) => caller.register(number), BigInt(jump) + this.bias, false, this.level + 1);
      made.callerFrame = above;
      made.canonical = this.cfa();
      return above === caller ? [made] : [made, above, ...more];
    }, []);
  }

  /** Where a variable is, or what its value is. */
  locate(variable: Variable): Location {
    return this.resolve(variable.whereabouts(this.address));
  }

  resolve(where: Whereabouts): Location {
    switch (where.kind) {
      case 'expression': return this.evaluate(where.expression, where.unit);
      case 'constant': return { kind: 'value', value: BigInt.asUintN(128, where.value), size: 16 };
      case 'bytes': return where;
      case 'optimisedOut': return { kind: 'optimisedOut', reason: 'the program does not keep it here' };
    }
  }

  evaluate(expression: Uint8Array, unit: Unit | undefined): Location {
    return unlessCorrupt(() => evaluate(expression, unit, this), (error): Location => ({ kind: 'optimisedOut', reason: error.message }));
  }

  /** How the registers of the caller are found; undefined if the code has no description. */
  get rules(): FrameRules | undefined {
    this.frameRules ??= unlessCorrupt(() => this.module?.frames.rulesAt(this.address), () => undefined) ?? null;
    return this.frameRules ?? undefined;
  }

  /** One step up; what went wrong if it cannot be done. */
  unwind(): Unwound {
    const { rules } = this;
    if (rules === undefined) return { kind: 'failed', reason: 'no description of the frame' };
    return unlessCorrupt(() => unwind(rules, this), (error): Unwound => ({ kind: 'failed', reason: error.message }));
  }

  /** The frame that called this one; undefined at the end of the stack, or where it cannot be told. */
  caller(): StackFrame | undefined {
    this.callerFrame ??= this.makeCaller(this.unwind()) ?? null;
    return this.callerFrame ?? undefined;
  }

  /** The caller from registers that a guess found, where there is no description. */
  makeCaller(unwound: Unwound): StackFrame | undefined {
    if (unwound.kind !== 'frame') return undefined;
    const { registers, isSignalFrame } = unwound;
    const pc = registers.get(RETURN_ADDRESS);
    if (pc === undefined) return undefined;
    return new StackFrame(this.program, (number) => (number > RETURN_ADDRESS ? this.register(number) : registers.get(number)), pc, isSignalFrame, this.level + 1);
  }

  private ask<T>(question: (info: DebugInfo) => T): T | undefined {
    const info = this.module?.info;
    return info === undefined ? undefined : unlessCorrupt(() => question(info), () => undefined);
  }
}
