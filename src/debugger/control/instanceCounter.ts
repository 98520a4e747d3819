/**
 * Counts arrivals at some statements while an execution is observed, and knows for every thread which instance of each
 * it is in: a call that returns leads back to the instance that it was made from, though the statement may have been
 * reached again meanwhile (recursion, other threads, handlers of signals).
 */
import type { LoggedBlock } from '../../ir/loggedBlocks.js';
import type { ObservedRun } from '../../replay/timeline/observing.js';
import { ArrivalLoop, TOLD, type ToldBlock, type Trail } from '../arrivals/arrivalLoop.js';
import { ArrivalPass, type PassListener, type TrailedThread } from '../arrivals/arrivalPass.js';
import { BlockRows, bitOf, isSameGroup, type MetBlock } from '../arrivals/blockRows.js';
import { type CodeUnits, unitOfCall, unitsOf } from '../arrivals/units.js';
import type { LoadedModule, Modules } from '../program/modules.js';

export interface Arrival {
  readonly unit: number;
  /** From 1 on, over all threads. */
  readonly number: number;
  readonly time: number;
  readonly thread: number;
  /** Of its first instruction. */
  readonly address: number;
}

/** A time at which a thread is about to execute an instruction of a unit: which instance is that of? */
interface InstanceQuery {
  readonly time: number;
  readonly unit: number;
}

interface WatchedBlock extends MetBlock {
  /** Where control comes to another unit, from the first on. */
  readonly steps: readonly { readonly offset: number; readonly unit: number; readonly address: number }[];
  /** The unit of its last instruction, if it is one that counts and a call. */
  readonly callsFrom: number;
}

interface Call {
  readonly returnsTo: number;
  readonly unit: number;
  readonly number: number;
}

interface Context {
  /** By unit. */
  readonly current: Map<number, number>;
  /** Calls from units that count, which have not returned. */
  calls: Call[];
}

interface CounterOptions {
  readonly modules: Modules;
  readonly units: CodeUnits;
  /** Those that count. */
  readonly wanted: ReadonlySet<number>;
  readonly onArrival?: (arrival: Arrival) => void;
  /** In the order of time. */
  readonly queries?: readonly InstanceQuery[];
}

/** Calls that never return (longjmp) are forgotten at last. */
const MOST_CALLS = 1 << 20;

export class InstanceCounter implements PassListener<WatchedBlock> {
  readonly pass = new ArrivalPass<WatchedBlock>(this);
  /** By query; 0: the unit had not been reached. */
  readonly answers: number[] = [];
  private readonly totals = new Map<number, number>();
  private readonly contexts = new Map<number, Context>();
  private readonly saved = new Map<number, Context[]>();

  constructor(private readonly options: CounterOptions) {}

  total(unit: number): number {
    return this.totals.get(unit) ?? 0;
  }

  /**
   * A thread stands before an instruction: whether that would be an arrival at its unit, and otherwise the instance
   * that it belongs to. Of a caller it is where its call returns to, and which of such calls it is, from the last one
   * on.
   */
  standing(thread: number, module: LoadedModule, pc: number, caller?: number): { readonly unit: number; readonly number: number; readonly isArrival: boolean } {
    const { units } = this.options;
    const address = pc - Number(module.bias);
    const unit = units.ownerAt(module, caller === undefined ? address : address - 1);
    const trail = this.pass.trailOf(thread, pc);
    const context = this.contexts.get(thread);
    const begun = units.unitAt(module, address);
    const unitBefore = units.unitBefore(module, address - 1);
    if (caller === undefined && begun === unit && arrives(trail, begun, unitBefore, pc)) return { unit, number: this.total(unit) + 1, isArrival: true };
    const call = context?.calls.filter((one) => one.returnsTo === pc && one.unit === unit).at(-1 - (caller ?? 0));
    return { unit, number: call?.number ?? context?.current.get(unit) ?? this.total(unit), isArrival: false };
  }

  meet(block: LoggedBlock, run: ObservedRun): WatchedBlock {
    const { modules, units: code, wanted } = this.options;
    const module = modules.of(run.state, run.thread).at(BigInt(block.start));
    const units = unitsOf(block, module, code);
    const unitBefore = unitOfCall(block, module, code);
    let next = block.start;
    const all = units.map((unit, offset) => ({ unit, offset, address: (next += block.lengths[offset] ?? 0) - (block.lengths[offset] ?? 0) }));
    const steps = all.filter(({ unit }) => unit !== 0).filter(({ unit }, i, lined) => unit !== lined[i - 1]?.unit);
    const isWatched = wanted.has(unitBefore) || units.some((unit) => wanted.has(unit)) || (this.options.queries !== undefined && this.owns(block, module));
    const last = module === undefined ? 0 : code.unitBefore(module, block.next - (block.lengths.at(-1) ?? 0) - Number(module.bias));
    const callsFrom = block.end === 'call' && wanted.has(last) ? last : 0;
    return { block, units, unitBefore, functions: [0, 0], isEntry: false, isWatched: isWatched || callsFrom !== 0, steps, callsFrom };
  }

  told({ how, been, time }: ToldBlock, met: WatchedBlock, thread: TrailedThread): void {
    const context = this.contextOf(thread.id);
    if ((how & TOLD.returned) !== 0) comeBack(context, met.block.start);
    let [seen, last] = [been, 0];
    for (const { unit, offset, address } of met.steps) {
      if (last !== 0 && !isSameGroup(last, unit)) seen = 0;
      const isArrival = last === 0 ? (how & TOLD.entered) !== 0 : (seen & bitOf(unit)) === 0;
      if (isArrival && this.options.wanted.has(unit)) this.arrive(context, { unit, time: time + offset, thread: thread.id, address });
      seen |= bitOf(unit);
      last = unit;
    }
    this.answer(time + met.block.lengths.length, context);
    if (met.callsFrom !== 0) callFrom(context, met);
  }

  interrupted({ id }: TrailedThread, depth: number): void {
    const saved = this.saved.get(id) ?? [];
    const { current, calls } = this.contextOf(id);
    saved[depth] = { current: new Map(current), calls: [...calls] };
    this.saved.set(id, saved);
  }

  resumed({ id }: TrailedThread, depth: number): void {
    const before = this.saved.get(id)?.[depth];
    if (before !== undefined) this.contexts.set(id, before);
  }

  private owns({ start, lengths }: LoggedBlock, module: LoadedModule | undefined): boolean {
    if (module === undefined) return false;
    const { units, wanted } = this.options;
    let address = start - Number(module.bias);
    return lengths.some((length) => {
      const isWanted = wanted.has(units.ownerAt(module, address));
      address += length;
      return isWanted;
    });
  }

  private arrive(context: Context, { unit, time, thread, address }: Omit<Arrival, 'number'>): void {
    this.answer(time, context);
    const number = this.total(unit) + 1;
    this.totals.set(unit, number);
    context.current.set(unit, number);
    this.options.onArrival?.({ unit, number, time, thread, address });
  }

  /** Queries before a time, by what holds now. */
  private answer(before: number, { current }: Context): void {
    const { queries } = this.options;
    if (queries === undefined) return;
    for (let next = queries[this.answers.length]; next !== undefined && next.time < before; next = queries[this.answers.length]) {
      this.answers.push(current.get(next.unit) ?? this.total(next.unit));
    }
  }

  private contextOf(id: number): Context {
    let known = this.contexts.get(id);
    if (known === undefined) this.contexts.set(id, (known = { current: new Map(), calls: [] }));
    return known;
  }
}

function callFrom({ current, calls }: Context, { block: { next }, callsFrom }: WatchedBlock): void {
  if (calls.length >= MOST_CALLS) calls.splice(0, MOST_CALLS / 2);
  calls.push({ returnsTo: next, unit: callsFrom, number: current.get(callsFrom) ?? 0 });
}

function comeBack({ current, calls }: Context, address: number): void {
  const index = calls.findLastIndex(({ returnsTo }) => returnsTo === address);
  const [call] = index < 0 ? [] : calls.splice(index);
  if (call !== undefined && call.number !== 0) current.set(call.unit, call.number);
}

/** The rule (arrivalLoop.ts) for one instruction. */
function arrives(trail: Trail, unit: number, unitBefore: number, address: number): boolean {
  const rows = new BlockRows<MetBlock>(new ArrivalLoop());
  const block: LoggedBlock = { number: 0, start: address, next: address + 1, lengths: Uint8Array.of(1), end: 'cut', accesses: [], entries: 0 };
  const met: MetBlock = { block, units: [unit], unitBefore, functions: [0, 0], isEntry: false, isWatched: false };
  rows.count(Uint32Array.of(0), { count: 1, get: () => block }, { ...trail }, 0, () => met);
  return rows.of(0).entered > 0;
}
