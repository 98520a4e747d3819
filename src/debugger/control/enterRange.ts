/**
 * How control can come into a range of code: the counterpart of leaveRange.ts for steps backward. The function is
 * decoded; with stops at what leads into the range, at its start, and where only other code can lead (a call that
 * returns, a handler of exceptions), the thread can be followed back through the range at full speed, however often it
 * goes around there.
 */
import { scopesAt } from '../../dwarf/sourceFrames.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { Scope } from '../../dwarf/scope.js';
import { type FlowStep, flowOf } from '../../x86/flow.js';
import type { LoadedModule } from '../program/modules.js';
import type { ProgramView } from '../program/programView.js';
import type { CodeRange } from './stepFacts.js';

/** A function that is longer takes longer to decode than it saves. */
const LONGEST_FUNCTION = 1 << 20;

export class RangeEntries {
  private constructor(
    readonly range: CodeRange,
    /** Where to stop. */
    readonly addresses: readonly bigint[],
    private readonly inside: ReadonlySet<bigint>,
  ) {}

  /** Undefined where it is not known what belongs to the function, or where a part of the range is an inlined call. */
  static of(view: ProgramView, range: CodeRange, callsReturn: boolean): RangeEntries | undefined {
    const module = view.moduleAt(view.pc);
    if (module === undefined || range.end <= range.start) return undefined;
    const parts = partsOfFunction(module, view.pc);
    const [low, high] = [Number(range.start), Number(range.end)];
    if (!parts.some((part) => low >= part.low && high <= part.high)) return undefined;
    const steps = parts.flatMap((part) => flowOf(view.memory(BigInt(part.low), part.high - part.low) ?? new Uint8Array(0), part.low));
    const own = steps.filter(({ address }) => address >= low && address < high);
    if (!isOneFrame(module, own, view.pc)) return undefined;
    const inside = entriesInside(own, low, callsReturn);
    const outside = steps.filter((step) => (step.address < low || step.address >= high) && mayLeadInto(step, low, high)).map(({ address }) => BigInt(address));
    return new RangeEntries(range, [...inside, ...outside], inside);
  }

  /** Whether the instruction before this one may have been out of the range. */
  isEntry(pc: bigint): boolean {
    return this.inside.has(pc);
  }
}

/** All ranges of the function around an address, in memory. */
function partsOfFunction(module: LoadedModule, pc: bigint): { readonly low: number; readonly high: number }[] {
  const { info } = module.file;
  const bias = Number(module.bias);
  const ranges = info === undefined ? [] : unlessCorrupt(() => scopesAt(info, Number(pc) - bias).at(-1)?.ranges ?? [], () => []);
  const length = ranges.reduce((sum, { low, high }) => sum + high - low, 0);
  return length > LONGEST_FUNCTION ? [] : ranges.map(({ low, high }) => ({ low: low + bias, high: high + bias }));
}

function isOneFrame(module: LoadedModule, steps: readonly FlowStep[], pc: bigint): boolean {
  const { info } = module.file;
  if (info === undefined) return false;
  const functionsAt = (address: number): readonly Scope[] => unlessCorrupt(() => scopesAt(info, address - Number(module.bias)).filter(({ kind }) => kind !== 'block'), () => []);
  const here = functionsAt(Number(pc));
  return steps.every(({ address }) => {
    const there = functionsAt(address);
    return there.length === here.length && there.every((scope, i) => scope === here[i]);
  });
}

/** The start, what follows calls (unless they are gone over), and what nothing inside leads to. */
function entriesInside(steps: readonly FlowStep[], start: number, callsReturn: boolean): Set<bigint> {
  const reached = new Set<number>();
  const entries = new Set<bigint>([BigInt(start)]);
  for (const step of steps) {
    const next = step.address + step.length;
    if (step.target !== undefined && step.kind !== 'call') reached.add(step.target);
    const isCall = step.kind === 'call' || step.kind === 'indirectCall';
    if (step.kind === 'next' || step.kind === 'conditional' || step.kind === 'other' || (isCall && callsReturn)) reached.add(next);
    if (isCall && !callsReturn) entries.add(BigInt(next));
  }
  for (const { address } of steps) if (!reached.has(address)) entries.add(BigInt(address));
  return entries;
}

function mayLeadInto({ address, length, kind, target }: FlowStep, low: number, high: number): boolean {
  const isWithin = (place: number): boolean => place >= low && place < high;
  switch (kind) {
    case 'indirectJump': return true;
    case 'jump': return target !== undefined && isWithin(target);
    case 'conditional': return isWithin(address + length) || (target !== undefined && isWithin(target));
    case 'next': case 'other': case 'call': case 'indirectCall': return isWithin(address + length);
    case 'return': case 'invalid': return false;
  }
}
