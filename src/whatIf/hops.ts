/**
 * Room for a jump near an instruction that is too short for it, and whose neighbours cannot give way. A jump of two
 * bytes takes its place and goes to a hop: five bytes nearby, with a jump that reaches everywhere. Hops are in the
 * padding that compilers leave after jumps, returns and functions; where there is none in reach, a row of instructions
 * moves away, and its place has room for the jump to where it has gone, and for the hop.
 */
import { type CodeStep, codeSteps } from '../x86/codeSteps.js';
import type { ReadCode } from './codePatches.js';
import type { FunctionCode } from './statementCode.js';

export interface Hop {
  readonly address: number;
  /** What has to move away first. The jump to it takes the bytes before the hop. */
  readonly moved: readonly CodeStep[];
}

const JUMP_LENGTH = 5;
const SHORT_JUMP_LENGTH = 2;
/** Forward and back, as a byte says it. */
const [FARTHEST, FARTHEST_BACK] = [127, -128];
const FUNCTION_ALIGNMENT = 16;

/** All that are in reach, those first that disturb least. */
export function hopsNear(step: CodeStep, around: FunctionCode, read: ReadCode): Hop[] {
  const from = step.address + SHORT_JUMP_LENGTH;
  const isInReach = ({ address }: Hop): boolean => address - from <= FARTHEST && address - from >= FARTHEST_BACK;
  const padding = [...paddingInside(around), ...paddingBehind(around, read)].map((address) => ({ address, moved: [] }));
  return [...padding, ...movable(step, around)].filter(isInReach);
}

function endOf({ address, length }: CodeStep): number {
  return address + length;
}

/** No control comes to what follows a jump, unless something jumps there. */
function paddingInside({ steps }: FunctionCode): number[] {
  const places: number[] = [];
  steps.forEach(({ flow }, i) => {
    if (flow !== 'jump' && flow !== 'return' && flow !== 'indirectJump') return;
    const row = rowFrom(steps, i + 1, ({ isNop }) => isNop);
    if (lengthOf(row) >= JUMP_LENGTH) places.push((row[0] as CodeStep).address);
  });
  return places;
}

/** Up to where the next function may begin. */
function paddingBehind({ stretches }: FunctionCode, read: ReadCode): number[] {
  return stretches.flatMap(({ end }) => {
    const length = Math.ceil(end / FUNCTION_ALIGNMENT) * FUNCTION_ALIGNMENT - end;
    const bytes = length < JUMP_LENGTH ? undefined : read(end, length);
    if (bytes === undefined) return [];
    const steps = codeSteps(bytes, end);
    return steps.every(({ isNop }) => isNop) && lengthOf(steps) === length ? [end] : [];
  });
}

/** Rows of instructions that nothing jumps into, and that do nothing but go on to the next. */
function movable(step: CodeStep, { steps }: FunctionCode): Hop[] {
  const hops: Hop[] = [];
  for (let i = 0; i < steps.length; i++) {
    const row = rowFrom(steps, i, (one) => one.flow === 'next' && one.address !== step.address, 2 * JUMP_LENGTH);
    if (lengthOf(row) >= 2 * JUMP_LENGTH) hops.push({ address: (row[0] as CodeStep).address + JUMP_LENGTH, moved: row });
  }
  return hops;
}

/** Those one after the other that are so, without what others jump to, until there are `enough` bytes. */
function rowFrom(steps: readonly CodeStep[], first: number, isSo: (step: CodeStep) => boolean, enough = Infinity): CodeStep[] {
  const row: CodeStep[] = [];
  const isTarget = (address: number): boolean => steps.some(({ target }) => target === address);
  for (let step = steps[first]; step !== undefined && isSo(step) && lengthOf(row) < enough; step = steps[first + row.length]) {
    const last = row.at(-1);
    if (last !== undefined && (endOf(last) !== step.address || isTarget(step.address))) break;
    row.push(step);
  }
  return row;
}

function lengthOf(row: readonly CodeStep[]): number {
  return row.reduce((sum, { length }) => sum + length, 0);
}
