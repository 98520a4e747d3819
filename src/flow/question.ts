/**
 * What a user asks for the origin of: an expression in a frame, as the place that its value is in, and when to look
 * there.
 */
import { UserError } from '../base/errors.js';
import { guestAddr } from '../base/types.js';
import type { Location } from '../dwarf/location.js';
import type { Backtrace } from '../debugger/program/backtrace.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { Expressions } from '../debugger/values/expressions.js';
import { ProgramSurroundings } from '../debugger/values/programSurroundings.js';
import { registerName } from '../debugger/values/registers.js';
import type { Value } from '../debugger/values/value.js';
import type { Position } from '../replay/log/position.js';
import { memoryRange } from '../replay/timeline/conditions.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { Work } from '../replay/timeline/work.js';
import { memoryPlace, partOf, type Place, registerPlace } from './copies/place.js';

export interface Question {
  readonly place: Place;
  readonly position: Position;
  readonly thread: number;
  /** The value as print shows it. */
  readonly value: string;
}

/** Larger values have no origin of their own: their parts do. */
const LARGEST = 16;

/** Throws a UserError for what is no value in one place. The execution may move. */
export async function questionAbout(expression: string, backtrace: Backtrace, frame: VisibleFrame | undefined, execution: Execution, work?: Work): Promise<Question> {
  return questionOf(expression, (expressions) => expressions.evaluate(expression), backtrace, frame, execution, work);
}

/** The same for a value that is found in some other way; `expression` is what messages call it. */
export async function questionOf(expression: string, find: (expressions: Expressions) => Value, backtrace: Backtrace, frame: VisibleFrame | undefined, execution: Execution, work?: Work): Promise<Question> {
  const { program } = backtrace;
  const expressions = new Expressions(new ProgramSurroundings(program, frame));
  const value = find(expressions);
  const asked = { thread: program.thread.id, position: execution.position, value: expressions.text(value) };
  if (value.size > LARGEST) throw new UserError(`${expression} is ${value.size} bytes: ask for one of its parts`);
  if (value.address !== undefined) {
    return { ...asked, place: memoryPlace(guestAddr(Number(value.address)), value.size) };
  }
  const register = registerOf(value, expression);
  const inner = frame === undefined || frame.stack.level === 0 || value.place.kind === 'register' ? undefined : innerFrame(backtrace, frame);
  return { ...asked, place: register, position: inner === undefined ? execution.position : await callBy(inner, execution, expression, work) };
}

function registerOf(value: Value, expression: string): Place {
  const { place, size } = value;
  const found = place.kind === 'register' ? registerPlace(place.name) : place.kind === 'located' ? inLocation(place.location) : undefined;
  const offset = place.kind === 'register' || place.kind === 'located' ? place.offset : 0;
  if (found === undefined) throw new UserError(value.isOptimisedOut ? `${expression} is optimised out here` : `${expression} is in no place of its own: ask for a variable, a member, *ADDRESS or a register`);
  return partOf(found, offset, Math.min(size, found.size - offset));
}

function inLocation(location: Location): Place | undefined {
  const name = location.kind === 'register' ? registerName(location.register) : undefined;
  return name === undefined ? undefined : registerPlace(name);
}

/** The frame on the stack that was called from `frame`. */
function innerFrame(backtrace: Backtrace, frame: VisibleFrame): VisibleFrame | undefined {
  const frames = backtrace.frames(frame.level + 1);
  return [...frames].reverse().find(({ stack }) => stack.level < frame.stack.level);
}

/** Registers of a caller are those that it had when it made the call. */
async function callBy(inner: VisibleFrame, execution: Execution, expression: string, work: Work | undefined): Promise<Position> {
  const slot = guestAddr(Number(inner.id.stack) - 8);
  const hit = await execution.lastWrite([memoryRange(slot, 8)], execution.position, work);
  if (hit === undefined) throw new UserError(`${expression} is in a register of a caller, and nobody knows when it made the call`);
  return hit.position;
}
