/**
 * step, next, stepi, nexti, until, advance and finish, in both directions: what each sets out with, and what it ends
 * at.
 */
import { UserError } from '../../base/errors.js';
import type { Scope } from '../../dwarf/scope.js';
import type { CodeLocation } from '../program/location.js';
import type { ProgramView } from '../program/programView.js';
import { type FrameId, isSameFrame, type VisibleFrame } from '../program/visibleFrame.js';
import type { Moved, Moves } from './moves.js';
import { type CodeRange, StepFacts } from './stepFacts.js';
import { type Calls, Stepping } from './stepping.js';
import type { Stop } from './stops.js';

/** Where a command has led; `hidden` as in Stepping. */
export interface Stepped {
  readonly moved: Moved<Stop>;
  readonly hidden?: number;
  /** That was stepped in at last. */
  readonly frame?: FrameId;
  /** Of finish: the function that has returned. */
  readonly finished?: { readonly name: string | undefined; readonly scope: Scope | undefined };
  /** Why it stands there, if not because of the step. */
  readonly stop?: Stop;
}

export interface StepOrigin {
  readonly moves: Moves;
  /** Inlined calls at the pc that have not been entered. */
  readonly hidden: number;
  /** Told what gdb says before such a step. */
  say(text: string): void;
}

/** step (`enter lines`) and next (`over`). With `through`, only the call that returns there is entered. */
export async function stepLine(origin: StepOrigin, calls: Calls, through?: bigint): Promise<Stepped> {
  const { moves, hidden } = origin;
  if (calls !== 'over' && hidden > 0 && through === undefined) return { moved: { kind: 'there' }, hidden: hidden - 1 };
  const facts = factsOf(origin);
  const line = moves.direction === 'backward' ? facts.wholeLine : facts.line;
  const range = line ?? functionRange(facts, origin);
  return stepped(new Stepping(moves, { facts, calls, range, through }));
}

/** stepi (`enter`) and nexti (`over`). */
export async function stepInstruction(origin: StepOrigin, calls: Calls): Promise<Stepped> {
  return stepped(new Stepping(origin.moves, { facts: factsOf(origin), calls, range: undefined }));
}

/** Like next, but never back to the start of a loop. */
export async function stepUntil(origin: StepOrigin): Promise<Stepped> {
  const facts = factsOf(origin);
  const { line, functionStart } = facts;
  let end = line?.end ?? facts.pc + 1n;
  // Rows of the same line that begin no statement belong to it.
  for (let more = facts.lineOf(end); more !== undefined && more.line === line?.line && more.start === end && !more.isStatement; more = facts.lineOf(end)) end = more.end;
  const range = { start: functionStart, end };
  if (line === undefined && functionStart === 0n) throw new UserError('Execution is not within a known function.');
  return stepped(new Stepping(origin.moves, { facts, calls: 'over', range }));
}

/** Where to go: to places, at one time or whenever. */
interface Goals {
  readonly locations: readonly CodeLocation[];
  readonly time: number | undefined;
}

/** To one of the places, or out of the selected frame. `anywhere` (advance): in whatever frame. */
export async function goUntil(origin: StepOrigin, frame: VisibleFrame, { locations, time }: Goals, anywhere: boolean): Promise<Stepped> {
  const { moves } = origin;
  const caller = callerOf(frame);
  const places = locations.map(({ address }) => address);
  const isThere = (view: ProgramView): boolean => places.includes(view.pc) && (time === undefined || view.state.position.time === time);
  const here = frame.stackId;
  const back = caller === undefined ? undefined : { pc: caller.pc, id: caller.stackId };
  const moved = await moves.toInCalls(back === undefined ? places : [...places, back.pc], (view) => {
    const id = new StepFacts(view, 0).stackId;
    return (isThere(view) && (anywhere || isSameFrame(id, here))) || (back !== undefined && view.pc === back.pc && isSameFrame(id, back.id));
  }, back?.id ?? here);
  return { moved };
}

/** From a system call that is about to be made to its return. */
export async function returnFromCall({ moves }: StepOrigin, call: Stop & { readonly kind: 'catchpoint' }): Promise<Stepped> {
  const moved = await moves.instruction();
  const { event } = call;
  return { moved, stop: { ...call, event: event.kind === 'syscall' ? { ...event, phase: 'return' } : event } };
}

/** Out of a frame; `outer` is the frame that called it. */
export async function finish(origin: StepOrigin, frame: VisibleFrame, outer: VisibleFrame): Promise<Stepped> {
  const { moves } = origin;
  if (moves.direction === 'backward') return finishBackward(moves, frame);
  if (frame.kind === 'inlined') {
    const facts = factsOf(origin);
    // As if stepping in the caller, which ends when no call of it is under way.
    return stepped(new Stepping(moves, { facts, calls: 'over', range: { start: outer.pc, end: outer.pc }, frame: outer, line: 0 }));
  }
  const { pc, stackId } = outer;
  const finished = { name: frame.functionName, scope: frame.scope };
  const moved = await moves.toInCalls([pc], (view) => isSameFrame(new StepFacts(view, 0).stackId, stackId), stackId);
  return moved.kind === 'there' && moved.jumped === true ? { moved } : { moved, finished };
}

/** To the call. */
async function finishBackward(moves: Moves, frame: VisibleFrame): Promise<Stepped> {
  const { functionStart: start, stackId, pc } = frame;
  if (start === 0n) throw new UserError('Cannot find bounds of current function');
  if (pc !== start || frame.level > 0) {
    const moved = await moves.to([start], (view) => new StepFacts(view, 0).stackId.stack === stackId.stack);
    if (moved.kind !== 'there') return { moved };
  }
  return { moved: await moves.instruction(), hidden: 0 };
}

async function stepped(stepping: Stepping): Promise<Stepped> {
  const moved = await stepping.run();
  return { moved, hidden: stepping.hidden, frame: stepping.frame };
}

function factsOf({ moves, hidden }: StepOrigin): StepFacts {
  const { view } = moves;
  if (view === undefined) throw new UserError('The program is not being run.');
  return new StepFacts(view, hidden);
}

/** The frame on the stack above, if there is one. */
function callerOf(frame: VisibleFrame): { readonly pc: bigint; readonly stackId: VisibleFrame['stackId'] } | undefined {
  const facts = new StepFacts(frame.program, 0);
  let level = 0;
  for (let below = facts.frames.frame(level); below !== undefined; below = facts.frames.frame(++level)) {
    if (isSameFrame(below.stackId, frame.stackId)) break;
  }
  for (let above = facts.frames.frame(level); above !== undefined; above = facts.frames.frame(++level)) {
    if (!isSameFrame(above.stackId, frame.stackId)) return above;
  }
  return undefined;
}

function functionRange(facts: StepFacts, origin: StepOrigin): CodeRange {
  const near = facts.view.symbols.at(facts.pc);
  if (near === undefined) throw new UserError('Cannot find bounds of current function');
  const { name, address, size } = near.symbol;
  origin.say(`Single stepping until exit from function ${name},\nwhich has no line number information.`);
  return { start: address, end: address + BigInt(size === 0 ? near.offset + 1 : size) };
}
