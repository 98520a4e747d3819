/**
 * Comparisons of a pointer with the bounds of its block, as one inequality `sum >= 0` over
 *
 *     i  the pointer's offset in its block      s  the size of the block
 *     n  the bytes accessed (at least 1)        b  the address of the block
 *
 * so that `r >= End(r)`, `Idx(r) >= Size(r)` and `r - Begin(r) + n > Size(r)` are seen to say the same kind of thing.
 */
import type { ComparisonOperator, Term } from '../language/core.js';

export interface Subject {
  /** The slot of the pointer, and of the number of bytes if the point names it. */
  readonly pointer: number;
  readonly bytes?: number;
  /** Slots that are known to be the pointer's block. */
  readonly blocks: ReadonlySet<number>;
}

interface Sum {
  readonly i: bigint;
  readonly s: bigint;
  readonly n: bigint;
  readonly b: bigint;
  readonly constant: bigint;
}

const ZERO: Sum = { i: 0n, s: 0n, n: 0n, b: 0n, constant: 0n };

/** Whether the comparison can hold only if some accessed byte is outside of the block. */
export function impliesOutOfBounds(operator: ComparisonOperator, left: Term, right: Term, subject: Subject): boolean {
  const a = sumOf(left, subject);
  const b = sumOf(right, subject);
  if (a === undefined || b === undefined) return false;
  if (operator === '==') return outside(minus(a, b)) || outside(minus(b, a));
  const nonNegative = { '>=': minus(a, b), '>': plus(minus(a, b), -1n), '<=': minus(b, a), '<': plus(minus(b, a), -1n) };
  return operator !== '!=' && outside(nonNegative[operator]);
}

/** Whether `sum >= 0` means i < 0 or i + n > s. */
function outside({ i, s, n, b, constant }: Sum): boolean {
  if (b !== 0n) return false;
  if (i === -1n && s === 0n && n === 0n) return constant <= -1n;
  if (i !== 1n || s !== -1n) return false;
  // i - s + constant >= 0, and n is at least 1.
  if (n === 0n) return constant <= 0n;
  return n === 1n && constant <= -1n;
}

/** The pointer itself or its block, in the argument of Begin, End, Size. */
export function isSubject(term: Term, subject: Subject): boolean {
  if (term.kind === 'slot') return term.slot === subject.pointer || subject.blocks.has(term.slot);
  return isBlockOfSubject(term, subject);
}

export function isBlockOfSubject(term: Term, subject: Subject): boolean {
  if (term.kind === 'slot') return subject.blocks.has(term.slot);
  return term.kind === 'apply' && term.name === 'Bid' && isPointer(term.args[0], subject);
}

export function isPointer(term: Term | undefined, subject: Subject): boolean {
  return term?.kind === 'slot' && term.slot === subject.pointer;
}

function sumOf(term: Term, subject: Subject): Sum | undefined {
  if (term.kind === 'number') return { ...ZERO, constant: term.value };
  if (term.kind === 'slot') return term.slot === subject.pointer ? { ...ZERO, i: 1n, b: 1n } : term.slot === subject.bytes ? { ...ZERO, n: 1n } : undefined;
  if (term.kind === 'apply') return boundOf(term.name, term.args[0], subject);
  if (term.kind === 'unary' && term.operator === '-') {
    const operand = sumOf(term.operand, subject);
    return operand && minus(ZERO, operand);
  }
  if (term.kind !== 'binary' || (term.operator !== '+' && term.operator !== '-')) return undefined;
  const left = sumOf(term.left, subject);
  const right = sumOf(term.right, subject);
  if (left === undefined || right === undefined) return undefined;
  return term.operator === '-' ? minus(left, right) : minus(left, minus(ZERO, right));
}

function boundOf(name: string, arg: Term | undefined, subject: Subject): Sum | undefined {
  if (arg === undefined || !isSubject(arg, subject)) return undefined;
  switch (name) {
    case 'Begin':
      return { ...ZERO, b: 1n };
    case 'End':
      return { ...ZERO, b: 1n, s: 1n };
    case 'Size':
      return { ...ZERO, s: 1n };
    case 'Idx':
      return { ...ZERO, i: 1n };
    default:
      return undefined;
  }
}

function minus(a: Sum, b: Sum): Sum {
  return { i: a.i - b.i, s: a.s - b.s, n: a.n - b.n, b: a.b - b.b, constant: a.constant - b.constant };
}

function plus(sum: Sum, constant: bigint): Sum {
  return { ...sum, constant: sum.constant + constant };
}
