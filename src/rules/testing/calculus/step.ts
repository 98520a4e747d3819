/**
 * The reduction rules of Figure 8, one step at a time. A state may also be stuck: the figure has no rule for an access
 * to a local of a function that has returned, for one outside of a live local, or for calling a number. [SEQ],
 * [FREE-NULL] (in C, freeing NULL does nothing) and pointers as guards of if0 are ours.
 */
import { assertNever } from '../../../base/assert.js';
import { errorOf, type ErrorRule } from './errors.js';
import { decompose } from './redex.js';
import { GEN, isInside, liveBlock, target, type Block, type BlockId, type Event, type Origin, type State } from './state.js';
import { substitute, valueOf, type Expression, type CalculusValue } from './syntax.js';

export type Rule =
  | 'LET' | 'LET-SALLOC' | 'SEQ' | 'MALLOC' | 'FREE' | 'FREE-NULL' | 'CALL' | 'RETURN' | 'READ' | 'ASSIGN' | 'INT-OP' | 'PTR-ARITH' | 'IF-T' | 'IF-F';

export type Outcome =
  | { readonly kind: 'step'; readonly rule: Rule; readonly state: State }
  | { readonly kind: 'error'; readonly rule: ErrorRule }
  | { readonly kind: 'stuck'; readonly reason: string }
  | { readonly kind: 'value'; readonly value: CalculusValue };

/** A rule's new state without time and context, or why there is none. */
type Reduced = { readonly rule: Rule; readonly state: State; readonly to: Expression } | string;

export function step(state: State): Outcome {
  const decomposed = decompose(state.expression);
  if (decomposed === undefined) return { kind: 'value', value: valueOf(state.expression)! };
  const { redex, plug } = decomposed;
  const error = errorOf(state, redex);
  if (error !== undefined) return { kind: 'error', rule: error };
  const reduced = reduce(state, redex);
  if (typeof reduced === 'string') return { kind: 'stuck', reason: reduced };
  // [CONG]: the rest stays around what was reduced.
  return { kind: 'step', rule: reduced.rule, state: { ...reduced.state, time: state.time + 1, expression: plug(reduced.to) } };
}

function value(value: CalculusValue): Expression {
  return { kind: 'value', value };
}

function record(state: State, event: Event): State {
  return { ...state, trace: { time: state.time, event, before: state.trace } };
}

/** orig(v, f): constants are made here, symbols come from themselves, everything else from where it was last. */
function origin(of: CalculusValue, before: Origin): Origin {
  if (of.kind === 'integer' || of.kind === 'null') return GEN;
  return of.kind === 'symbol' ? { kind: 'from', place: of } : before;
}

function junk(size: number, time: number): Block {
  return { contents: Array.from({ length: size }, () => undefined), size, time };
}

function reduce(state: State, redex: Expression): Reduced {
  switch (redex.kind) {
    case 'let':
      return { rule: 'LET', state, to: substitute(redex.body, redex.name, valueOf(redex.bound)!) };
    case 'salloc':
      return salloc(state, redex.name, redex.size, redex.body);
    case 'sequence':
      return { rule: 'SEQ', state, to: redex.right };
    case 'malloc':
      return malloc(state, valueOf(redex.operand)!);
    case 'free':
      return free(state, valueOf(redex.operand)!);
    case 'call':
      return call(state, valueOf(redex.left)!, valueOf(redex.right)!);
    case 'return':
      return returned(state, redex.from, valueOf(redex.operand)!);
    case 'deref':
      return read(state, valueOf(redex.operand)!);
    case 'assign':
      return assign(state, valueOf(redex.left)!, valueOf(redex.right)!);
    case 'add':
      return add(state, valueOf(redex.left)!, valueOf(redex.right)!);
    case 'addPointer':
      return addPointer(state, valueOf(redex.left)!, valueOf(redex.right)!);
    case 'if0':
      return branch(state, valueOf(redex.guard)!, redex.zero, redex.other);
    case 'variable':
      return `${redex.name} is bound nowhere`;
    case 'value':
      return 'a value is no redex';
    default:
      return assertNever(redex);
  }
}

/** A fresh location that points to a block. */
function freshPointer(state: State, bid: BlockId, index: number): { state: State; pointer: CalculusValue } {
  const pointers = new Map([...state.pointers, [state.nextLoc, { bid, index }]]);
  return { state: { ...state, pointers, nextLoc: state.nextLoc + 1 }, pointer: { kind: 'pointer', r: state.nextLoc } };
}

function salloc(state: State, name: string, size: number, body: Expression): Reduced {
  const bid = state.nextBlock;
  const frame = state.stack.at(-1);
  if (frame === undefined) return 'there is no frame to allocate in';
  const stack = [...state.stack.slice(0, -1), new Map([...frame, [bid, junk(size, state.time)]])];
  const made = freshPointer({ ...state, stack, nextBlock: bid + 1 }, bid, 0);
  return { rule: 'LET-SALLOC', state: made.state, to: substitute(body, name, made.pointer) };
}

function malloc(state: State, size: CalculusValue): Reduced {
  if (size.kind !== 'integer' || size.n < 0) return 'malloc of something that is no size';
  const bid = state.nextBlock;
  const heap = new Map([...state.heap, [bid, junk(size.n, state.time)]]);
  const made = freshPointer(record({ ...state, heap, nextBlock: bid + 1, origin: GEN }, { kind: 'malloc', size: size.n, bid }), bid, 0);
  return { rule: 'MALLOC', state: made.state, to: value(made.pointer) };
}

function free(state: State, pointer: CalculusValue): Reduced {
  const zero = value({ kind: 'integer', n: 0 });
  if (pointer.kind === 'null') return { rule: 'FREE-NULL', state, to: zero };
  const at = target(state, pointer);
  const block = at === undefined ? undefined : state.heap.get(at.bid);
  if (at === undefined || block === undefined) return 'free of something that is no pointer';
  const heap = new Map([...state.heap].filter(([bid]) => bid !== at.bid));
  const freed = new Map([...state.freed, [at.bid, { tag: 'h' as const, block }]]);
  return { rule: 'FREE', state: record({ ...state, heap, freed }, { kind: 'free', pointer: at, bid: at.bid }), to: zero };
}

function call(state: State, callee: CalculusValue, argument: CalculusValue): Reduced {
  const called = callee.kind === 'symbol' ? state.program.functions.find(({ name }) => name === callee.name) : undefined;
  if (called === undefined || callee.kind !== 'symbol') return 'call of something that is no function';
  const parameter: Expression = { kind: 'variable', name: called.parameter };
  const body: Expression = { kind: 'sequence', left: { kind: 'assign', left: parameter, right: value(argument) }, right: called.body };
  const next = record({ ...state, stack: [...state.stack, new Map()], origin: origin(argument, state.origin) }, { kind: 'call', symbol: callee.name, value: argument });
  return { rule: 'CALL', state: next, to: { kind: 'salloc', name: called.parameter, size: 1, body } };
}

function returned(state: State, symbol: string, result: CalculusValue): Reduced {
  const frame = state.stack.at(-1);
  if (frame === undefined) return 'return without a frame';
  const popped = [...frame].map(([bid, block]) => [bid, { tag: 's' as const, block }] as const);
  const freed = new Map([...state.freed, ...popped]);
  const next = record({ ...state, stack: state.stack.slice(0, -1), freed, origin: origin(result, state.origin) }, { kind: 'ret', symbol, value: result });
  return { rule: 'RETURN', state: next, to: value(result) };
}

function read(state: State, pointer: CalculusValue): Reduced {
  const at = target(state, pointer);
  const block = at === undefined ? undefined : liveBlock(state, at.bid);
  const found = at === undefined ? undefined : block?.contents[at.index];
  if (at === undefined || block === undefined || !isInside(block, at.index) || found === undefined) return noAccess(state, pointer);
  return { rule: 'READ', state: { ...state, origin: { kind: 'from', place: pointer } }, to: value(found) };
}

function assign(state: State, pointer: CalculusValue, stored: CalculusValue): Reduced {
  const at = target(state, pointer);
  const block = at === undefined ? undefined : liveBlock(state, at.bid);
  if (at === undefined || block === undefined || !isInside(block, at.index)) return noAccess(state, pointer);
  const changed: Block = { ...block, contents: block.contents.with(at.index, stored) };
  const put = (blocks: State['heap']) => (blocks.has(at.bid) ? new Map([...blocks, [at.bid, changed]]) : blocks);
  const from = origin(stored, state.origin);
  const next = record({ ...state, heap: put(state.heap), stack: state.stack.map(put), origin: from }, { kind: 'write', pointer: at, value: stored, origin: from });
  return { rule: 'ASSIGN', state: next, to: value(stored) };
}

function noAccess(state: State, pointer: CalculusValue): string {
  const at = target(state, pointer);
  if (at === undefined) return 'access through something that is no pointer';
  return state.freed.has(at.bid) ? 'access to a local of a function that has returned' : 'access outside of a local variable';
}

function add(state: State, left: CalculusValue, right: CalculusValue): Reduced {
  if (left.kind !== 'integer' || right.kind !== 'integer') return 'sum of something that is no number';
  return { rule: 'INT-OP', state: { ...state, origin: GEN }, to: value({ kind: 'integer', n: left.n + right.n }) };
}

function addPointer(state: State, pointer: CalculusValue, offset: CalculusValue): Reduced {
  const at = target(state, pointer);
  if (at === undefined || offset.kind !== 'integer') return 'pointer arithmetic with something that is no pointer';
  const made = freshPointer({ ...state, origin: GEN }, at.bid, at.index + offset.n);
  return { rule: 'PTR-ARITH', state: made.state, to: value(made.pointer) };
}

function branch(state: State, guard: CalculusValue, zero: Expression, other: Expression): Reduced {
  const taken = guard.kind === 'null' || (guard.kind === 'integer' && guard.n === 0);
  return { rule: taken ? 'IF-T' : 'IF-F', state: record(state, { kind: 'branch', value: guard }), to: taken ? zero : other };
}
