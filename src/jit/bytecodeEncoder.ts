/**
 * IR -> bytecode. One forward pass over a block: every value gets a home (a register's own slot, an
 * interned constant, or a temporary), and every needed node becomes one instruction of the
 * interpreter. A `get` costs nothing: the value lives in the register's slot until something
 * writes there, and only then is it moved away. To cut an i64 down to an i32 or to widen an i32 that the
 * interpreter has computed costs nothing either: it is the same value, its root, seen differently.
 */
import { assert } from '../base/assert.js';
import {
  CC_OP, CC_X, CC_Y, CC_Z, CONSTANTS_END, CONSTANTS_OFFSET, GPR, TEMPS_COUNT, TEMPS_OFFSET, XMM,
} from '../layout/cpuState.js';
import { STATE_BASE } from '../layout/memoryMap.js';
import { type Block, NONE, type Node, type Value } from '../ir/ir.js';
import { Liveness } from '../ir/liveness.js';
import type { OpDef } from '../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../ir/ops.js';
import {
  BRANCH_LAYOUT, CONTROL, ENTER_LAYOUT, INDIRECT_LAYOUT, JUMP_LAYOUT, MOVE_SIZE, SYSCALL_LAYOUT, TRAP_LAYOUT,
  UNKNOWN_LAYOUT, immOffset, instructionSize, operandOffset,
} from './bytecode.js';

/** Views on linear memory. */
interface LinearViews {
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly u32: Uint32Array;
  readonly u64: BigUint64Array;
  readonly view: DataView;
}

/** Where an instruction's bytecode begins: offsets from the block's start, in ascending order. */
export interface BytecodeMap {
  readonly offsets: number[];
  readonly addresses: number[];
}

/** A place in the bytecode of a block where the slot of a constant stands. */
export interface ConstantUse {
  /** Bytes from the block's start. */
  readonly at: number;
  readonly value: ConstantValue;
}
type ConstantValue = number | bigint | Uint8Array;

const MOVE = { i32: CONTROL.MOVE_I32, i64: CONTROL.MOVE_I64, v128: CONTROL.MOVE_V128 } as const;
const CC_SLOTS = [CC_OP, CC_X, CC_Y, CC_Z];
const slotNumber = (offset: number): number => offset >>> 2;
/** Slots that `state` operations never write. */
const STABLE_SLOTS: ReadonlySet<number> = new Set([...GPR, ...XMM, ...CC_SLOTS].map((s) => slotNumber(s.offset)));
const NOWHERE = -1;
const WRAP = OP_BY_NAME.get('i32.wrap_i64')?.id;
const EXTEND = OP_BY_NAME.get('i64.extend_i32_u')?.id;
const FIRST_CONSTANT_SLOT = slotNumber(CONSTANTS_OFFSET);
const FIRST_POOL_SIZE = 4096;
const LARGEST_CONSTANT = 16;
const NEARLY = 0.7;
const KIND = { I32: 0, I64: 1, VECTOR: 2 } as const;

/**
 * Interned constants: value -> slot number. Processes that come from each other by fork share one
 * pool; each has in its memory what the pool had when it last translated something.
 */
export class ConstantPool {
  private next = CONSTANTS_OFFSET;
  /** From CONSTANTS_OFFSET on. */
  private bytes = new Uint8Array(FIRST_POOL_SIZE);
  private readonly numbers = new Map<bigint | number, number>();
  private readonly vectors = new Map<string, number>();
  private readonly values = new Map<number, ConstantValue>();

  /** Whether it is better to start another pool for another program. */
  get isNearlyFull(): boolean {
    return this.next > CONSTANTS_OFFSET + (CONSTANTS_END - CONSTANTS_OFFSET) * NEARLY;
  }

  /** The slot of any constant, or -1 when the pool is full. */
  slotOf(value: ConstantValue): number {
    return value instanceof Uint8Array ? this.vector(value) : this.scalar(value);
  }

  valueAt(slot: number): ConstantValue {
    return this.values.get(slot) as ConstantValue;
  }

  /** The slot of an i32 or i64 constant, or -1 when the pool is full. */
  scalar(value: bigint | number): number {
    const known = this.numbers.get(value);
    if (known !== undefined) return known;
    if (this.next + 8 > CONSTANTS_END) return NOWHERE;
    this.makeRoom();
    new DataView(this.bytes.buffer).setBigInt64(this.next - CONSTANTS_OFFSET, BigInt(value), true);
    const slot = slotNumber(this.next);
    this.next += 8;
    this.numbers.set(value, slot);
    this.values.set(slot, value);
    return slot;
  }

  vector(bytes: Uint8Array): number {
    const key = String.fromCharCode(...bytes);
    const known = this.vectors.get(key);
    if (known !== undefined) return known;
    if (this.next + 16 > CONSTANTS_END) return NOWHERE;
    this.makeRoom();
    this.bytes.set(bytes, this.next - CONSTANTS_OFFSET);
    const slot = slotNumber(this.next);
    this.next += 16;
    this.vectors.set(key, slot);
    this.values.set(slot, bytes.slice());
    return slot;
  }

  /** Puts the constants from offset `from` on into a memory that has those before it. Returns where they end. */
  supply(memory: Uint8Array, from: number): number {
    if (from < this.next) memory.set(this.bytes.subarray(from - CONSTANTS_OFFSET, this.next - CONSTANTS_OFFSET), STATE_BASE + from);
    return this.next;
  }

  /** All constants, to be stored: their bytes, and what each of them is, in order. */
  export(): { readonly bytes: Uint8Array; readonly kinds: Uint8Array } {
    const kinds = Array.from(this.values.values(), (value) => (value instanceof Uint8Array ? KIND.VECTOR : typeof value === 'bigint' ? KIND.I64 : KIND.I32));
    return { bytes: this.bytes.subarray(0, this.next - CONSTANTS_OFFSET), kinds: Uint8Array.from(kinds) };
  }

  /** A pool with the constants that `export` gave. */
  static import(bytes: Uint8Array, kinds: Uint8Array): ConstantPool {
    const pool = new ConstantPool();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    for (const kind of kinds) {
      if (kind === KIND.VECTOR) pool.vector(bytes.subarray(at, at + 16));
      else if (kind === KIND.I64) pool.scalar(view.getBigInt64(at, true));
      else pool.scalar(Number(view.getBigInt64(at, true)));
      at += kind === KIND.VECTOR ? 16 : 8;
    }
    return pool;
  }

  private makeRoom(): void {
    if (this.next - CONSTANTS_OFFSET + LARGEST_CONSTANT <= this.bytes.length) return;
    const larger = new Uint8Array(this.bytes.length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}

export class BytecodeEncoder {
  private at = 0;
  private block!: Block;
  private readonly live = new Liveness();
  private homes = new Int32Array(256);
  private roots = new Int32Array(256);
  /** State slot -> the value that lives there, if it is still needed. */
  private readonly residents = new Map<number, Value>();
  private freeTemps: number[] = [];
  private nextTemp = 0;
  /** Temporaries to give back after the node at this index. */
  private expiring: number[][] = [];
  /** Where the block last encoded names constants; undefined if the caller does not want to know. */
  private uses: ConstantUse[] | undefined;
  private blockStart = 0;
  /** Where the constants end that are in memory. */
  private supplied = CONSTANTS_OFFSET;

  constructor(
    private readonly views: LinearViews,
    readonly constants: ConstantPool,
  ) {
    this.supplyConstants();
  }

  /** An upper bound of the bytes that a block needs. */
  static bound(block: Block): number {
    return block.nodes.length * 48 + 128;
  }

  /** Writes the block at linear offset `at` (a multiple of 8). Returns its end and where its instructions begin. */
  encode(block: Block, at: number): { end: number; map: BytecodeMap } {
    this.at = at;
    this.blockStart = at;
    if (this.uses !== undefined) this.uses = [];
    this.block = block;
    this.live.analyse(block);
    this.residents.clear();
    this.freeTemps = [];
    this.nextTemp = 0;
    this.expiring = [];
    if (this.homes.length < block.nodes.length) {
      this.homes = new Int32Array(block.nodes.length * 2);
      this.roots = new Int32Array(block.nodes.length * 2);
    }
    this.findRoots();
    const map: BytecodeMap = { offsets: [], addresses: [] };
    this.enter(block);
    for (let i = 0; i < block.nodes.length; i++) {
      const node = block.nodes[i] as Node;
      const def = OPS[node.op] as OpDef;
      if (def.effect === 'mark') {
        map.offsets.push(this.at - at);
        map.addresses.push(node.imm);
      } else if (this.live.needed[i] === 1 && this.roots[i] === i) this.node(node, def, i as Value);
    }
    this.end(block);
    this.supplyConstants();
    return { end: ((this.at + 7) & ~7) >>> 0, map };
  }

  /** From now on constantUses says where a block names constants. */
  recordUses(): void {
    this.uses ??= [];
  }

  /** Of the block encoded last. */
  get constantUses(): readonly ConstantUse[] {
    return this.uses ?? [];
  }

  /** Puts constants into bytecode at `at` that was made elsewhere, with `pool`. False if there is no room for them. */
  fillIn(at: number, uses: readonly ConstantUse[], pool: ConstantPool): boolean {
    for (const use of pool === this.constants ? [] : uses) {
      const slot = this.constants.slotOf(use.value);
      if (slot === NOWHERE) return false;
      this.views.view.setUint16(at + use.at, slot, true);
    }
    this.supplyConstants();
    return true;
  }

  private operand(at: number, slot: number): void {
    this.views.view.setUint16(at, slot, true);
    if (this.uses !== undefined && slot >= FIRST_CONSTANT_SLOT) this.uses.push({ at: at - this.blockStart, value: this.constants.valueAt(slot) });
  }

  private supplyConstants(): void {
    this.supplied = this.constants.supply(this.views.u8, this.supplied);
  }

  private enter(block: Block): void {
    const { view } = this.views;
    view.setUint32(this.at, CONTROL.ENTER, true);
    view.setUint32(this.at + ENTER_LAYOUT.instructions, block.instructions, true);
    this.address(ENTER_LAYOUT.start, block.start);
    view.setUint32(this.at + ENTER_LAYOUT.counter, 0, true);
    view.setUint32(this.at + ENTER_LAYOUT.afterCall, 0, true);
    this.at += ENTER_LAYOUT.size;
  }

  /** A root lives as long as what stands for it. */
  private findRoots(): void {
    const { nodes } = this.block;
    const { needed, lastUse } = this.live;
    for (let i = 0; i < nodes.length; i++) {
      const { op, a } = nodes[i] as Node;
      this.roots[i] = i;
      if (needed[i] === 0 || (op !== WRAP && !(op === EXTEND && this.isWidened(a)))) continue;
      const root = this.roots[a] as number;
      this.roots[i] = root;
      lastUse[root] = Math.max(lastUse[root] as number, lastUse[i] as number);
    }
  }

  /** Whether the interpreter stores this i32 with zeros above it. */
  private isWidened(v: Value): boolean {
    if (this.roots[v] !== v) return false;
    const def = OPS[(this.block.nodes[v] as Node).op] as OpDef;
    return def.effect !== 'get' && !(def.params.length === 0 && def.effect === 'pure');
  }

  private node(node: Node, def: OpDef, i: Value): void {
    switch (def.effect) {
      case 'get':
        // A pass may read what the block has just written, or read it again: then two values would live there.
        this.evict(slotNumber(node.imm), i);
        this.homes[i] = slotNumber(node.imm);
        this.residents.set(slotNumber(node.imm), i);
        return;
      case 'set':
        this.set(node, def, i);
        return;
      case 'cc':
        for (const slot of CC_SLOTS) this.evict(slotNumber(slot.offset), i);
        break;
      case 'helper':
        for (const slot of def.touches) this.evict(slotNumber(slot.offset), i);
        this.evictUnstable(i);
        break;
      case 'state':
        this.evictUnstable(i);
        break;
      default:
        if (def.params.length === 0 && this.constant(node, def, i)) return;
    }
    let destination = 0;
    if (def.result !== null) {
      destination = this.forwarded(i);
      this.homes[i] = destination;
    }
    this.emit(node, def, destination);
    this.expire(i);
  }

  private constant(node: Node, def: OpDef, i: Value): boolean {
    const slot = def.name === 'v128.const' ? this.constants.vector(node.bytes as Uint8Array)
      : def.name === 'i64.const' ? this.constants.scalar(node.big)
      : def.name === 'i32.const' ? this.constants.scalar(node.imm) : NOWHERE;
    if (slot === NOWHERE) return false;
    this.homes[i] = slot;
    return true;
  }

  private set(node: Node, def: OpDef, i: Value): void {
    const slot = slotNumber(node.imm);
    const home = this.home(node.a);
    if (home !== slot) {
      this.evict(slot, i);
      this.move(def.params[0] as 'i32', slot, home);
    }
    this.expire(i);
  }

  /**
   * Where the result of node i goes: straight into a register's slot if the next thing that
   * happens to state is a `set` of that register to this value, else a temporary.
   */
  private forwarded(i: Value): number {
    const { nodes } = this.block;
    for (let j = i + 1; j < nodes.length && j < i + 6; j++) {
      const node = nodes[j] as Node;
      const { effect, params } = OPS[node.op] as OpDef;
      if (effect === 'set' && this.roots[node.a] === i && this.live.needed[j] === 1) {
        // There is no room for the zeros above an i32 of the CPU state.
        if (params[0] === 'i32') break;
        const slot = slotNumber(node.imm);
        const resident = this.residents.get(slot);
        if (resident !== undefined && (this.live.lastUse[resident] as number) > i) break;
        this.residents.set(slot, i);
        return slot;
      }
      if (this.roots[j] !== j) continue;
      if (effect !== 'pure' || params.length !== 0) break;
    }
    return this.temp(i);
  }

  /** Moves the value that lives in `slot`, if it is needed after node i, out of the way. */
  private evict(slot: number, i: Value): void {
    const resident = this.residents.get(slot);
    if (resident === undefined) return;
    this.residents.delete(slot);
    // Operations fetch their operands before they write, so a use by node i itself is no obstacle.
    if ((this.live.lastUse[resident] as number) <= i) return;
    const def = OPS[(this.block.nodes[resident] as Node).op] as OpDef;
    const temp = this.temp(resident);
    this.move(def.result === 'i32' && this.isWidened(resident) ? 'i64' : (def.result as 'i32'), temp, slot);
    this.homes[resident] = temp;
  }

  private evictUnstable(i: Value): void {
    for (const slot of [...this.residents.keys()]) {
      if (!STABLE_SLOTS.has(slot)) this.evict(slot, i);
    }
  }

  private temp(value: Value): number {
    const index = this.freeTemps.pop() ?? this.nextTemp++;
    assert(index < TEMPS_COUNT, `block at ${this.block.start} needs too many temporaries`);
    const last = this.live.lastUse[value] as number;
    if (last >= 0) (this.expiring[last] ??= []).push(index);
    return slotNumber(TEMPS_OFFSET + index * 16);
  }

  private expire(i: number): void {
    const list = this.expiring[i];
    if (list !== undefined) this.freeTemps.push(...list);
  }

  private emit(node: Node, def: OpDef, destination: number): void {
    const { view } = this.views;
    const at = this.at;
    view.setUint16(at, def.id, true);
    view.setUint16(at + 2, destination, true);
    const count = def.params.length;
    if (count > 0) this.operand(at + operandOffset(0), this.home(node.a));
    if (count > 1) this.operand(at + operandOffset(1), this.home(node.b));
    if (count > 2) this.operand(at + operandOffset(2), this.home(node.c));
    if (count > 3) this.operand(at + operandOffset(3), this.home(node.d));
    const imm = at + immOffset(def);
    if (def.imm === 'i64') view.setBigInt64(imm, node.big, true);
    else if (def.imm === 'v128') this.views.u8.set(node.bytes as Uint8Array, imm);
    else if (def.imm !== 'none') view.setInt32(imm, node.imm, true);
    this.at = at + instructionSize(def);
  }

  private home(v: Value): number {
    assert(v !== NONE, 'missing operand');
    return this.homes[this.roots[v] as number] as number;
  }

  private move(type: 'i32' | 'i64' | 'v128', to: number, from: number): void {
    const { view } = this.views;
    view.setUint16(this.at, MOVE[type], true);
    view.setUint16(this.at + 2, to, true);
    this.operand(this.at + 4, from);
    this.at += MOVE_SIZE;
  }

  private address(offset: number, address: number): void {
    const { view } = this.views;
    view.setUint32(this.at + offset, address % 0x1_0000_0000, true);
    view.setUint32(this.at + offset + 4, Math.floor(address / 0x1_0000_0000), true);
  }

  private end(block: Block): void {
    const { view } = this.views;
    const { end } = block;
    const start = (operation: number): void => view.setUint32(this.at, operation, true);
    switch (end.kind) {
      case 'jump':
      case 'call':
        start(CONTROL.JUMP);
        this.address(JUMP_LAYOUT.target, end.target);
        view.setUint32(this.at + JUMP_LAYOUT.link, 0, true);
        this.at += JUMP_LAYOUT.size;
        return;
      case 'branch':
        start(CONTROL.BRANCH);
        this.operand(this.at + BRANCH_LAYOUT.condition, this.home(end.condition));
        this.address(BRANCH_LAYOUT.taken, end.taken);
        view.setUint32(this.at + BRANCH_LAYOUT.takenLink, 0, true);
        this.address(BRANCH_LAYOUT.fall, end.fall);
        view.setUint32(this.at + BRANCH_LAYOUT.fallLink, 0, true);
        this.at += BRANCH_LAYOUT.size;
        return;
      case 'indirect':
        start(end.via === 'return' ? CONTROL.RETURN : CONTROL.INDIRECT);
        this.operand(this.at + INDIRECT_LAYOUT.target, this.home(end.target));
        this.at += INDIRECT_LAYOUT.size;
        return;
      case 'syscall':
        start(CONTROL.SYSCALL);
        this.address(SYSCALL_LAYOUT.next, end.next);
        this.at += SYSCALL_LAYOUT.size;
        return;
      case 'trap':
        start(CONTROL.TRAP);
        this.address(TRAP_LAYOUT.resume, end.resume);
        view.setUint32(this.at + TRAP_LAYOUT.vector, end.vector, true);
        this.at += TRAP_LAYOUT.size;
        return;
      case 'unknown':
        start(CONTROL.UNKNOWN);
        this.address(UNKNOWN_LAYOUT.at, end.at);
        this.at += UNKNOWN_LAYOUT.size;
    }
  }
}
