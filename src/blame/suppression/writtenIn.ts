/**
 * Memory that a structure may write, as far as addresses follow from the registers and the memory that there are before
 * it: constants are propagated through it, on all ways at once, until nothing changes. Functions that it calls are gone
 * through, too, as long as that does not take too long.
 */
import type { Block } from '../../ir/ir.js';
import { Evaluation, type MachineBefore } from '../../ir/meaning/evaluation.js';
import { FLAG_SLOTS, nodeEffects } from '../../ir/meaning/nodeEffects.js';
import type { MemoryRange } from '../../ir/meaning/strings.js';
import type { OpDef, Type } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';
import { GPR, RBP, RBX, RSP, type Slot } from '../../layout/cpuState.js';
import type { GuidedMachine } from '../../replay/branch/suppression/guide.js';
import type { Structure, StructureNode, Structures } from './structures.js';

interface Written {
  readonly memory: readonly MemoryRange[];
  /** Whether that is all. */
  readonly isAll: boolean;
}

/** What was stored, if that is known. */
interface Stored extends MemoryRange {
  value: bigint | undefined;
}

/** Slots that are not what they were before: their values, null if these are not known. */
type Changed = Map<number, bigint | null>;

const UNKNOWN = Symbol('unknown');
/** Instructions that are looked at, by how often the structure has been gone around before. */
const EFFORTS = [{ visits: 8, most: 4000 }, { visits: 200, most: 600 }, { visits: Infinity, most: 120 }] as const;
const LARGEST_OF_LIBRARIES = 600;
const LARGEST_STACK = 8 << 20;
const MOST_ROUNDS = 8;
const DEEPEST = 4;
/** What is below the stack pointer is no one's when the structure has ended. */
const DEAD_STACK = 1 << 20;
const KEPT_BY_CALLS: ReadonlySet<number> = new Set([RBX, RBP, RSP, ...GPR.slice(12)].map(({ offset }) => offset));
const CHANGED_BY_CALLS: readonly Slot[] = GPR.filter(({ offset }) => !KEPT_BY_CALLS.has(offset));
const FLAGS: ReadonlySet<number> = new Set(FLAG_SLOTS.map(({ offset }) => offset));

/** `callers`: where the stack of those begins who have called the function. */
export function writtenIn(structure: Structure, structures: Structures, machine: GuidedMachine, callers: bigint | undefined): Written {
  const size = structure.nodes.reduce((sum, { instructions }) => sum + instructions.length, 0);
  const isLarge = !structure.isOwn && size > LARGEST_OF_LIBRARIES;
  if (isLarge && callers === undefined) return { memory: [], isAll: false };
  const most = EFFORTS.find(({ visits }) => structure.visits < visits)?.most ?? 0;
  structure.visits++;
  const written = new Walk(structures, machine, most).run(structure);
  // Large functions of libraries keep books, of streams for example: if those were corrupt, no output would be left.
  // What they give back in variables of their callers is no such thing.
  return isLarge ? { memory: written.memory.filter(({ address }) => isOnStack(address, Number(callers))), isAll: false } : written;
}

function isOnStack(address: number, callers: number): boolean {
  return address >= callers && address < callers + LARGEST_STACK;
}

class Walk {
  private readonly written = new Map<string, Stored>();
  private isAll = true;

  constructor(
    private readonly structures: Structures,
    private readonly machine: GuidedMachine,
    private left: number,
  ) {}

  run({ nodes, first }: Structure): Written {
    this.through(nodes, first, new Map(), 0);
    const stack = Number(this.machine.slot(RSP.offset, 'i64'));
    const memory = [...this.written.values()].filter(({ address, bytes }) => address + bytes > stack || address < stack - DEAD_STACK);
    return { memory: memory.map(({ address, bytes }) => ({ address, bytes })), isAll: this.isAll };
  }

  private through(nodes: readonly StructureNode[], first: readonly number[], from: Changed, depth: number): void {
    const [before, rounds, open]: [(Changed | undefined)[], number[], Set<number>] = [[], [], new Set()];
    const arrive = (index: number, changed: Changed): void => {
      const known = before[index];
      rounds[index] = (rounds[index] ?? 0) + 1;
      if (known === undefined) before[index] = new Map(changed);
      if (known === undefined || (this.join(known, changed) && (rounds[index] ?? 0) < MOST_ROUNDS)) open.add(index);
    };
    for (const index of first) arrive(index, from);
    for (const index of open) {
      open.delete(index);
      const changed = new Map(before[index]);
      for (const block of nodes[index]?.instructions ?? []) {
        if (this.left-- <= 0) {
          this.isAll = false;
          return;
        }
        this.step(block, changed, depth);
      }
      for (const next of nodes[index]?.successors ?? []) arrive(next, changed);
    }
  }

  /** Values that differ by where control comes from are not known. True if that is new. */
  private join(known: Changed, changed: Changed): boolean {
    let isNew = false;
    for (const offset of new Set([...known.keys(), ...changed.keys()])) {
      const [mine, other] = [this.valueIn(known, offset), this.valueIn(changed, offset)];
      if (mine === null || mine === other) continue;
      known.set(offset, null);
      isNew = true;
    }
    return isNew;
  }

  private valueIn(changed: Changed, offset: number): bigint | null {
    const value = changed.get(offset);
    return value === undefined ? (this.machine.isSlotCorrupt(offset) ? null : this.machine.slot(offset, 'i64')) : value;
  }

  private step(block: Block, changed: Changed, depth: number): void {
    const before: MachineBefore = {
      slot: (offset, type) => this.slot(changed, offset, type),
      memory: (address, bytes) => this.memory(address, bytes),
    };
    const evaluation = new Evaluation(block, before);
    const sets: [number, bigint | null][] = [];
    const stores: Stored[] = [];
    for (const node of block.nodes) {
      const { effect, bytes, name } = OPS[node.op] as OpDef;
      if (effect === 'store' && bytes > 0) {
        const address = known(() => evaluation.address(node));
        if (address === undefined) this.isAll = false;
        else stores.push({ address, bytes, value: known(() => evaluation.value(node.b)) });
      } else if (effect === 'set') sets.push([node.imm, FLAGS.has(node.imm) ? null : (known(() => evaluation.value(node.a)) ?? null)]);
      else {
        if (name === 'rep.movs' || name === 'rep.stos' || name === 'sys.fpuImage') this.isAll = false;
        for (const { offset } of nodeEffects(node).writes) sets.push([offset, null]);
      }
    }
    for (const stored of stores) this.store(stored);
    for (const [offset, value] of sets) changed.set(offset, value);
    this.leave(block, changed, depth);
  }

  /** What a call does. */
  private leave({ end }: Block, changed: Changed, depth: number): void {
    if (end.kind !== 'call' && end.kind !== 'syscall' && !(end.kind === 'indirect' && end.via === 'call')) return;
    const called = end.kind === 'call' && depth < DEEPEST ? this.structures.called(end.target, (address) => this.memory(address, 8)) : [];
    if (called.length === 0) this.isAll = false;
    else this.through(called, [0], new Map(changed), depth + 1);
    for (const { offset } of CHANGED_BY_CALLS) changed.set(offset, null);
    // It has taken its return address back.
    const stack = changed.get(RSP.offset);
    if (end.kind !== 'syscall' && typeof stack === 'bigint') changed.set(RSP.offset, stack + 8n);
  }

  private slot(changed: Changed, offset: number, type: Type): bigint {
    const value = changed.get(offset);
    if (value === null || (value === undefined && this.machine.isSlotCorrupt(offset))) throw UNKNOWN;
    if (value === undefined) return this.machine.slot(offset, type);
    return type === 'i32' ? BigInt.asUintN(32, value) : value;
  }

  private memory(address: number, bytes: number): bigint | undefined {
    const exact = this.written.get(`${address} ${bytes}`);
    if (exact !== undefined) return exact.value;
    for (const range of this.written.values()) if (address < range.address + range.bytes && range.address < address + bytes) return undefined;
    if (this.machine.isMemoryCorrupt(address, bytes)) return undefined;
    const there = this.machine.read(address, bytes);
    return there === null ? undefined : there.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }

  private store(stored: Stored): void {
    const key = `${stored.address} ${stored.bytes}`;
    const known = this.written.get(key);
    if (known === undefined) this.written.set(key, stored);
    else if (this.isOwnStack(stored.address)) known.value = stored.value;
    else if (known.value !== stored.value) known.value = undefined;
  }

  /** Frames of functions that are called come and go: what was there last counts. */
  private isOwnStack(address: number): boolean {
    return address < Number(this.machine.slot(RSP.offset, 'i64'));
  }
}

/** Undefined if it depends on what is not known. */
function known<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error !== UNKNOWN) throw error;
    return undefined;
  }
}
