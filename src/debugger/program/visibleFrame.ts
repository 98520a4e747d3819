/**
 * A frame as users see it. One frame on the stack (dwarf's StackFrame) is several of them where calls were inlined:
 * each has the same registers, but a function, line and variables of its own. Level 0 is the innermost.
 */
import type { StackFrame } from '../../dwarf/stackFrame.js';
import type { Scope } from '../../dwarf/scope.js';
import type { SourceFrame } from '../../dwarf/sourceFrames.js';
import { demangle } from '../values/demangle/demangle.js';
import { functionNameOf } from './functionNames.js';
import type { LoadedModule } from './modules.js';
import type { ProgramView } from './programView.js';

/** `signal`: what stands between a handler and what it interrupted. */
type FrameKind = 'normal' | 'inlined' | 'signal';

/** Which activation of which function it is: the same as long as it is on the stack, and at no two places of it. */
export interface FrameId {
  /** The canonical frame address. */
  readonly stack: bigint;
  /** Where the code of the function or copy begins; 0 if it is not known. */
  readonly code: bigint;
  /** How many inlined calls deep. */
  readonly depth: number;
}

interface FrameParts {
  readonly level: number;
  readonly kind: FrameKind;
  readonly stack: StackFrame;
  readonly cfa: bigint;
  /** How many inlined calls deep: 0 for the function itself. */
  readonly depth: number;
  readonly source: SourceFrame | undefined;
  /** Blocks around the pc up to the function or copy: innermost first, the function or copy last. */
  readonly scopes: readonly Scope[];
  /** Whether an inlined call is under way in it: then it stands at that call. */
  readonly isCalling: boolean;
  readonly isTailCall?: boolean;
}

export class VisibleFrame {
  readonly level: number;
  readonly kind: FrameKind;
  /** Registers, memory, where variables are: `stack.locate(variable)`. */
  readonly stack: StackFrame;
  /** Where names are looked up, from the inside out: blocks, then the function. Empty without debug information. */
  readonly scopes: readonly Scope[];
  private found: { readonly name: string; readonly start: bigint } | null | undefined;

  constructor(
    readonly program: ProgramView,
    private readonly parts: FrameParts,
  ) {
    this.level = parts.level;
    this.kind = parts.kind;
    this.stack = parts.stack;
    this.scopes = parts.scopes;
  }

  /** Whether its function has ended by jumping to another one: it is on the stack no more. */
  get isTailCall(): boolean {
    return this.parts.isTailCall === true;
  }

  /** The instruction that runs next in it; of callers, the one after the call. */
  get pc(): bigint {
    return this.stack.pc;
  }

  get module(): LoadedModule | undefined {
    return this.program.modules.all.find((module) => module === this.stack.module);
  }

  /** The function or inlined copy, with debug information. */
  get scope(): Scope | undefined {
    return this.parts.source?.scope;
  }

  /** As gdb calls it (without parameters): from debug information, or else the symbol. */
  get functionName(): string | undefined {
    return (this.scope === undefined ? undefined : functionNameOf(this.scope)) ?? this.symbol?.name;
  }

  /** The file as the compiler named it. */
  get fileName(): string | undefined {
    return this.parts.source?.file?.shownName;
  }

  /** The file, with its directory. */
  get path(): string | undefined {
    return this.parts.source?.file?.path;
  }

  /** 0 if not known. */
  get line(): number {
    return this.parts.source?.line ?? 0;
  }

  /** 0 if not known; the first is 1. */
  get column(): number {
    return this.parts.source?.column ?? 0;
  }

  /** Whether gdb shows the address: when the frame stands in the middle of a line. */
  get isWithinLine(): boolean {
    if (this.parts.isCalling) return false;
    const { module } = this;
    if (module === undefined || this.line === 0) return true;
    const range = module.file.lineRangeAt(this.stack.address);
    return range === undefined || !range.isStatement || BigInt(range.start) !== this.pc - module.bias;
  }

  get id(): FrameId {
    const { cfa, depth } = this.parts;
    const code = this.kind === 'inlined' && this.scope !== undefined ? this.stack.bias + BigInt(this.scope.entry) : this.functionStart;
    return { stack: cfa, code, depth };
  }

  /** Of the frame on the stack, whatever calls were inlined in it. */
  get stackId(): FrameId {
    return { stack: this.parts.cfa, code: this.functionStart, depth: 0 };
  }

  /** Which of `stack.calls` it is: 0 is the innermost inlined one. */
  get call(): number {
    return Math.max(0, this.stack.calls.length - 1 - this.parts.depth);
  }

  /** Where the code of the function (not of a copy) begins; 0 if it is not known. */
  get functionStart(): bigint {
    const outer = this.stack.scopes.at(-1);
    if (outer !== undefined) return this.stack.bias + BigInt(outer.entry);
    return this.symbol?.start ?? 0n;
  }

  private get symbol(): { readonly name: string; readonly start: bigint } | undefined {
    if (this.found === undefined) {
      const near = this.program.symbols.at(this.stack.isExact ? this.pc : this.pc - 1n);
      this.found = near === undefined ? null : { name: demangle(near.symbol.name), start: near.symbol.address };
    }
    return this.found ?? undefined;
  }
}

export function isSameFrame(a: FrameId, b: FrameId): boolean {
  return a.stack === b.stack && a.code === b.code && a.depth === b.depth;
}
