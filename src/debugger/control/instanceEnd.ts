/**
 * Where an instance of a statement ends: where its thread leaves it in the frame that it began in. Calls that it makes
 * are inside, whatever they come to, and so are handlers of signals. It is left for another statement, by a jump back
 * to its own beginning (the next instance), by a return from the function, or by a jump out of frames (longjmp,
 * exceptions).
 */
import type { LoggedBlock } from '../../ir/loggedBlocks.js';
import { at, type Position } from '../../replay/log/position.js';
import type { ExecutionListener, Happening, ObservedRun } from '../../replay/timeline/observing.js';
import { scopesAt } from '../../dwarf/sourceFrames.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { type CodeUnits, unitsOf } from '../arrivals/units.js';
import type { LoadedModule, Modules } from '../program/modules.js';

const RT_SIGRETURN = 15;

/** What is on the stack above the statement's frame: calls, and places where a handler began. */
type Above = { readonly kind: 'call'; readonly returnsTo: number; readonly caller: number } | { readonly kind: 'handler'; readonly rip: number };

interface Seen {
  readonly block: LoggedBlock;
  readonly units: readonly number[];
  /** Entry of the function that it begins in; 0 if not known. */
  readonly function: number;
  /** Whether it has lines. */
  readonly hasLine: boolean;
}

export class InstanceEnd implements ExecutionListener {
  /** Undefined as long as it has not been seen. */
  end: Position | undefined;
  private above: Above[] = [];
  private own = 0;
  private last: LoggedBlock | undefined;
  private lastFunction = 0;
  /** The address of its last instruction, and whether it has jumped back since it was in the statement. */
  private at = -1;
  private isBack = false;
  private signalled: number | undefined;
  private hasReturned = false;
  private readonly seen = new Map<LoggedBlock, Seen>();

  constructor(
    private readonly modules: Modules,
    private readonly units: CodeUnits,
    private readonly unit: number,
    private readonly thread: number,
  ) {}

  ran(run: ObservedRun): void {
    if (run.thread !== this.thread || this.end !== undefined) return;
    let { time } = run;
    for (const number of run.blocks) {
      const block = run.known.get(number);
      this.enter(this.seen.get(block) ?? this.meet(block, run), time);
      if (this.end !== undefined) return;
      time += block.lengths.length;
    }
  }

  happened({ kind, task, rip, syscall }: Happening): void {
    if (task !== this.thread || this.end !== undefined) return;
    if (kind === 'signal') this.signalled = rip;
    if (kind === 'syscall' && syscall === RT_SIGRETURN) this.hasReturned = true;
  }

  private enter(seen: Seen, time: number): void {
    const { block, units } = seen;
    const { start, lengths, next } = block;
    this.findFrame(seen, time);
    if (this.end !== undefined) return;
    if (this.above.length === 0) {
      const leaves = this.leavesIn(units, start);
      if (leaves >= 0) return void (this.end = at(time + leaves));
      this.at = next - (lengths.at(-1) ?? 0);
    }
    if (block.end === 'call') this.above.push({ kind: 'call', returnsTo: next, caller: seen.function });
    this.last = block;
    this.lastFunction = seen.function;
    // A return from the frame itself: whatever comes next is outside.
    if (block.end === 'return' && this.above.length === 0) this.end = at(time + lengths.length);
  }

  /** Which instruction of the block is outside, -1 if none is. */
  private leavesIn(units: readonly number[], start: number): number {
    this.isBack ||= start <= this.at;
    const first = units.findIndex((unit) => unit !== 0);
    if (first >= 0 && this.isBack) return first;
    return units.findIndex((unit) => unit !== 0 && unit !== this.unit);
  }

  /** What of the stack is left where a block begins. */
  private findFrame({ block: { start }, hasLine, function: here }: Seen, time: number): void {
    const { last, signalled, hasReturned } = this;
    this.signalled = undefined;
    this.hasReturned = false;
    if (last === undefined) {
      this.own = here;
      return;
    }
    if (hasReturned) return this.resume(start);
    if (signalled !== undefined && signalled !== start) return void this.above.push({ kind: 'handler', rip: signalled });
    if (last.end === 'return') return this.comeBack(start, here, time);
    // Into the middle of another function, with lines: no call that was made a jump, nor a part that lies elsewhere.
    const isFar = last.end === 'jump' && here !== this.lastFunction && here !== start && here !== 0 && hasLine;
    if (isFar && this.above.length > 0) this.land(here, time);
  }

  private resume(rip: number): void {
    const index = this.above.findLastIndex((one) => one.kind === 'handler' && one.rip === rip);
    if (index >= 0) this.above.length = index;
  }

  private comeBack(start: number, here: number, time: number): void {
    // A handler returns to code that asks the kernel to go on where it was.
    if (this.above.at(-1)?.kind === 'handler') return;
    const index = this.above.findLastIndex((one) => one.kind === 'call' && one.returnsTo === start);
    if (index >= 0) this.above.length = index;
    else this.land(here, time);
  }

  /** Out of frames: into the innermost one of this function. */
  private land(here: number, time: number): void {
    const index = this.above.findLastIndex((one) => one.kind === 'call' && one.caller === here);
    if (index >= 0) this.above.length = index;
    else if (here === this.own) this.above = [];
    else this.end = at(time);
  }

  private meet(block: LoggedBlock, { state, thread }: ObservedRun): Seen {
    const module = this.modules.of(state, thread).at(BigInt(block.start));
    const units = unitsOf(block, module, this.units);
    const made = module === undefined ? { block, units, function: 0, hasLine: false } : {
      block, units, function: entryOf(module, block.start), hasLine: this.units.ownerAt(module, block.start - Number(module.bias)) !== 0,
    };
    this.seen.set(block, made);
    return made;
  }
}

function entryOf(module: LoadedModule, address: number): number {
  const { info, file } = module;
  const bias = Number(module.bias);
  const scope = info === undefined ? undefined : unlessCorrupt(() => scopesAt(info, address - bias).at(-1), () => undefined);
  const entry = scope?.entry ?? file.symbolAt(address - bias)?.symbol.address;
  return entry === undefined ? 0 : entry + bias;
}
