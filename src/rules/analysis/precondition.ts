/**
 * When a rule has to be looked at. Compiled code checks every access anyway (does the address belong to a live block,
 * and to its bytes?), so a rule that can only be true where such a check fails costs nothing while nothing is wrong.
 * Whether it is one is proved here, by rewriting: each conjunct may supply the proof, each disjunct needs one. A
 * comparison with something that does not exist is false, so a negated one may also be true because there is no block.
 *
 * Where no proof is found the rule is right, too, but is evaluated at every such point, and the reason is shown.
 */
import type { CheckedPoint, CheckedRule, ComparisonOperator, Condition, Term } from '../language/core.js';
import type { PointKind } from '../language/ast.js';
import type { BlockKind } from '../evaluate/machine.js';
import { impliesOutOfBounds, isBlockOfSubject, isPointer, isSubject, type Subject } from './linear.js';
import { printCondition } from './printCore.js';
import { blockOfEvent, initializedByte, slotsOf } from './shapes.js';

/**
 * outOfBounds  some byte of the access is outside of the block it belongs to
 * freed        the block is freed (for locals: its function has returned)
 * null         the address is in the first page
 * notABlock    of free: no block of the heap; of accesses: nothing is there at all
 * notBlockBegin   of free: not the first byte of a block
 * otherFamily  of free: by a function of another family than the one that allocated the block
 * uninitialized   some byte read was never written
 * undefinedValue  of use: some bit comes from uninitialised memory
 * returnAddressChanged  of ret: the return address is not what the call left there
 */
export type Check = 'null' | 'freed' | 'outOfBounds' | 'notABlock' | 'notBlockBegin' | 'otherFamily' | 'uninitialized' | 'undefinedValue' | 'returnAddressChanged';

export type Precondition =
  /** Evaluate only where one of the checks fails; `kinds`: for blocks of these kinds only. */
  | { readonly kind: 'checks'; readonly checks: readonly Check[]; readonly blocks: readonly BlockKind[]; readonly because: string }
  /** Evaluate whenever the point is reached. `rare`: calls, returns and exits, which are cheap enough. */
  | { readonly kind: 'always'; readonly rare: boolean; readonly because: string };

/** From cheap to dear: those that the look at the page takes along, then those that need more. */
const COSTS: readonly Check[] = ['null', 'freed', 'outOfBounds', 'notABlock', 'notBlockBegin', 'otherFamily', 'returnAddressChanged', 'undefinedValue', 'uninitialized'];
const ALL_KINDS: readonly BlockKind[] = ['heap', 'stack', 'global'];
const NULL_PAGE = 4096n;

/** Calls and the end of the program have no checks of their own. */
const CHECKED_POINTS: ReadonlySet<PointKind> = new Set<PointKind>(['deref', 'deref_r', 'deref_w', 'free', 'use', 'ret']);

function isMadeAt(check: Check, kind: PointKind): boolean {
  if (check === 'returnAddressChanged') return kind === 'ret';
  if (check === 'undefinedValue') return kind === 'use';
  if (check === 'uninitialized') return kind === 'deref' || kind === 'deref_r';
  if (check === 'otherFamily') return kind === 'free';
  return kind.startsWith('deref') || kind === 'free';
}

interface Proof {
  readonly checks: ReadonlySet<Check>;
  readonly because: readonly string[];
}

export function preconditionOf(rule: CheckedRule, point: CheckedPoint): Precondition {
  const proof = CHECKED_POINTS.has(point.kind) ? new Prover(rule, point).prove(rule.condition) : undefined;
  if (proof !== undefined && [...proof.checks].every((check) => isMadeAt(check, point.kind))) {
    const checks = COSTS.filter((check) => proof.checks.has(check));
    return { kind: 'checks', checks, blocks: kindsOf(rule.condition, subjectOf(point)), because: proof.because.join('; ') || 'the condition is never true' };
  }
  const rare = ['call', 'ret', 'exit', 'free'].includes(point.kind);
  return { kind: 'always', rare, because: rare ? `evaluated at each ${point.text}` : `nothing in the condition says that a check of ${point.text} fails` };
}

export function subjectOf(point: CheckedPoint): Subject {
  const [pointer, bytes] = point.slots;
  return { pointer: pointer ?? -1, ...(bytes !== undefined && point.kind.startsWith('deref') && { bytes }), blocks: new Set() };
}

class Prover {
  private readonly access: boolean;

  constructor(
    private readonly rule: CheckedRule,
    private readonly point: CheckedPoint,
  ) {
    this.access = point.kind.startsWith('deref');
  }

  prove(condition: Condition): Proof | undefined {
    return this.holds(condition, subjectOf(this.point));
  }

  private because(condition: Condition, ...checks: Check[]): Proof {
    return { checks: new Set(checks), because: [`${printCondition(condition, this.rule.variables)} means ${checks.join(' or ')}`] };
  }

  /** A set of checks of which one fails wherever the condition is true. */
  private holds(condition: Condition, subject: Subject): Proof | undefined {
    switch (condition.kind) {
      case 'constant':
        return condition.value ? undefined : { checks: new Set(), because: [] };
      case 'and':
        return best(condition.parts.map((part) => this.holds(part, subject)));
      case 'or':
        return all(condition.parts.map((part) => this.holds(part, subject)));
      case 'not':
        return this.fails(condition.part, subject);
      case 'compare':
        return this.comparison(condition, condition.operator, subject);
      case 'member':
        return condition.state === 'F' && isBlockOfSubject(condition.element, subject) ? this.because(condition, 'freed') : undefined;
      case 'event':
        return this.eventHolds(condition, subject);
      case 'block':
      case 'pointer':
      case 'frame':
        return this.holds(condition.condition, subject);
      default:
        return undefined;
    }
  }

  private eventHolds(condition: Condition & { kind: 'event' }, subject: Subject): Proof | undefined {
    const block = blockOfEvent(condition.pattern, condition.condition);
    const ofSubject = block !== undefined && isBlockOfSubject(block, subject);
    if (ofSubject && condition.pattern.event === 'free') return this.because(condition, 'freed');
    const bid = condition.pattern.fields['bid'];
    const inner = ofSubject && bid?.kind === 'bind' ? { ...subject, blocks: new Set([...subject.blocks, bid.slot]) } : subject;
    return this.holds(condition.condition, inner);
  }

  private comparison(condition: Condition & { kind: 'compare' }, operator: ComparisonOperator, subject: Subject): Proof | undefined {
    const { left, right } = condition;
    const atFree = this.point.kind === 'free';
    if (isNullTest(operator, left, right, subject)) return this.because(condition, 'null');
    if (impliesOutOfBounds(operator, left, right, subject)) return this.because(condition, 'outOfBounds');
    if ([left, right].some((side) => mentionsFreeing(side, subject))) return this.because(condition, 'freed');
    if (atFree && operator === '!=' && isBeginTest(left, right, subject)) return this.because(condition, 'notBlockBegin');
    if (atFree && operator === '!=' && isFamilyTest(left, right, subject, this.point.slots[1])) return this.because(condition, 'otherFamily');
    if (this.point.kind === 'ret' && operator === '!=' && isReturnTest(left, right)) return this.because(condition, 'returnAddressChanged');
    return undefined;
  }

  /** The same for the negation. */
  private fails(condition: Condition, subject: Subject): Proof | undefined {
    const negated: Condition = { kind: 'not', part: condition };
    const initialized = initializedByte(condition);
    if (initialized !== undefined) return isPointer(initialized, subject) ? this.because(negated, 'uninitialized') : undefined;
    switch (condition.kind) {
      case 'constant':
        return this.holds({ kind: 'constant', value: !condition.value }, subject);
      case 'not':
        return this.holds(condition.part, subject);
      case 'and':
        return all(condition.parts.map((part) => this.fails(part, subject)));
      case 'or':
        return best(condition.parts.map((part) => this.fails(part, subject)));
      case 'compare':
        return this.comparisonFails(condition, subject);
      case 'event':
        return this.eventFails(condition, negated, subject);
      case 'member':
        return !this.access && condition.state === 'H' && isBlockOfSubject(condition.element, subject) ? this.because(negated, 'freed', 'notABlock') : undefined;
      case 'test':
        return this.testFails(condition, negated, subject);
      default:
        return undefined;
    }
  }

  private comparisonFails(condition: Condition & { kind: 'compare' }, subject: Subject): Proof | undefined {
    const opposite: Readonly<Record<ComparisonOperator, ComparisonOperator>> = { '==': '!=', '!=': '==', '<': '>=', '<=': '>', '>': '<=', '>=': '<' };
    const turned = { ...condition, operator: opposite[condition.operator] };
    const proof = this.comparison(turned, turned.operator, subject);
    const applied = [condition.left, condition.right].flatMap(applications);
    if (proof === undefined || applied.length === 0) return proof;
    // True also where there is no block: for accesses that is almost all of memory, and for other functions it is
    // anyone's guess.
    const ofBlock = applied.every((term) => BLOCK_FUNCTIONS.has(term.name) && isSubject(term.args[0]!, subject));
    return this.access || !ofBlock ? undefined : all([proof, this.because({ kind: 'not', part: condition }, 'notABlock')]);
  }

  private eventFails(condition: Condition & { kind: 'event' }, negated: Condition, subject: Subject): Proof | undefined {
    const block = blockOfEvent(condition.pattern, condition.condition);
    if (this.access || block === undefined || condition.pattern.event !== 'malloc') return undefined;
    const inner = condition.condition.kind === 'and' ? condition.condition.parts.length : 1;
    return isBlockOfSubject(block, subject) && inner === 1 && Object.keys(condition.pattern.fields).length === 1 ? this.because(negated, 'notABlock') : undefined;
  }

  private testFails(condition: Condition & { kind: 'test' }, negated: Condition, subject: Subject): Proof | undefined {
    const [first, second] = condition.args;
    if (condition.name === 'Defined' && this.point.kind === 'use') return this.because(negated, 'undefinedValue');
    if (!isPointer(first, subject)) return undefined;
    const whole = second === undefined || (second.kind === 'slot' && second.slot === subject.bytes) || (second.kind === 'number' && second.value === 1n);
    if (!whole) return undefined;
    if (condition.name === 'Initialized') return this.because(negated, 'uninitialized');
    if (condition.name === 'Accessible' && this.access) return this.because(negated, 'null', 'freed', 'outOfBounds', 'notABlock');
    if (condition.name === 'IsHeap' && !this.access) return this.because(negated, 'notABlock');
    return undefined;
  }
}

/** One conjunct suffices: the one with the cheapest checks. */
function best(proofs: readonly (Proof | undefined)[]): Proof | undefined {
  const cost = (proof: Proof) => Math.max(0, ...[...proof.checks].map((check) => COSTS.indexOf(check) + 1)) + proof.checks.size / 100;
  const found = proofs.filter((proof) => proof !== undefined);
  return found.sort((a, b) => cost(a) - cost(b))[0];
}

function all(proofs: readonly (Proof | undefined)[]): Proof | undefined {
  const found = proofs.filter((proof) => proof !== undefined);
  if (found.length < proofs.length) return undefined;
  return { checks: new Set(found.flatMap(({ checks }) => [...checks])), because: found.flatMap(({ because }) => because) };
}

function isNullTest(operator: ComparisonOperator, left: Term, right: Term, subject: Subject): boolean {
  const address = (term: Term): boolean => isPointer(term, subject) || (term.kind === 'binary' && term.operator === '-' && isPointer(term.left, subject) && term.right.kind === 'number' && term.right.value === 0n);
  const small = (term: Term, most: bigint) => term.kind === 'number' && term.value >= 0n && term.value < most;
  if (operator === '==') return (address(left) && small(right, NULL_PAGE)) || (address(right) && small(left, NULL_PAGE));
  if (operator === '<') return address(left) && small(right, NULL_PAGE + 1n);
  if (operator === '<=') return address(left) && small(right, NULL_PAGE);
  return operator === '>' && address(right) && small(left, NULL_PAGE + 1n);
}

function isBeginTest(left: Term, right: Term, subject: Subject): boolean {
  const begin = (term: Term) => term.kind === 'apply' && term.name === 'Begin' && isSubject(term.args[0]!, subject);
  const index = (term: Term) => term.kind === 'apply' && term.name === 'Idx' && isPointer(term.args[0], subject);
  const zero = (term: Term) => term.kind === 'number' && term.value === 0n;
  return (isPointer(left, subject) && begin(right)) || (begin(left) && isPointer(right, subject)) || (index(left) && zero(right)) || (zero(left) && index(right));
}

/** What mentions the time or function of the freeing has a value only for freed blocks. */
function mentionsFreeing(term: Term, subject: Subject): boolean {
  if (term.kind === 'unary') return mentionsFreeing(term.operand, subject);
  if (term.kind === 'binary') return mentionsFreeing(term.left, subject) || mentionsFreeing(term.right, subject);
  if (term.kind !== 'apply') return false;
  if (term.name === 'FreeTime' || term.name === 'Deallocator') return isSubject(term.args[0]!, subject);
  return term.args.some((arg) => mentionsFreeing(arg, subject));
}

/** The families of who allocated the block and of who frees it. */
function isFamilyTest(left: Term, right: Term, subject: Subject, by: number | undefined): boolean {
  const familyOf = (term: Term) => (term.kind === 'apply' && term.name === 'Family' ? term.args[0] : undefined);
  const allocator = (term: Term | undefined) => term?.kind === 'apply' && term.name === 'Allocator' && isSubject(term.args[0]!, subject);
  const freeing = (term: Term | undefined) => term?.kind === 'slot' && term.slot === by;
  const [a, b] = [familyOf(left), familyOf(right)];
  return (allocator(a) && freeing(b)) || (freeing(a) && allocator(b));
}

function isReturnTest(left: Term, right: Term): boolean {
  const stored = (term: Term) => term.kind === 'apply' && term.name === 'Value' && term.args[0]?.kind === 'apply' && term.args[0].name === 'ReturnSlot';
  const kept = (term: Term) => term.kind === 'apply' && term.name === 'ReturnAddress';
  return (stored(left) && kept(right)) || (kept(left) && stored(right));
}

/** Have a value for every pointer that belongs to a block. */
const BLOCK_FUNCTIONS: ReadonlySet<string> = new Set(['Bid', 'Idx', 'Begin', 'End', 'Size', 'Time']);

function applications(term: Term): (Term & { kind: 'apply' })[] {
  if (term.kind === 'apply') return [term];
  if (term.kind === 'unary') return applications(term.operand);
  return term.kind === 'binary' ? [...applications(term.left), ...applications(term.right)] : [];
}

/** The kinds of blocks that the pointer can belong to where the condition is true. */
export function kindsOf(condition: Condition, subject: Subject): readonly BlockKind[] {
  const meet = (lists: readonly (readonly BlockKind[])[]) => lists.reduce((a, b) => a.filter((kind) => b.includes(kind)), ALL_KINDS);
  switch (condition.kind) {
    case 'and':
      return meet(condition.parts.map((part) => kindsOf(part, subject)));
    case 'or':
      return ALL_KINDS.filter((kind) => condition.parts.some((part) => kindsOf(part, subject).includes(kind)));
    case 'member':
      if (!isBlockOfSubject(condition.element, subject)) return ALL_KINDS;
      return { H: ['heap'] as const, S: ['stack'] as const, G: ['global'] as const, F: ['heap', 'stack'] as const }[condition.state];
    case 'test': {
      const kind = ({ IsHeap: 'heap', IsStack: 'stack', IsGlobal: 'global' } as const)[condition.name as 'IsHeap'];
      return kind !== undefined && slotsOf(condition.args[0]!).includes(subject.pointer) ? [kind] : ALL_KINDS;
    }
    case 'event': {
      const block = blockOfEvent(condition.pattern, condition.condition);
      return block !== undefined && isBlockOfSubject(block, subject) ? ['heap'] : ALL_KINDS;
    }
    default:
      return ALL_KINDS;
  }
}
