/**
 * Memory that a structure may write, as far as addresses follow from the registers and the memory that there are before
 * it: constants are propagated through it, on all ways at once, until nothing changes.
 */
import type { Block } from '../../ir/ir.js';
import { Evaluation, type MachineBefore } from '../../ir/meaning/evaluation.js';
import { FLAG_SLOTS, nodeEffects } from '../../ir/meaning/nodeEffects.js';
import type { MemoryRange } from '../../ir/meaning/strings.js';
import type { OpDef, Type } from '../../ir/opDef.js';
import { OPS } from '../../ir/ops.js';
import { GPR, RBP, RBX, RSP, type Slot } from '../../layout/cpuState.js';
import type { GuidedMachine } from '../../replay/branch/suppression/guide.js';
import type { Structure } from './structures.js';

interface Written {
  readonly memory: readonly MemoryRange[];
  /** Whether that is all. */
  readonly isAll: boolean;
}

/** Slots that are not what they were before: their values, null if these are not known. */
type Changed = Map<number, bigint | null>;

const UNKNOWN = Symbol('unknown');
const MOST_INSTRUCTIONS = 600;
const MOST_ROUNDS = 4;
const KEPT_BY_CALLS: ReadonlySet<number> = new Set([RBX, RBP, RSP, ...GPR.slice(12)].map(({ offset }) => offset));
const CHANGED_BY_CALLS: readonly Slot[] = GPR.filter(({ offset }) => !KEPT_BY_CALLS.has(offset));
const FLAGS: ReadonlySet<number> = new Set(FLAG_SLOTS.map(({ offset }) => offset));

export function writtenIn(structure: Structure, machine: GuidedMachine): Written {
  const size = structure.nodes.reduce((sum, { instructions }) => sum + instructions.length, 0);
  if (size > MOST_INSTRUCTIONS) return { memory: [], isAll: false };
  return new Walk(structure, machine).run();
}

class Walk {
  private readonly written = new Map<string, MemoryRange>();
  private isAll = true;
  private readonly before: (Changed | undefined)[] = [];

  constructor(
    private readonly structure: Structure,
    private readonly machine: GuidedMachine,
  ) {}

  run(): Written {
    const { nodes, first } = this.structure;
    const open = new Map<number, number>();
    for (const index of first) this.arrive(index, new Map(), open);
    while (open.size > 0) {
      const [index, rounds] = [...open][0] as [number, number];
      open.delete(index);
      const changed = new Map(this.before[index]);
      for (const block of nodes[index]?.instructions ?? []) this.step(block, changed);
      for (const next of nodes[index]?.successors ?? []) this.arrive(next, changed, open, rounds);
    }
    return { memory: [...this.written.values()], isAll: this.isAll };
  }

  private readonly rounds: number[] = [];

  /** Values that differ by where control comes from are not known. */
  private arrive(index: number, changed: Changed, open: Map<number, number>, rounds = 0): void {
    const known = this.before[index];
    if (known === undefined) {
      this.before[index] = new Map(changed);
      open.set(index, rounds);
      return;
    }
    let isNew = false;
    for (const offset of new Set([...known.keys(), ...changed.keys()])) {
      const [mine, other] = [this.valueIn(known, offset), this.valueIn(changed, offset)];
      if (mine === null || mine === other) continue;
      known.set(offset, null);
      isNew = true;
    }
    this.rounds[index] = (this.rounds[index] ?? 0) + 1;
    if (isNew && (this.rounds[index] ?? 0) < MOST_ROUNDS * 8) open.set(index, rounds);
  }

  private valueIn(changed: Changed, offset: number): bigint | null {
    const value = changed.get(offset);
    return value === undefined ? (this.machine.isSlotCorrupt(offset) ? null : this.machine.slot(offset, 'i64')) : value;
  }

  private step(block: Block, changed: Changed): void {
    const before: MachineBefore = {
      slot: (offset, type) => this.slot(changed, offset, type),
      memory: (address, bytes) => this.memory(address, bytes),
    };
    const evaluation = new Evaluation(block, before);
    const sets: [number, bigint | null][] = [];
    for (const node of block.nodes) {
      const { effect, bytes, name } = OPS[node.op] as OpDef;
      if (effect === 'store' && bytes > 0) this.store(known(() => evaluation.address(node)), bytes);
      else if (effect === 'set') sets.push([node.imm, FLAGS.has(node.imm) ? null : (known(() => evaluation.value(node.a)) ?? null)]);
      else {
        if (name.startsWith('rep.movs') || name.startsWith('rep.stos') || name === 'sys.fpuImage') this.isAll = false;
        for (const { offset } of nodeEffects(node).writes) sets.push([offset, null]);
      }
    }
    for (const [offset, value] of sets) changed.set(offset, value);
    const { end } = block;
    if (end.kind !== 'call' && end.kind !== 'syscall' && !(end.kind === 'indirect' && end.via === 'call')) return;
    this.isAll = false;
    for (const { offset } of CHANGED_BY_CALLS) changed.set(offset, null);
    // It has taken its return address back.
    const stack = changed.get(RSP.offset);
    if (end.kind !== 'syscall' && typeof stack === 'bigint') changed.set(RSP.offset, stack + 8n);
  }

  private slot(changed: Changed, offset: number, type: Type): bigint {
    const value = changed.get(offset);
    if (value === null || this.machine.isSlotCorrupt(offset)) {
      if (value === undefined || value === null) throw UNKNOWN;
    }
    if (value === undefined) return this.machine.slot(offset, type);
    return type === 'i32' ? BigInt.asUintN(32, value) : value;
  }

  private memory(address: number, bytes: number): bigint | undefined {
    for (const range of this.written.values()) if (address < range.address + range.bytes && range.address < address + bytes) return undefined;
    if (this.machine.isMemoryCorrupt(address, bytes)) return undefined;
    const there = this.machine.read(address, bytes);
    return there === null ? undefined : there.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }

  private store(address: number | undefined, bytes: number): void {
    if (address === undefined) this.isAll = false;
    else this.written.set(`${address} ${bytes}`, { address, bytes });
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
