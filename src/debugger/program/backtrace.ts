/**
 * The frames of a thread, from the innermost on, as gdb lists them: made one by one, since stacks may be deep or
 * endless.
 */
import type { Scope } from '../../dwarf/scope.js';
import type { StackFrame } from '../../dwarf/stackFrame.js';
import type { Unwound } from '../../dwarf/unwind.js';
import { guessCaller } from './guessCaller.js';
import type { ProgramView } from './programView.js';
import { VisibleFrame } from './visibleFrame.js';

interface BacktraceOptions {
  /** Goes on above main, and above the program's entry. */
  readonly pastMain?: boolean;
  /** Inlined calls at the innermost pc that have not been entered yet, and are not shown: see Debugger. */
  readonly hidden?: number;
  /** With functions that ended by jumping to another one, and have no frame on the stack any more. */
  readonly tailCalls?: boolean;
}

/** Why a backtrace ends before the stack does; undefined if it does not. As gdb says it after "Backtrace stopped: ". */
type EndOfStack = string | undefined;

export class Backtrace {
  private readonly known: VisibleFrame[] = [];
  private readonly making: Generator<VisibleFrame, EndOfStack>;
  private reason: EndOfStack;
  private isComplete = false;

  constructor(
    readonly program: ProgramView,
    options: BacktraceOptions = {},
  ) {
    this.making = visibleFrames(program, options);
  }

  /** Undefined beyond the last. */
  frame(level: number): VisibleFrame | undefined {
    while (this.known.length <= level && !this.isComplete) {
      const next = this.making.next();
      if (next.done === true) {
        this.isComplete = true;
        this.reason = next.value;
      } else this.known.push(next.value);
    }
    return this.known[level];
  }

  /** The first so many. */
  frames(most = Infinity): readonly VisibleFrame[] {
    while (this.known.length < most && this.frame(this.known.length) !== undefined);
    return this.known.slice(0, most);
  }

  /** What gdb would say after the last frame; only known when all have been asked for. */
  get stopped(): EndOfStack {
    return this.reason;
  }

  get innermost(): VisibleFrame | undefined {
    return this.frame(0);
  }
}

function* visibleFrames(program: ProgramView, options: BacktraceOptions): Generator<VisibleFrame, EndOfStack> {
  let level = 0;
  let previous: { readonly cfa: bigint; readonly isSignal: boolean } | undefined;
  for (let frame: StackFrame = program.innermost(); ; ) {
    const guess = frame.rules === undefined ? guessCaller(program, frame) : undefined;
    const cfa = guess === undefined ? (frame.cfa() ?? 0n) : guess.kind === 'frame' ? guess.cfa : 0n;
    const isSignal = frame.rules?.isSignalFrame === true;
    const made = framesOf(program, frame, { level, cfa, isSignal, hidden: level === 0 ? (options.hidden ?? 0) : 0 });
    yield* made;
    if (previous !== undefined && !isSignal && !previous.isSignal && cfa < previous.cfa && cfa !== 0n) return 'previous frame inner to this frame (corrupt stack?)';
    level += made.length;
    const last = made.at(-1);
    if (options.pastMain !== true && last !== undefined && (isMain(program, last) || isEntry(program, last))) return undefined;
    const unwound: Unwound = guess ?? frame.unwind();
    if (unwound.kind === 'failed') return unwound.reason;
    const caller = frame.makeCaller(unwound);
    if (caller === undefined || (caller.pc === 0n && !isSignal)) return undefined;
    if (cfa === previous?.cfa && !isSignal && (caller.pc === frame.pc || last?.kind !== 'signal')) return 'previous frame identical to this frame (corrupt stack?)';
    if (options.tailCalls === true && !isSignal) {
      for (const jumped of frame.tailCallers(caller)) {
        // Of calls that were inlined there, gdb shows only the innermost.
        yield* framesOf(program, jumped, { level, cfa, isSignal: false, hidden: 0, isTailCall: true }).slice(0, 1);
        level++;
      }
    }
    previous = { cfa, isSignal };
    frame = caller;
  }
}

interface StackPlace {
  readonly level: number;
  readonly cfa: bigint;
  readonly isSignal: boolean;
  readonly hidden: number;
  readonly isTailCall?: boolean;
}

/** What one frame on the stack is to users. */
function framesOf(program: ProgramView, stack: StackFrame, { level, cfa, isSignal, hidden, isTailCall = false }: StackPlace): VisibleFrame[] {
  if (isSignal) return [new VisibleFrame(program, { level, kind: 'signal', stack, cfa, depth: 0, source: undefined, scopes: [], isCalling: false })];
  const { calls } = stack;
  if (calls.length === 0) return [new VisibleFrame(program, { level, kind: 'normal', stack, cfa, depth: 0, source: undefined, scopes: [], isCalling: false })];
  const groups = byFunction(stack.scopes);
  return calls.slice(hidden).map((source, i) => {
    const place = i + hidden;
    const depth = calls.length - 1 - place;
    return new VisibleFrame(program, {
      level: level + i, kind: depth > 0 ? 'inlined' : 'normal', stack, cfa, depth, source, scopes: groups[place] ?? [], isCalling: place > 0, isTailCall,
    });
  });
}

/** Scopes apart by function, innermost first: blocks, then the function or copy that they are in. */
function byFunction(scopes: readonly Scope[]): Scope[][] {
  const groups: Scope[][] = [[]];
  for (const scope of scopes) {
    groups.at(-1)?.push(scope);
    if (scope.kind !== 'block') groups.push([]);
  }
  return groups;
}

function isMain(program: ProgramView, frame: VisibleFrame): boolean {
  if (frame.kind !== 'normal' || frame.functionName !== 'main') return false;
  return frame.module === program.modules.main;
}

/** The program's first instructions, which no function calls. */
function isEntry(program: ProgramView, frame: VisibleFrame): boolean {
  const { main } = program.modules;
  return main !== undefined && frame.module === main && frame.functionStart === BigInt(main.file.elf.header.entry) + main.bias;
}
