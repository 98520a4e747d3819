/**
 * Steps by line and by instruction, by gdb's rules (infrun.c: process_event_stop_test), in both directions. gdb looks
 * at every instruction; here the thread runs at full speed to where it may leave the range of the line (leaveRange.ts;
 * going back, to where it came into it, enterRange.ts), or to where a call returns, and the rules are applied there.
 */
import { type FrameId, isSameFrame, type VisibleFrame } from '../program/visibleFrame.js';
import { RangeEntries } from './enterRange.js';
import { RangeExits } from './leaveRange.js';
import type { Moved, Moves } from './moves.js';
import { type CodeRange, StepFacts } from './stepFacts.js';
import type { Stop } from './stops.js';

/** What happens at calls: gone into always; if there are lines; never. */
export type Calls = 'enter' | 'enter lines' | 'over';

interface StepStart {
  readonly facts: StepFacts;
  readonly calls: Calls;
  /** Undefined: one instruction. */
  readonly range: CodeRange | undefined;
  /** The frame that is stepped in (default: the innermost). */
  readonly frame?: VisibleFrame | undefined;
  /** The line that is to be left; undefined: that of the frame. 0: any. */
  readonly line?: number;
  /** The only call that is gone into: that which returns there. */
  readonly through?: bigint | undefined;
}

interface Resume {
  readonly address: bigint;
  /** Only in this frame. */
  readonly frame: FrameId | undefined;
}

const EMPTY: CodeRange = { start: 0n, end: 0n };
const NO_LINE = { line: 0, path: undefined };

export class Stepping {
  /** Inlined calls at the pc that have not been entered, when it has stopped. */
  hidden = 0;
  private range: CodeRange | undefined;
  /**
   * The frame that is stepped in: another one than at first, if the function has returned into the middle of a line.
   */
  frame: FrameId;
  private stack: FrameId;
  private line: { readonly line: number; readonly path: string | undefined };
  private resume: Resume | undefined;
  private readonly isBackward: boolean;
  private readonly calls: Calls;
  private readonly through: bigint | undefined;
  private exits: { readonly range: CodeRange; readonly found: RangeExits | undefined } | undefined;
  private entries: { readonly range: CodeRange; readonly found: RangeEntries | undefined } | undefined;

  constructor(
    private readonly moves: Moves,
    start: StepStart,
  ) {
    const frame = start.frame ?? start.facts.top;
    this.calls = start.calls;
    this.through = start.through;
    this.range = start.range;
    this.frame = frame.id;
    this.stack = frame.stackId;
    this.line = start.line === undefined ? { line: frame.line, path: frame.path } : { line: start.line, path: undefined };
    this.isBackward = moves.direction === 'backward';
  }

  async run(): Promise<Moved<Stop>> {
    for (;;) {
      const moved = await this.move();
      if (moved.kind !== 'there') return moved;
      const { view } = this.moves;
      if (view === undefined) return this.moves.away();
      const facts = this.range === undefined ? new StepFacts(view, 0) : new StepFacts(view);
      this.hidden = facts.hidden;
      if (moved.jumped === true || this.isOver(facts)) return moved;
    }
  }

  private async move(): Promise<Moved<Stop>> {
    const { resume, moves } = this;
    if (resume !== undefined) {
      this.resume = undefined;
      const moved = await moves.toInCalls([resume.address], (view) => resume.frame === undefined || isSameFrame(new StepFacts(view, 0).stackId, resume.frame), this.stack);
      if (moved.kind === 'there' && moved.jumped === true) return moved;
      // Going back, that is the function's first instruction: one more leads to the call.
      return moved.kind === 'there' && this.isBackward ? moves.instruction() : moved;
    }
    // A signal that the user has been told of leads into its handler, which no other one does.
    if (moves.isAtSignal) return moves.instruction();
    if (this.range === undefined || this.range.end <= this.range.start) return moves.instruction();
    return this.isBackward ? this.backThroughRange(this.range) : this.leaveRange(this.range);
  }

  /** To where the thread came into the range. */
  private async backThroughRange(range: CodeRange): Promise<Moved<Stop>> {
    const { moves } = this;
    const { view } = moves;
    if (view === undefined || view.pc < range.start || view.pc >= range.end) return moves.instruction();
    const here = new StepFacts(view, 0);
    if (!isSameFrame(here.top.id, this.frame)) return moves.instruction();
    if (this.entries?.range !== range) this.entries = { range, found: RangeEntries.of(view, range, this.calls === 'over') };
    const { found } = this.entries;
    if (found === undefined || found.isEntry(view.pc)) return moves.instruction();
    return moves.backTo(found.addresses, (there) => isSameFrame(new StepFacts(there, 0).stackId, here.stackId));
  }

  private async leaveRange(range: CodeRange): Promise<Moved<Stop>> {
    const { moves } = this;
    const { view } = moves;
    if (view === undefined) return moves.instruction();
    if (this.exits?.range !== range) this.exits = { range, found: RangeExits.of(view, range, this.calls === 'over') };
    const { found: exits } = this.exits;
    if (exits === undefined || !exits.isRunnable(view.pc)) return moves.instruction();
    const here = new StepFacts(view, 0).stackId;
    // A function that ends by jumping to another one leaves it the place on the stack.
    return moves.toInCalls(exits.addresses, (there) => new StepFacts(there, 0).stackId.stack === here.stack, here);
  }

  /** Whether the step ends here. If not, what to do next is set. */
  private isOver(facts: StepFacts): boolean {
    const { range, isBackward } = this;
    const { pc } = facts;
    if (range !== undefined && pc >= range.start && pc < range.end && (!isBackward || isSameFrame(facts.top.id, this.frame))) {
      return isBackward && pc === range.start && pc !== facts.functionStart;
    }
    if (this.isInOtherCall(facts)) return false;
    if (!isBackward && this.calls === 'enter lines' && facts.view.linkage.isLinking(pc)) return this.passLinking(facts);
    if (range !== undefined && facts.top.kind === 'signal') return false;
    const { caller } = facts;
    if (!isSameFrame(facts.stackId, this.stack) && caller !== undefined && isSameFrame(caller.stackId, this.stack)) return this.isOverInCall(facts, caller);
    if (isBackward && this.calls !== 'enter' && facts.view.linkage.isLinking(pc)) return this.passLinkingBackward(facts);
    return this.isOverElsewhere(facts);
  }

  /** One call is meant, and this is not it: on to where it returns. */
  private isInOtherCall({ caller, stackId }: StepFacts): boolean {
    if (this.through === undefined || caller === undefined || caller.pc === this.through) return false;
    if (isSameFrame(stackId, this.stack) || !isSameFrame(caller.stackId, this.stack)) return false;
    this.resume = { address: caller.pc, frame: caller.stackId };
    return true;
  }

  private get entersInlinedCalls(): boolean {
    return this.calls !== 'over' && this.through === undefined;
  }

  /** In the stubs that lead to functions of other modules, or in the dynamic linker: on to the function. */
  private passLinking(facts: StepFacts): boolean {
    const target = facts.view.linkage.targetOf(facts.pc);
    const { caller } = facts;
    if (target !== undefined && facts.lineOf(target) !== undefined) this.resume = { address: facts.afterPrologue(target), frame: undefined };
    else if (caller !== undefined && isSameFrame(caller.stackId, this.stack)) this.resume = { address: caller.pc, frame: caller.stackId };
    return false;
  }

  private passLinkingBackward(facts: StepFacts): boolean {
    const { functionStart } = facts;
    if (!facts.view.linkage.isStub(facts.pc) && functionStart !== 0n && functionStart !== facts.pc) this.resume = { address: functionStart, frame: undefined };
    return false;
  }

  /** A function was called; going back, it has returned. */
  private isOverInCall(facts: StepFacts, caller: VisibleFrame): boolean {
    const { isBackward } = this;
    if (this.calls === 'enter') return true;
    const { linkage } = facts.view;
    if (isBackward && linkage.isStub(facts.pc)) return false;
    const start = linkage.isStub(facts.pc) ? (linkage.targetOf(facts.pc) ?? facts.functionStart) : facts.functionStart;
    if (this.calls === 'enter lines' && facts.lineOf(start) !== undefined) return isBackward ? this.enterFromTheEnd(facts) : this.enterFunction(facts, start);
    if (!isBackward) this.resume = { address: caller.pc, frame: caller.stackId };
    else if (facts.functionStart !== facts.pc && facts.functionStart !== 0n) this.resume = { address: facts.functionStart, frame: this.calls === 'over' ? facts.stackId : undefined };
    return false;
  }

  private enterFunction(facts: StepFacts, start: bigint): boolean {
    const after = facts.afterPrologue(start);
    if (after === facts.pc) return true;
    this.resume = { address: after, frame: undefined };
    this.range = EMPTY;
    return false;
  }

  private enterFromTheEnd(facts: StepFacts): boolean {
    const line = facts.wholeLine;
    if (line === undefined || line.start === facts.pc) return true;
    this.range = line;
    return false;
  }

  private isOverElsewhere(facts: StepFacts): boolean {
    const { caller } = facts;
    const line = this.isBackward ? facts.wholeLine : facts.line;
    if (this.calls === 'enter lines' && line === undefined && facts.top.functionName === undefined) {
      if (caller === undefined) return true;
      this.resume = { address: caller.pc, frame: caller.stackId };
      return false;
    }
    if (this.range === undefined || line === undefined) return true;
    const isHere = isSameFrame(facts.top.id, this.frame);
    if (isHere && facts.hidden > 0) return this.isOverAtInlinedCall(facts);
    if (facts.top.kind === 'inlined' && !isHere && facts.isInlinedIn(this.frame)) return this.entersInlinedCalls;
    let refresh = true;
    let newLine: { readonly line: number; readonly path: string | undefined } = line;
    if (facts.pc === line.start && (line.line !== this.line.line || line.path !== this.line.path)) {
      if (line.isStatement) return true;
      if (isHere) refresh = false;
      else newLine = NO_LINE;
    }
    this.range = line;
    if (refresh) {
      this.frame = facts.top.id;
      this.stack = facts.stackId;
      this.line = newLine;
    }
    return false;
  }

  /** At the start of an inlined call that was not entered: `step` goes in if it is of the same line, `next` goes by. */
  private isOverAtInlinedCall(facts: StepFacts): boolean {
    const isSameLine = facts.top.line === this.line.line && facts.top.path === this.line.path;
    if (!this.entersInlinedCalls) return !isSameLine;
    if (isSameLine) this.hidden = facts.hidden - 1;
    return true;
  }
}
