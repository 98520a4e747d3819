/**
 * The pass that makes blocks propagate shadow by themselves: beside each operation is built what computes the shadow of
 * its result. The shadow of registers is in slots of its own (layout/cpuState.ts), so that it lives in locals as they
 * do; that of memory is kept a bit for a byte.
 *
 * What is computed is what machine/shadow/ computes instruction by instruction, to the bit: so shadow is taken from the
 * nodes of every instruction alone, while values may be simplified over the whole block. Code leaves before an
 * instruction that would let shadow decide something (where an access or a jump goes, whether there is an exception) or
 * that has no rule here and meets shadow: then it is for machine/shadow/ to say what is done about it. It also leaves
 * before an instruction that meets shadow though it is not known to (metInstructions.ts).
 */
import { FS_BASE, GS_BASE, RSP, SHADOWED_SLOTS_END, shadowOf, type Slot } from '../../layout/cpuState.js';
import type { BlockPass, PassSource } from '../blockPass.js';
import { BuilderMemo, IrBuilder } from '../builder.js';
import { type Block, type End, NONE, type Node, type Value } from '../ir.js';
import { endEffects, FLAG_SLOTS, nodeEffects } from '../meaning/nodeEffects.js';
import type { OpDef, Type } from '../opDef.js';
import { OP_BY_NAME, OPS } from '../ops.js';
import { isAlwaysAsked, shadowedSlots } from '../registerGroups.js';
import { imageParts, shadowPass } from '../weaveInit.js';
import { conditionShadow, flagsShadow, isUsed, type KnownFlags } from './flagPropagation.js';
import type { MetInstructions } from './metInstructions.js';
import { ruleOf } from './propagationRules.js';
import { ShadowMath } from './shadowMath.js';

const id = (name: string): number => (OP_BY_NAME.get(name) as OpDef).id;
const CONDITION = id('cc.cond');
const FLAGS = id('cc.flags');
const IMAGE = id('sys.fpuImage');
const INSN = id('insn');
const REPEATED = new Map([[id('rep.movs'), 'init.movs'], [id('rep.stos'), 'init.stos']]);
/** Sums of these have shadow if one of their operands has. */
const HANDED_ON: ReadonlySet<number> = new Set(['i64.add', 'i64.sub', 'i64.extend_i32_u', 'i64.extend_i32_s'].map(id));
/** They never have shadow while generated code runs. */
export const ALWAYS_CLEAN: readonly Slot[] = [RSP, FS_BASE, GS_BASE];
const CLEAN_OFFSETS: ReadonlySet<number> = new Set(ALWAYS_CLEAN.map(({ offset }) => offset));

/** The nodes of one instruction, from the mark on. */
interface Piece {
  readonly first: number;
  readonly behind: number;
  readonly end: End;
}

/** How an instruction ends that is not the last: what comes next is next. */
const GOES_ON: End = { kind: 'jump', target: 0 as Block['start'] };

/** Instructions that are executed alone do not propagate: they leave where they meet shadow, as others do. */
export function propagationPass(met: MetInstructions): BlockPass {
  const alone = shadowPass();
  const memo = new BuilderMemo();
  return {
    key: 'propagation',
    rewrite: (block, source) => (source.isAlone ? alone.rewrite(block, source) : new Propagation(new IrBuilder(block.start, memo), source, met).weave()),
    isOwn: (start, next) => met.anyIn(start, next),
  };
}

class Propagation {
  private readonly math: ShadowMath;
  /** By offset of a slot: the shadow that it has at this point; missing if that is not known. */
  private readonly slots = new Map<number, Value>();
  /** What code has left for if it was not 0. */
  private readonly clean = new Set<Value>();
  /** Bytes that have none at this point: [low, high) from a value on. */
  private seen: { readonly root: Value; readonly low: number; readonly high: number }[] = [];
  /** Of all instructions, each as it is alone; what is built for them; and the shadow of it. */
  private nodes: readonly Node[] = [];
  private readonly values: Value[] = [];
  private readonly shadows: Value[] = [];
  // ---- of the instruction in question
  private address = 0;
  /** What has to be 0 so that code need not leave: a word, or NONE. */
  private demanded: Value = NONE;

  constructor(
    private readonly b: IrBuilder,
    private readonly source: PassSource,
    private readonly known: MetInstructions,
  ) {
    this.math = new ShadowMath(b);
  }

  weave(): Block {
    const { nodes, end, next } = this.source.apart();
    this.nodes = nodes;
    for (let first = 0; first < nodes.length; ) {
      let behind = first + 1;
      while (behind < nodes.length && nodes[behind]?.op !== INSN) behind++;
      this.instruction({ first, behind, end: behind === nodes.length ? end : GOES_ON });
      first = behind;
    }
    return this.b.finish(this.moved(end), next);
  }

  private instruction(one: Piece): void {
    this.address = (this.nodes[one.first] as Node).imm;
    this.b.insn(this.address as Block['start']);
    if (one.end.kind === 'syscall' || !this.nodes.slice(one.first, one.behind).every(isPropagated)) this.withoutShadow(one);
    else this.propagate(one);
  }

  // ---- instructions that have no rule: they are executed only where all that they have to do with has no shadow

  private withoutShadow({ first, behind, end }: Piece): void {
    const { b } = this;
    const nodes = this.nodes.slice(first, behind);
    if (nodes.some(isAlwaysAsked)) b.op('shadow.leave', b.i32(1));
    const effects = [...nodes.map((node) => nodeEffects(node)), endEffects(end)].flatMap(({ reads, writes }) => [...reads, ...writes]);
    for (const slot of shadowedSlots(effects)) if (!CLEAN_OFFSETS.has(slot.offset)) this.demandNone(slot.type, this.slotShadow(slot));
    this.leave();
    if (nodes.some(mayShade)) this.seen = [];
    nodes.forEach((node, i) => {
      const def = OPS[node.op] as OpDef;
      if (def.bytes > 0 && !isProbe(nodes, i)) this.look(node, def);
      if (node.op === IMAGE) for (const { bytes, at } of imageParts(node)) b.op(`shadow.check${bytes}`, this.value(node.a), NONE, NONE, NONE, at);
      const repeated = REPEATED.get(node.op);
      if (repeated !== undefined) b.opImm(repeated, node.imm);
      this.build(node, def, first + i);
    });
  }

  // ----

  private propagate({ first, behind, end }: Piece): void {
    const { nodes } = this;
    const changes: number[] = [];
    for (let i = first; i < behind; i++) {
      const node = nodes[i] as Node;
      const def = OPS[node.op] as OpDef;
      if (def.effect === 'set' || def.effect === 'cc' || (def.bytes > 0 && def.effect === 'store')) {
        changes.push(i);
        if (def.effect === 'store' || (def.effect === 'set' && CLEAN_OFFSETS.has(node.imm))) this.demandClean(node.a);
        continue;
      }
      if (def.effect === 'load' || def.effect === 'store' || def.effect === 'trap') {
        this.demandClean(node.a);
        this.leave();
      }
      this.build(node, def, i);
      if (def.result !== null) this.shadows[i] = this.simplified(this.shadowOfNode(node, def));
    }
    if (takesFromStack(nodes.slice(first, behind), end)) for (let i = first; i < behind; i++) if (OPS[nodes[i]?.op as number]?.effect === 'load') this.demandClean(i as Value);
    if (end.kind === 'branch') this.demandClean(end.condition);
    if (end.kind === 'indirect') this.demandClean(end.target);
    this.leave();
    this.leaveToTell(changes.flatMap((i) => this.writtenBy(nodes[i] as Node)));
    for (const i of changes) this.change(nodes[i] as Node, i);
  }

  /** Shadow that a node writes. */
  private writtenBy(node: Node): readonly { readonly type: Type; readonly shadow: Value }[] {
    const { effect, params } = OPS[node.op] as OpDef;
    if (effect === 'cc') return this.flagsWritten(node).map((shadow, i) => ({ type: (FLAG_SLOTS[i] as Slot).type, shadow }));
    return effect === 'set' ? [{ type: params[0] as Type, shadow: this.shadow(node.a) }] : [{ type: params[1] as Type, shadow: this.shadow(node.b) }];
  }

  /** Code leaves before an instruction that hands shadow on and is not known to. */
  private leaveToTell(written: readonly { readonly type: Type; readonly shadow: Value }[]): void {
    if (this.known.handsOn(this.address)) return;
    for (const { type, shadow } of written) if (shadow !== NONE) this.demanded = this.math.or('i64', this.demanded, this.word(type, shadow));
    this.leave();
  }

  /** Builds what changes state, and its shadow. */
  private change(node: Node, i: number): void {
    const def = OPS[node.op] as OpDef;
    if (def.effect === 'store') {
      this.store(node, def, i);
      return;
    }
    const flags = def.effect === 'cc' ? this.flagsWritten(node) : [];
    this.build(node, def, i);
    if (def.effect === 'cc') FLAG_SLOTS.forEach((slot, n) => this.setShadow(slot, flags[n] as Value));
    else this.setShadow({ name: '', type: def.params[0] as Type, offset: node.imm }, this.shadow(node.a));
  }

  private store(node: Node, def: OpDef, i: number): void {
    const { b, math } = this;
    const [shadow, type] = [this.shadow(node.b), def.params[1] as Type];
    const [base, distance] = this.place(node);
    if (shadow === NONE) {
      this.look(node, def);
      this.build(node, def, i);
      return;
    }
    const end = distance + def.bytes;
    this.seen = this.seen.filter(({ root, low, high }) => root === base && (high <= distance || low >= end));
    b.op(`shadow.keep${def.bytes}`, base, math.isSome(type, shadow), b.get(RSP), NONE, distance);
    this.build(node, def, i);
    b.op(`shadow.store${def.bytes}`, base, shadow, NONE, NONE, distance);
  }

  /** An address as a value and a distance, as accesses have it. */
  private place({ a, imm }: Node): readonly [base: Value, distance: number] {
    const { b } = this;
    const base = this.value(a);
    const node = b.node(base);
    const constant = node.op === id('i64.add') ? b.asI64(node.b) : null;
    const distance = constant === null ? NaN : Number(constant) + imm;
    return Math.abs(distance) < 0x4000_0000 ? [node.a, distance] : [base, imm];
  }

  // ---- shadow

  private shadowOfNode(node: Node, def: OpDef): Value {
    const { b } = this;
    if (def.effect === 'get') return CLEAN_OFFSETS.has(node.imm) || node.imm >= SHADOWED_SLOTS_END ? NONE : this.slotShadow({ name: '', type: def.result as Type, offset: node.imm });
    if (def.effect === 'load') return this.loaded(node, def);
    if (node.op !== CONDITION && node.op !== FLAGS) return (ruleOf(def) as NonNullable<ReturnType<typeof ruleOf>>)({ math: this.math, value: (v) => this.value(v), shadow: (v) => this.shadow(v) }, node);
    const op = b.asI32(this.value(node.a));
    const operands = [node.b, node.c, node.d] as const;
    if (op === null) {
      for (const operand of operands) this.demandClean(operand);
      return NONE;
    }
    const flags: KnownFlags = { op, values: operands.map((v) => this.value(v)) as [Value, Value, Value], shadow: operands.map((v) => this.shadow(v)) as [Value, Value, Value] };
    return node.op === CONDITION ? conditionShadow(this.math, node.imm, flags) : flagsShadow(this.math, flags);
  }

  private loaded(node: Node, def: OpDef): Value {
    const { b } = this;
    const { bytes, name } = def;
    if (!this.known.has(this.address)) {
      this.look(node, def);
      return NONE;
    }
    const [base, distance] = this.place(node);
    const shadow = b.op(`shadow.load${bytes}`, base, NONE, NONE, NONE, distance);
    return name.endsWith('_s') ? b.op(bytes === 1 ? 'i32.extend8_s' : 'i32.extend16_s', shadow) : shadow;
  }

  /** What cc.set leaves: what a kind has no use for has none. */
  private flagsWritten({ a, b, c, d }: Node): readonly Value[] {
    const op = this.b.asI32(this.value(a));
    return [a, b, c, d].map((operand, i) => (op !== null && !isUsed(op, i) ? NONE : op === null ? this.ofUnknownKind(a, operand, i) : this.shadow(operand)));
  }

  /** The same where it depends on what the program does which kind it is. */
  private ofUnknownKind(kind: Value, operand: Value, index: number): Value {
    const { math, b } = this;
    const shadow = this.shadow(operand);
    if (shadow === NONE || index < 2) return shadow;
    const kinds = index === 2 ? WITH_TWO : WITH_THREE;
    const isMeant = b.op('i32.and', b.op('i32.shr_u', b.i32(kinds), b.op('i32.shr_u', this.value(kind), b.i32(2))), b.i32(1));
    return math.and('i64', shadow, math.allIf('i64', isMeant));
  }

  private shadow(operand: Value): Value {
    const shadow = this.shadows[operand] ?? NONE;
    return this.clean.has(shadow) ? NONE : shadow;
  }

  private slotShadow(slot: Slot): Value {
    let shadow = this.slots.get(slot.offset);
    if (shadow === undefined) {
      this.slots.set(slot.offset, (shadow = this.b.get(shadowOf(slot))));
      if (!this.known.has(this.address)) this.demandNone(slot.type, shadow);
    }
    return this.clean.has(shadow) ? NONE : shadow;
  }

  /** Bytes have no shadow, if they are loaded, or have none from now on. */
  private look(node: Node, { effect, bytes }: OpDef): void {
    const [root, low] = this.place(node);
    const high = low + bytes;
    if (this.seen.some((known) => known.root === root && known.low <= low && known.high >= high)) return;
    this.seen.push({ root, low, high });
    this.b.op(`shadow.${effect === 'store' ? 'mark' : 'check'}${bytes}`, root, NONE, NONE, NONE, low);
  }

  private setShadow(slot: Slot, shadow: Value): void {
    if (CLEAN_OFFSETS.has(slot.offset) || slot.offset >= SHADOWED_SLOTS_END) return;
    const before = this.slots.get(slot.offset);
    const isClean = before === NONE || (before !== undefined && this.clean.has(before));
    if (shadow === NONE ? isClean : shadow === before) return;
    this.b.set(shadowOf(slot), this.math.made(slot.type, shadow));
    this.slots.set(slot.offset, shadow);
  }

  /** NONE for shadow that is known to be none. */
  private simplified(shadow: Value): Value {
    return shadow !== NONE && (this.b.asI32(shadow) === 0 || this.b.asI64(shadow) === 0n) ? NONE : shadow;
  }

  /** Code leaves if the value has shadow. */
  private demandClean(value: Value): void {
    if (this.shadow(value) === NONE) return;
    const { op, a, b } = this.nodes[value] as Node;
    if (HANDED_ON.has(op)) {
      this.demandClean(a);
      if (b !== NONE) this.demandClean(b);
      if (this.shadow(a) === NONE && (b === NONE || this.shadow(b) === NONE)) {
        this.shadows[value] = NONE;
        return;
      }
    }
    this.demandNone((OPS[op] as OpDef).result as Type, this.shadow(value));
  }

  private demandNone(type: Type, shadow: Value): void {
    if (shadow === NONE) return;
    this.demanded = this.math.or('i64', this.demanded, this.word(type, shadow));
    this.clean.add(shadow);
  }

  /** A word that is 0 if there is no shadow. */
  private word(type: Type, shadow: Value): Value {
    return type === 'i64' ? shadow : this.b.extend(type === 'v128' ? this.math.isSome(type, shadow) : shadow);
  }

  /** Code leaves if what has been demanded is not so. */
  private leave(): void {
    if (this.demanded !== NONE) this.b.op('shadow.leave', this.math.isSome('i64', this.demanded));
    this.demanded = NONE;
  }

  // ---- values

  private value(operand: Value): Value {
    return operand === NONE ? NONE : (this.values[operand] as Value);
  }

  /** Builds a node as it is. */
  private build(node: Node, def: OpDef, i: number): void {
    const { b } = this;
    const [x, y, z, w] = [this.value(node.a), this.value(node.b), this.value(node.c), this.value(node.d)];
    switch (def.effect) {
      case 'mark': return;
      case 'get':
        this.values[i] = b.get({ name: '', type: def.result as Type, offset: node.imm });
        return;
      case 'set':
        b.set({ name: '', type: def.params[0] as Type, offset: node.imm }, x);
        return;
      case 'cc':
        b.setFlags(x, y, z, w);
        return;
      default:
        this.values[i] = def.imm === 'i64' ? b.i64(node.big) : def.imm === 'v128' ? b.v128(node.bytes as Uint8Array) : def.name === 'i32.const' ? b.i32(node.imm) : b.op(def.name, x, y, z, w, node.imm);
    }
  }

  private moved(end: End): End {
    if (end.kind === 'branch') return { ...end, condition: this.value(end.condition) };
    return end.kind === 'indirect' ? { ...end, target: this.value(end.target) } : end;
  }
}

/** Bits of the kinds of flags for which y has a meaning, and z. */
const [WITH_TWO, WITH_THREE] = [2, 3].map((operand) => [...Array(13).keys()].reduce((kinds, kind) => kinds | (isUsed(kind << 2, operand) ? 1 << kind : 0), 0)) as [number, number];

function isPropagated(node: Node): boolean {
  const def = OPS[node.op] as OpDef;
  if (def.effect === 'pure') return node.op === CONDITION || node.op === FLAGS || ruleOf(def) !== undefined;
  return def.effect === 'get' || def.effect === 'set' || def.effect === 'load' || def.effect === 'store' || def.effect === 'cc' || def.effect === 'trap' || def.effect === 'mark';
}

/** `pop` and `leave`: words that they take from the stack may have been overwritten. */
function takesFromStack(nodes: readonly Node[], { kind }: End): boolean {
  const effects = nodes.map(({ op }) => (OPS[op] as OpDef).effect);
  return kind === 'jump' && nodes.some(({ op, imm }) => (OPS[op] as OpDef).effect === 'set' && imm === RSP.offset) && !effects.includes('store') && !effects.includes('cc');
}

/** Operations that call JavaScript, or move memory. */
function mayShade({ op }: Node): boolean {
  return /^(sys|rep)\./.test((OPS[op] as OpDef).name);
}

/** A load that only sees to it that an image can be read. */
function isProbe(nodes: readonly Node[], i: number): boolean {
  return [1, 2].some((ahead) => nodes[i + ahead]?.op === IMAGE && nodes.slice(i + 1, i + ahead).every(({ op }) => (OPS[op] as OpDef).effect === 'load'));
}
