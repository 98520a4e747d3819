/**
 * The condition of a statement in its machine code. `if (a && b)` is two jumps that share a way out: together they have
 * two ways out, and to invert the condition is to swap these. So jumps are gathered into groups with exactly two ways
 * out: a group grows by later jumps as long as one way out stays the same. Conditions that only follow each other on a
 * line (`if (a) x(); if (b) y();`) have none in common, and stay apart.
 */
import type { CodeStep } from '../x86/codeSteps.js';
import { isIn, type StatementCode, type Stretch } from './statementCode.js';

export interface Condition {
  /** In the order of addresses; of conditions that became data: the one instruction that makes the value. */
  readonly steps: readonly CodeStep[];
  readonly kind: 'jump' | 'value';
  /** Where control goes after a condition that jumps: two places. */
  readonly exits: readonly number[];
}

/** Followed at most so many times: loops of nothing but jumps are possible. */
const MOST_JUMPS = 16;

/** All conditions of the statement, in the order of addresses: jumps first. */
export function conditionsOf(code: StatementCode): Condition[] {
  const { pieces, function: { steps } } = code;
  const all = pieces.flatMap((piece) => piece.steps);
  const jumps = all.filter(({ decides }) => decides === 'jump');
  const values = all.filter(({ decides }) => decides === 'value').map((step): Condition => ({ steps: [step], kind: 'value', exits: [] }));
  if (jumps.length === 0) return values;
  const byAddress = new Map(steps.map((step) => [step.address, step]));
  const conditions: Condition[] = [];
  for (let first = 0; first < jumps.length; ) {
    const group = groupFrom(jumps, first, byAddress, pieces);
    conditions.push({ steps: group, kind: 'jump', exits: exitsOf(group, byAddress, pieces) });
    first += group.length;
  }
  // Of `return a && f(b)` optimised code has the one as a jump and the other as a value.
  return code.function.isOptimised ? [...conditions, ...values] : conditions;
}

/** Where control goes from a jump: if it is taken, and if not. */
export function edgesOf({ address, length, target }: CodeStep, byAddress: ReadonlyMap<number, CodeStep>): readonly [number, number] {
  return [throughJumps(target as number, byAddress), throughJumps(address + length, byAddress)];
}

function groupFrom(jumps: readonly CodeStep[], first: number, byAddress: ReadonlyMap<number, CodeStep>, own: readonly Stretch[]): readonly CodeStep[] {
  let group = jumps.slice(first, first + 1);
  for (let end = first + 2; end <= jumps.length; end++) {
    const larger = jumps.slice(first, end);
    const [before, after] = [exitsOf(group, byAddress, own), exitsOf(larger, byAddress, own)];
    if (after.length === 2 && before.some((exit) => after.includes(exit))) group = larger;
  }
  return group;
}

/**
 * Ways out of a group of jumps: what is between its first and its last jump is inside, if it is of the statement. In a
 * loop whose condition was copied, its body lies between them. Optimised code may have put something else there; then
 * inside is what leads to another jump of the group through code of the statement alone.
 */
function exitsOf(group: readonly CodeStep[], byAddress: ReadonlyMap<number, CodeStep>, own: readonly Stretch[]): number[] {
  const [first, last] = [(group[0] as CodeStep).address, (group.at(-1) as CodeStep).address];
  const ways = [...new Set(group.flatMap((jump) => edgesOf(jump, byAddress)))];
  const outside = ways.filter((exit) => exit <= first || exit > last || !isIn(own, exit));
  if (outside.length === 2) return outside;
  const leaving = ways.filter((exit) => !leadsTo(group, exit, byAddress, own));
  return leaving.length === 2 ? leaving : outside;
}

function leadsTo(group: readonly CodeStep[], from: number, byAddress: ReadonlyMap<number, CodeStep>, own: readonly Stretch[]): boolean {
  for (let step = byAddress.get(from); step !== undefined && isIn(own, step.address); step = byAddress.get(step.address + step.length)) {
    if (group.includes(step)) return true;
    if (step.flow !== 'next' && step.flow !== 'call' && step.flow !== 'indirectCall') return false;
  }
  return false;
}

/**
 * Whether they are one condition of the source that a compiler has copied: of a loop, to before and after its body.
 * What leads from one to the other is that body, then, and comes back to one of them. Operands of `a && f(b)` lead to
 * each other through nothing but the statement, or for once.
 */
export function areCopies(conditions: readonly Condition[], { function: { isOptimised, steps }, parts }: StatementCode): boolean {
  const all = conditions.flatMap((one) => one.steps);
  if (!isOptimised || conditions.some(({ kind, exits }) => kind !== 'jump' || exits.length !== 2)) return false;
  if (parts.length === 0) return true;
  const byAddress = new Map(steps.map((step) => [step.address, step]));
  const leads = (one: Condition, to: Condition, isPassable: (step: CodeStep) => boolean): boolean => one.exits.some((exit) => reaches(exit, to.steps, isPassable, byAddress));
  const isAny = (): boolean => true;
  const areApart = (part: readonly Stretch[]): boolean => {
    const isFrameOrOwn = ({ address, stackChange, isNop, flow }: CodeStep): boolean => isIn(part, address) || stackChange !== 0 || isNop || flow === 'jump';
    return conditions.every((one) => conditions.every((other) => other === one || !leads(one, other, isFrameOrOwn) && (!leads(one, other, isAny) || leads(other, one, isAny) || leads(other, other, isAny))));
  };
  return parts.some((part) => all.every(({ address }) => isIn(part, address)) && areApart(part));
}

/** Whether control comes from an address to one of these instructions, through those that it may pass. */
function reaches(from: number, wanted: readonly CodeStep[], isPassable: (step: CodeStep) => boolean, byAddress: ReadonlyMap<number, CodeStep>): boolean {
  const seen = new Set<number>();
  const left = [from];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const step = byAddress.get(at);
    if (step === undefined || seen.has(at)) continue;
    seen.add(at);
    if (wanted.includes(step)) return true;
    if (!isPassable(step)) continue;
    if (step.target !== undefined && (step.flow === 'jump' || step.flow === 'conditional')) left.push(step.target);
    if (step.flow !== 'jump' && step.flow !== 'return' && step.flow !== 'indirectJump') left.push(at + step.length);
  }
  return false;
}

/** An unconditional jump is only the way to where it goes. */
function throughJumps(address: number, byAddress: ReadonlyMap<number, CodeStep>): number {
  let at = address;
  for (let i = 0; i < MOST_JUMPS; i++) {
    const step = byAddress.get(at);
    if (step?.flow !== 'jump' || step.target === undefined) return at;
    at = step.target;
  }
  return at;
}
