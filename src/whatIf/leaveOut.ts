/**
 * What of a statement's code is left out. In plain code that is all of it but its last jump, if that only leads on to
 * where the statement ends (as after the first branch of an `if` with an `else`). In optimised code instructions of
 * several statements are mixed: those of the statement are left out one by one, and what keeps the stack and the way
 * through the function stays.
 */
import { UserError } from '../base/errors.js';
import type { CodeStep } from '../x86/codeSteps.js';
import { isIn, type Piece, type StatementCode, type Stretch } from './statementCode.js';

export interface LeftOut {
  readonly stretches: readonly Stretch[];
  /** Instructions that do something else instead. */
  readonly replaced: readonly { readonly step: CodeStep; readonly bytes: readonly number[] }[];
  /** Whether control that goes from the beginning of a stretch to its end leaves out the statement, as a whole. */
  readonly isWhole: boolean;
}

const RET = 0xc3;

/** Throws a UserError for what cannot be left out. */
export function leftOut(code: StatementCode): LeftOut {
  const steps = code.pieces.flatMap((piece) => piece.steps);
  if (steps.some(({ flow }) => flow === 'indirectJump')) throw new UserError(`${code.place}: a jump to one of many places cannot be left out; use switch ${code.place} to CASE`);
  if (steps.every(({ isNop }) => isNop)) throw new UserError(`${code.place}: nothing of it is left in the code but a jump of the condition before it; switch that`);
  return code.function.isOptimised ? fromMixed(code, steps) : fromPlain(code);
}

function fromPlain(code: StatementCode): LeftOut {
  const { pieces, place, function: around } = code;
  if (pieces.some(({ steps }) => steps.some(({ isFrame }) => isFrame))) {
    throw new UserError(`${place}: the beginning or the end of ${around.name} cannot be left out; suppress ${around.name} leaves out the function`);
  }
  return { stretches: pieces.map((piece) => ({ start: piece.start, end: endOf(piece, code) })).filter(({ start, end }) => end > start), replaced: [], isWhole: true };
}

/** Where control goes on: at the jump that leads away from the statement, or after all of it. */
function endOf({ steps, end }: Piece, { pieces, parts, function: { returnsValue, epilogue, steps: all } }: StatementCode): number {
  const last = steps.at(-1);
  if (last?.flow !== 'jump' || steps.every(({ flow }) => flow === 'jump')) return end;
  const target = last.target as number;
  // A `break` or `goto` of the same line is a statement.
  const part = parts.find((stretches) => isIn(stretches, last.address)) ?? [];
  if (all.filter(({ address }) => isIn(part, address)).every(({ flow }) => flow === 'jump')) return end;
  // It jumps to its own condition, or it returns: then the jump is the statement's.
  if (isIn(pieces, target)) return end;
  return returnsValue === true && target === epilogue ? end : last.address;
}

function fromMixed(code: StatementCode, steps: readonly CodeStep[]): LeftOut {
  const { place, function: around } = code;
  const balance = steps.reduce<number | undefined>((sum, { stackChange }) => (sum === undefined || stackChange === undefined ? undefined : sum + stackChange), 0);
  const stays = ({ flow, isFrame, stackChange }: CodeStep): boolean => isFrame || flow === 'trap' || (flow === 'jump') || (stackChange !== 0 && balance !== 0);
  const isTail = ({ flow, target }: CodeStep): boolean => flow === 'jump' && !isIn(around.stretches, target as number);
  const dropped = new Set(steps.filter((step) => !stays(step)).map(({ address }) => address));
  const replaced = steps.filter(isTail).map((step) => ({ step, bytes: [RET] }));
  if (dropped.size === 0 && replaced.length === 0) throw new UserError(`${place}: nothing of that line can be left out`);
  const byAddress = new Map(around.steps.map((step) => [step.address, step]));
  for (const step of steps) if (step.decides === 'jump') checkMeets(step, dropped, byAddress, place);
  checkFlags(around.steps, dropped, place);
  return { stretches: stretchesOf(steps.filter(({ address }) => dropped.has(address))), replaced, isWhole: false };
}

/** A jump that is left out falls through: only if it comes to the same place either way is that what was meant. */
function checkMeets({ address, length, target }: CodeStep, dropped: ReadonlySet<number>, byAddress: ReadonlyMap<number, CodeStep>, place: string): void {
  const settled = (start: number): number => {
    let at = start;
    for (const seen = new Set<number>(); !seen.has(at); ) {
      seen.add(at);
      const step = byAddress.get(at);
      if (step === undefined) return at;
      if (dropped.has(at)) at += step.length;
      else if (step.flow === 'jump' && step.target !== undefined) at = step.target;
      else return at;
    }
    return at;
  };
  if (settled(address + length) !== settled(target as number)) throw new UserError(`${place}: in optimised code a condition cannot be left out; use switch ${place}`);
}

/** What decides something that stays must not be left out. */
function checkFlags(all: readonly CodeStep[], dropped: ReadonlySet<number>, place: string): void {
  let areLost = false;
  for (const step of all) {
    if (areLost && step.readsFlags && !dropped.has(step.address)) throw new UserError(`${place}: in optimised code its result decides something else; it cannot be left out`);
    if (step.writesFlags) areLost = dropped.has(step.address);
    if (step.flow !== 'next' && step.flow !== 'conditional') areLost = false;
  }
}

function stretchesOf(steps: readonly CodeStep[]): Stretch[] {
  const stretches: Stretch[] = [];
  for (const { address, length } of steps) {
    const last = stretches.at(-1);
    if (last?.end === address) stretches[stretches.length - 1] = { start: last.start, end: address + length };
    else stretches.push({ start: address, end: address + length });
  }
  return stretches;
}
