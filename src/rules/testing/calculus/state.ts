/**
 * States ⟨H; F; S̄; P; k; σ; f; e⟩ of Figure 8. They are never changed: a step makes a new one, which shares what
 * stayed the same.
 *
 * A pointer is compared by where it points (its block and index), not by its location: [PTR-ARITH] makes a fresh
 * location for each result, yet `r ≠ Begin(r)` and the r of a write event must mean the same place when they are the
 * same place.
 */
import type { Expression, Loc, Program, CalculusValue } from './syntax.js';
import { substitute } from './syntax.js';

/**
 * 1, 2, 3…; never used again. The heap's and the stack's share one sequence; what is a stack block is known by where it
 * is kept.
 */
export type BlockId = number;

export interface Block {
  /** By index; undefined is junk. */
  readonly contents: readonly (CalculusValue | undefined)[];
  readonly size: number;
  readonly time: number;
}

type Blocks = ReadonlyMap<BlockId, Block>;

/** What is known about a value's way: made here, read from a location, or from a global symbol. */
export type Origin = { readonly kind: 'gen' } | { readonly kind: 'from'; readonly place: CalculusValue };
export const GEN: Origin = { kind: 'gen' };

export type Event =
  | { readonly kind: 'write'; readonly pointer: Target; readonly value: CalculusValue; readonly origin: Origin }
  | { readonly kind: 'branch'; readonly value: CalculusValue }
  | { readonly kind: 'malloc'; readonly size: number; readonly bid: BlockId }
  | { readonly kind: 'free'; readonly pointer: Target; readonly bid: BlockId }
  | { readonly kind: 'call' | 'ret'; readonly symbol: string; readonly value: CalculusValue };

/** An entry of P: the block and the index that a location stands for. */
export interface Target {
  readonly bid: BlockId;
  readonly index: number;
}

/** σ, the last event first: detectors look backward. */
export interface Trace {
  readonly time: number;
  readonly event: Event;
  readonly before: Trace | undefined;
}

export interface State {
  readonly heap: Blocks;
  /** F with its tags h and s. The blocks are kept as they were when they were freed. */
  readonly freed: ReadonlyMap<BlockId, { readonly tag: 'h' | 's'; readonly block: Block }>;
  /** S̄, the innermost frame last. */
  readonly stack: readonly Blocks[];
  readonly pointers: ReadonlyMap<Loc, Target>;
  readonly time: number;
  readonly trace: Trace | undefined;
  readonly origin: Origin;
  readonly expression: Expression;
  readonly program: Program;
  readonly nextBlock: BlockId;
  readonly nextLoc: Loc;
}

/**
 * Before the first step. The figure does not say where global variables live: they are blocks of size 1 in a frame
 * below main's, and initialised by a write at time 0; a global's name stands for the pointer to its block. main's body
 * is wrapped in `ret main`, so that the end of the program is the detection point that the leak rules of Figure 6 name.
 */
export function initialState(program: Program): State {
  let state: State = {
    heap: new Map(),
    freed: new Map(),
    stack: [new Map(), new Map()],
    pointers: new Map(),
    time: 1,
    trace: undefined,
    origin: GEN,
    expression: { kind: 'return', from: 'main', operand: program.main },
    program,
    nextBlock: 1,
    nextLoc: 1,
  };
  for (const { name, value } of program.globals) state = withGlobal(state, name, value);
  return { ...state, trace: { time: 0, event: { kind: 'call', symbol: 'main', value: { kind: 'integer', n: 0 } }, before: state.trace } };
}

function withGlobal(state: State, name: string, value: CalculusValue): State {
  const bid = state.nextBlock;
  const pointer: CalculusValue = { kind: 'pointer', r: state.nextLoc };
  const [globals, ...frames] = state.stack;
  const { program } = state;
  return {
    ...state,
    stack: [new Map([...globals!, [bid, { contents: [value], size: 1, time: 0 }]]), ...frames],
    pointers: new Map([...state.pointers, [state.nextLoc, { bid, index: 0 }]]),
    trace: { time: 0, event: { kind: 'write', pointer: { bid, index: 0 }, value, origin: GEN }, before: state.trace },
    expression: substitute(state.expression, name, pointer),
    program: { ...program, functions: program.functions.map((one) => ({ ...one, body: one.parameter === name ? one.body : substitute(one.body, name, pointer) })) },
    nextBlock: bid + 1,
    nextLoc: state.nextLoc + 1,
  };
}

export function target(state: State, value: CalculusValue): Target | undefined {
  return value.kind === 'pointer' ? state.pointers.get(value.r) : undefined;
}

/** A live block of the heap or of any frame. */
export function liveBlock(state: State, bid: BlockId): Block | undefined {
  return state.heap.get(bid) ?? state.stack.find((frame) => frame.has(bid))?.get(bid);
}

export function isInside(block: Block, index: number): boolean {
  return index >= 0 && index < block.size;
}

/** Definition 3.1: no block is in two of heap, freed set and stack. */
export function isWellFormed({ heap, freed, stack }: State): boolean {
  const ids = [...heap.keys(), ...freed.keys(), ...stack.flatMap((frame) => [...frame.keys()])];
  return new Set(ids).size === ids.length;
}
