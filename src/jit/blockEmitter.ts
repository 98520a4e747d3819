/**
 * The straight-line part of compiled code: the nodes of one block, as WebAssembly.
 *
 * A value that is used once, with no change of state between its definition and its use, is
 * computed where it is used; other values go to scratch locals. V8's optimising compiler sees
 * through both, but fewer locals make its work shorter.
 */
import { unreachable } from '../base/assert.js';
import { CC_OP, CC_X, CC_Y, CC_Z, type Slot } from '../layout/cpuState.js';
import { STATE_BASE } from '../layout/memoryMap.js';
import { type Block, NONE, type Node, type Value } from '../ir/ir.js';
import { ccOperands } from '../ir/flags.js';
import { Liveness } from '../ir/liveness.js';
import type { OpDef } from '../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../ir/ops.js';
import type { Code, ValType } from '../wasm/code.js';
import type { WasmOp } from '../wasm/opcodes.js';
import type { AccessChecks } from './accessChecks.js';
import type { Emit } from './emit.js';
import { EMITTERS } from './emitters/index.js';
import type { Covered } from './guards.js';
import { ACCESS_OP, emitOffset } from './memoryAccess.js';
import type { SlotLocals } from './slotLocals.js';

/** What the block emitter needs of the region around it. */
interface RegionFrame {
  readonly code: Code;
  readonly slots: SlotLocals;
  readonly checks: AccessChecks;
  /** Leaves if the i32 on the stack is not 0: the instruction at `address` is to be interpreted. */
  interpretIf(address: number, unretired: number): void;
  /** Writes to linear memory how many ticks are left after the current node. */
  showTicks(): void;
  /** Leaves unconditionally. */
  interpret(address: number, unretired: number): void;
}

const CC_SLOTS = [CC_OP, CC_X, CC_Y, CC_Z];
const I32_CONST = OP_BY_NAME.get('i32.const')?.id;
const I64_CONST = OP_BY_NAME.get('i64.const')?.id;
const V128_CONST = OP_BY_NAME.get('v128.const')?.id;
const LOAD = { i32: 'i32.load', i64: 'i64.load', v128: 'v128.load' } as const;
const STORE = { i32: 'i32.store', i64: 'i64.store', v128: 'v128.store' } as const;
const NOT_IN_LOCAL = -1;

/** Scratch locals of one function, by type. */
class LocalPool {
  private readonly free: Partial<Record<ValType, number[]>> = {};

  constructor(private readonly code: Code) {}

  take(type: ValType): number {
    return this.free[type]?.pop() ?? this.code.local(type);
  }

  give(type: ValType, local: number): void {
    (this.free[type] ??= []).push(local);
  }
}

export class BlockEmitter implements Emit {
  readonly code: Code;
  knownImm: number | null = null;
  private readonly pool: LocalPool;
  private block!: Block;
  private readonly live = new Liveness();
  private guards!: ReadonlyMap<number, Covered>;
  /** Locals of the guards whose check is in this block. */
  private anchors: number[] = [];
  /** Per value: the scratch local that holds it, or NOT_IN_LOCAL. */
  private locals: Int32Array = new Int32Array(0);
  /** Per node: number of state changes before it. */
  private changes: Int32Array = new Int32Array(0);
  /** Slot offset -> the `get` that may still be read from the slot's own local. */
  private readonly residents = new Map<number, Value>();
  private expiring: { type: ValType; local: number }[][] = [];
  /** Scratch locals of the operation being emitted. */
  private scratch: { type: ValType; local: number }[] = [];
  private instruction = 0;
  private instructionIndex = -1;
  private current!: OpDef;

  constructor(
    private readonly frame: RegionFrame,
    readonly helper: (name: string) => number,
  ) {
    this.code = frame.code;
    this.pool = new LocalPool(frame.code);
  }

  /** Emits the nodes. Afterwards, and until the next call, `push` gives values for the block's end. */
  emit(block: Block, guards: ReadonlyMap<number, Covered>): void {
    this.release();
    this.block = block;
    this.live.analyse(block);
    this.guards = guards;
    this.anchors = [];
    this.locals = new Int32Array(block.nodes.length).fill(NOT_IN_LOCAL);
    this.changes = countChanges(block);
    this.residents.clear();
    this.expiring = [];
    this.instructionIndex = -1;
    block.nodes.forEach((node, i) => {
      const def = OPS[node.op] as OpDef;
      if (def.effect === 'mark') {
        this.instruction = node.imm;
        this.instructionIndex++;
      } else if (this.live.needed[i] === 1) this.node(node, def, i as Value);
    });
  }

  /** Pushes a value on the wasm stack. */
  push(v: Value): void {
    const { code } = this;
    const local = this.locals[v] as number;
    if (local !== NOT_IN_LOCAL) {
      code.get(local);
      return;
    }
    const node = this.block.nodes[v] as Node;
    const def = OPS[node.op] as OpDef;
    if (node.op === I32_CONST) code.i32(node.imm);
    else if (node.op === I64_CONST) code.i64(node.big);
    else if (node.op === V128_CONST) code.v128(node.bytes as Uint8Array);
    else if (def.effect === 'get') this.pushSlot(node.imm, def);
    else this.compute(node, def);
  }

  /** Hands over the locals of the guards made in the block just emitted: they stay in use in the blocks after it. */
  takeAnchors(): readonly number[] {
    return this.anchors;
  }

  /** Those blocks have been emitted. */
  releaseAnchors(anchors: readonly number[]): void {
    for (const local of anchors) this.pool.give('i32', local);
  }

  // ---- Emit

  temp(type: ValType): number {
    const local = this.pool.take(type);
    this.scratch.push({ type, local });
    return local;
  }

  imm(): void {
    this.code.i32(this.knownImm as number);
  }

  pushInstruction(): void {
    this.code.i32(this.instruction | 0);
  }

  showTicks(): void {
    this.frame.showTicks();
  }

  trap(): void {
    this.fault();
  }

  fault(): void {
    this.frame.slots.reload(this.touched());
    this.frame.interpret(this.instruction, this.unretired);
  }

  // ---- nodes

  private node(node: Node, def: OpDef, i: Value): void {
    switch (def.effect) {
      case 'get':
        this.residents.set(node.imm, i);
        return;
      case 'set':
        this.set(node, def, i);
        break;
      case 'cc':
        this.setFlags(node, i);
        break;
      case 'store':
        this.store(node, def, i);
        break;
      case 'load':
        this.load(node, def, i);
        this.keep(def.result as ValType, i);
        break;
      case 'pure':
        if (def.params.length === 0) return;
        if (this.isDeferred(i)) {
          this.extendUses(node, this.live.lastUse[i] as number);
          return;
        }
        this.compute(node, def);
        this.keep(def.result as ValType, i);
        break;
      default:
        this.effect(node, def, i);
    }
    this.expire(i);
  }

  /** Traps, operations on uncached state, helpers. */
  private effect(node: Node, def: OpDef, i: Value): void {
    this.current = def;
    const touched = this.touched();
    for (const slot of touched) this.evict(slot.offset, i);
    this.frame.slots.flush(touched);
    this.compute(node, def);
    if (def.result !== null) {
      if (this.live.uses[i] === 0) this.code.drop();
      else this.keep(def.result, i);
    }
    this.frame.slots.reload(touched);
    if (def.effect === 'helper' || def.effect === 'state') this.evictUncached(i);
  }

  private touched(): readonly Slot[] {
    return this.current.effect === 'helper' ? this.current.touches : [];
  }

  /** Used once, at a place that sees the same state. */
  private isDeferred(i: Value): boolean {
    const last = this.live.lastUse[i] as number;
    return this.live.uses[i] === 1 && this.changes[i] === (this.changes[last] as number);
  }

  /** What a deferred node uses must live until it is computed. */
  private extendUses(node: Node, until: number): void {
    for (const v of [node.a, node.b, node.c, node.d]) {
      if (v === NONE) continue;
      if ((this.live.lastUse[v] as number) < until) {
        this.live.lastUse[v] = until;
        const local = this.locals[v] as number;
        if (local !== NOT_IN_LOCAL) this.moveExpiry(v, local, until);
      }
      const inner = this.block.nodes[v] as Node;
      if (this.locals[v] === NOT_IN_LOCAL && (OPS[inner.op] as OpDef).effect === 'pure') this.extendUses(inner, until);
    }
  }

  private moveExpiry(v: Value, local: number, until: number): void {
    for (const list of this.expiring) {
      const at = list?.findIndex((entry) => entry.local === local) ?? -1;
      if (list === undefined || at < 0) continue;
      const [entry] = list.splice(at, 1);
      if (entry !== undefined) (this.expiring[until] ??= []).push(entry);
      return;
    }
    void v;
  }

  /** Pushes operands, then does the operation. */
  private compute(node: Node, def: OpDef): void {
    const { code } = this;
    if (def.name === 'v128.shuffle' && this.constantShuffle(node)) return;
    const count = def.params.length;
    if (count > 0) this.push(node.a);
    if (count > 1) this.push(node.b);
    if (count > 2) this.push(node.c);
    if (count > 3) this.push(node.d);
    if (def.wasm !== null) {
      if (def.lane >= 0) code.lane(def.wasm, def.lane);
      else if (def.name.endsWith('.select')) code.select();
      else code.op(def.wasm);
      return;
    }
    if (def.name === 'trapIf') {
      this.frame.interpretIf(this.instruction, this.unretired);
      return;
    }
    const emitter = EMITTERS[def.name] ?? unreachable(`no emitter for ${def.name}`);
    const outer = this.knownImm;
    this.knownImm = node.imm;
    const scratch = this.scratch;
    this.scratch = [];
    emitter(this);
    for (const { type, local } of this.scratch) this.pool.give(type, local);
    this.scratch = scratch;
    this.knownImm = outer;
  }

  private constantShuffle(node: Node): boolean {
    const mask = this.block.nodes[node.c] as Node;
    if (mask.op !== V128_CONST) return false;
    this.push(node.a);
    this.push(node.b);
    this.code.shuffle((mask.bytes as Uint8Array).map((lane) => lane & 31));
    return true;
  }

  // ---- state

  private pushSlot(offset: number, def: OpDef): void {
    const { slots } = this.frame;
    if (slots.isCacheable(offset)) slots.push(offset);
    else this.code.i32(STATE_BASE).mem(LOAD[def.result as 'i32'], offset);
  }

  private set(node: Node, def: OpDef, i: Value): void {
    const { code } = this;
    this.evict(node.imm, i);
    const { slots } = this.frame;
    if (slots.isCacheable(node.imm)) {
      this.push(node.a);
      slots.set(node.imm);
      return;
    }
    code.i32(STATE_BASE);
    this.push(node.a);
    code.mem(STORE[def.params[0] as 'i32'], node.imm);
  }

  private setFlags(node: Node, i: Value): void {
    for (const slot of CC_SLOTS) this.evict(slot.offset, i);
    const values = [node.a, node.b, node.c, node.d];
    const kind = this.block.nodes[node.a] as Node;
    const count = kind.op === I32_CONST ? ccOperands(kind.imm) : CC_SLOTS.length;
    // All operands are read before any slot is written: they may be the old flags.
    for (let k = 0; k < count; k++) this.push(values[k] as Value);
    for (let k = count - 1; k >= 0; k--) this.frame.slots.set((CC_SLOTS[k] as Slot).offset);
  }

  /** Saves the value that is still read from a slot's own local before the slot changes. */
  private evict(offset: number, i: Value): void {
    const resident = this.residents.get(offset);
    if (resident === undefined) return;
    this.residents.delete(offset);
    if ((this.live.lastUse[resident] as number) <= i || this.locals[resident] !== NOT_IN_LOCAL) return;
    const def = OPS[(this.block.nodes[resident] as Node).op] as OpDef;
    this.pushSlot(offset, def);
    this.keep(def.result as ValType, resident);
  }

  private evictUncached(i: Value): void {
    for (const offset of [...this.residents.keys()]) {
      if (!this.frame.slots.isCacheable(offset)) this.evict(offset, i);
    }
  }

  /** Pops the value on the stack into a scratch local of its own. */
  private keep(type: ValType, v: Value): void {
    const local = this.pool.take(type);
    this.code.set(local);
    this.locals[v] = local;
    const last = this.live.lastUse[v] as number;
    (this.expiring[Math.max(last, 0)] ??= []).push({ type, local });
  }

  private expire(i: number): void {
    for (const { type, local } of this.expiring[i] ?? []) this.pool.give(type, local);
    delete this.expiring[i];
  }

  /** Gives back what the end of the previous block still used. */
  private release(): void {
    for (const list of this.expiring) {
      for (const { type, local } of list ?? []) this.pool.give(type, local);
    }
  }

  // ---- memory

  private load(node: Node, def: OpDef, i: Value): void {
    const offset = this.access(node, def, i, false);
    this.code.mem(ACCESS_OP[def.name] as WasmOp, offset);
  }

  private store(node: Node, def: OpDef, i: Value): void {
    if (def.name === 'probeWrite') {
      this.push(node.a);
      this.code.i32(node.imm).i32(1).call(this.helper('mem.slow')).op('i32.eqz');
      this.frame.interpretIf(this.instruction, this.unretired);
      return;
    }
    const offset = this.access(node, def, i, true);
    this.push(node.b);
    this.code.mem(ACCESS_OP[def.name] as WasmOp, offset);
  }

  /** Pushes the linear address of an access that has been checked; returns the constant to add to it. */
  private access(node: Node, def: OpDef, i: Value, write: boolean): number {
    const { code } = this;
    const covered = this.guards.get(i);
    if (covered === undefined) {
      const address = this.pool.take('i64');
      this.push(node.a);
      if (node.imm !== 0) code.i64num(node.imm).op('i64.add');
      code.set(address);
      this.check(address, def.bytes, write);
      this.look(() => emitOffset(code, address), def, write);
      emitOffset(code, address);
      this.pool.give('i64', address);
      return 0;
    }
    const { guard, distance } = covered;
    if (guard.anchor < 0) {
      const address = this.pool.take('i64');
      this.push(node.a);
      const toLow = guard.low - (distance - node.imm);
      if (toLow !== 0) code.i64num(toLow).op('i64.add');
      code.set(address);
      this.check(address, guard.high - guard.low, guard.write);
      guard.anchor = this.pool.take('i32');
      this.anchors.push(guard.anchor);
      emitOffset(code, address);
      code.set(guard.anchor);
      this.pool.give('i64', address);
    }
    const offset = distance - guard.low;
    this.look(() => code.get(guard.anchor).i32(offset).op('i32.add'), def, write);
    code.get(guard.anchor);
    return offset;
  }

  private check(address: number, bytes: number, write: boolean): void {
    this.frame.checks.span(address, bytes, write, () => this.frame.interpretIf(this.instruction, this.unretired));
  }

  /** Where memory is watched, the access itself may have to be looked at. */
  private look(pushLinear: () => void, def: OpDef, write: boolean): void {
    this.frame.checks.access(pushLinear, def.bytes, write, () => this.frame.interpretIf(this.instruction, this.unretired));
  }

  /** Instructions of the block from the current one on. */
  private get unretired(): number {
    return this.block.instructions - this.instructionIndex;
  }
}

function countChanges(block: Block): Int32Array {
  const changes = new Int32Array(block.nodes.length + 1);
  let count = 0;
  block.nodes.forEach((node, i) => {
    changes[i] = count;
    const { effect } = OPS[node.op] as OpDef;
    if (effect === 'set' || effect === 'cc' || effect === 'helper' || effect === 'state') count++;
  });
  changes[block.nodes.length] = count;
  return changes;
}
