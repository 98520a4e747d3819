/**
 * Follows shadow in registers. As long as there is none, generated code runs as ever and leaves only where a load
 * meets a byte with shadow. From there on instructions are executed one by one, and the shadow of registers, flags and
 * memory is propagated (instructionShadow.ts), until no register has any. Before an instruction that has to do with
 * shadow the policy decides whether it is executed.
 *
 * A policy may be forgetful: then what the calling convention says is dead is not followed further, nor what no
 * instruction has touched for a while, and an instruction that has led here many times for nothing is exempt.
 */
import { type GuestAddr, guestAddr } from '../../base/types.js';
import type { Block } from '../../ir/ir.js';
import { type MemoryRange, stringWalk, walkedRange } from '../../ir/meaning/strings.js';
import type { OpDef, Type } from '../../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../../ir/ops.js';
import { CC_OP, CC_X, CC_Y, CC_Z, FPU_REG, FPU_STATUS, GPR, RAX, RBP, RBX, RCX, RDI, RDX, RSI, RSP, R11, TICKS, type Slot, XMM } from '../../layout/cpuState.js';
import type { MetInstructions } from '../../ir/propagation/metInstructions.js';
import { ALWAYS_CLEAN } from '../../ir/propagation/propagationPass.js';
import { IGNORES_UNWRITTEN, STATE_BASE } from '../../layout/memoryMap.js';
import { linearOffset } from '../addressSpaceAccess.js';
import type { LinearMemory } from '../linearMemory.js';
import type { Cpu } from '../cpu.js';
import type { Stop, UndefinedSource } from '../stop.js';
import { ExemptInstructions } from './exemptInstructions.js';
import { InstructionShadow, type ShadowedMachine } from './instructionShadow.js';
import { Parking } from './parking.js';
import { PropagatedShadow } from './propagatedShadow.js';
import { PropagationModes } from './propagationModes.js';
import { ones } from './rules/shadowRule.js';
import { type Decision, GO_ON, type ShadowedInstruction, type ShadowPolicy } from './shadowPolicy.js';
import { type StepPlan, stepPlan } from './stepPlan.js';
import type { KeptRegister, ShadowBytesSnapshot, UndefinedRegisters, UnwrittenBytes } from './unwrittenBytes.js';

interface SlotShadow {
  readonly bits: bigint;
  /** The address of the byte that the value comes from. */
  readonly origin: number;
  /** What it was made of. */
  readonly from: UndefinedSource | undefined;
  /** When it was last read or written, in steps. */
  touched: number;
}

/** Of one thread. */
interface Followed {
  readonly slots: Map<number, SlotShadow>;
  /** The instruction that has met unwritten bytes. */
  readonly begun: number;
  /** Where it has to be: if not, the kernel has taken it elsewhere. */
  rip: number;
  /** The instruction at rip has been reported. */
  isForgiven: boolean;
  /** An undefined value has decided something. */
  isUsed: boolean;
  steps: number;
}

/** Shadow at a time, to come back to. */
interface ShadowSnapshot {
  readonly memory: ShadowBytesSnapshot;
  readonly owner: object | undefined;
  readonly followed: Followed | undefined;
  readonly ofOthers: ReadonlyMap<object, Followed>;
  readonly visits: ReadonlyMap<number, number>;
  readonly copiers: ReadonlyMap<number, readonly number[]>;
  readonly exempt: readonly number[];
}

/** Steps after which a value that no instruction touches is forgotten. */
const FORGOTTEN_AFTER = 300;
/** So often an instruction may lead here for nothing. */
const MOST_VISITS = 48;
/** Unwritten bytes of which it is known who has copied them, and how many of those. */
const MOST_COPIED = 1024;
const MOST_COPIERS = 4;

const FLAGS = [CC_OP, CC_X, CC_Y, CC_Z];
const KEPT_BY_RETURN = new Set([RAX, RDX, RBX, RBP, RSP, ...GPR.slice(12), XMM[0] as Slot, XMM[1] as Slot, ...FPU_REG].map(({ offset }) => offset));
const DEAD_AT_CALL = new Set([RAX, R11, GPR[10] as Slot, ...XMM.slice(8), ...FLAGS].map(({ offset }) => offset));
const SET_FOR_HANDLERS = [RAX, RDI, RSI, RDX];
const SET_BY_SYSTEM_CALL = new Set([RAX, RCX, R11].map(({ offset }) => offset));
/** Value flow does not follow what is in them, so that where it was made has to do. */
const X87_SLOTS = new Set([FPU_STATUS, ...FPU_REG].map(({ offset }) => offset));
const MOST_DECODED = 20_000;
const MOST_REPEATED = 1 << 20;
const MOVS = OP_BY_NAME.get('rep.movs')?.id;
const STOS = OP_BY_NAME.get('rep.stos')?.id;

export interface InstructionSource {
  /** One instruction; or why there is none. */
  decode(address: GuestAddr): Block | Stop;
  /** The block that begins there. */
  block(address: GuestAddr): Block | Stop;
  /** Instructions retired so far. */
  now(): number;
  /** From now on generated code propagates shadow, which these instructions meet. */
  setPropagation(met: MetInstructions): void;
  /** Code of instructions that have been added to them is out of date. */
  remake(addresses: Iterable<number>): void;
}

export class ShadowFollower implements ShadowedMachine, UndefinedRegisters {
  private followed: Followed | undefined;
  /** Of threads that do not run: they are of the same process, and live as long as this. */
  private readonly ofOthers = new Map<object, Followed>();
  private owner: object | undefined;
  private readonly parking: Parking;
  /** How often an instruction has led here for nothing. */
  private readonly visits = new Map<number, number>();
  /** By address of unwritten bytes: who has copied them lately. */
  private readonly copiers = new Map<number, readonly number[]>();
  private readonly decoded = new Map<number, StepPlan>();
  /**
   * While an instruction is tried that does not read what is undefined: whether it has met unwritten bytes all the
   * same.
   */
  private trial: { hasMet: boolean } | undefined;
  private readonly exempt: ExemptInstructions;
  /** Undefined if generated code never propagates shadow. */
  private readonly propagated: PropagatedShadow | undefined;
  private readonly modes: PropagationModes;
  /** Generated code that propagates was the last to run. */
  private hasLeftCode = false;
  /** Instructions that were executed one by one, and how often that began. */
  readonly cost = { steps: 0, visits: 0 };

  constructor(
    private readonly cpu: Cpu,
    private readonly linear: LinearMemory,
    readonly bytes: UnwrittenBytes,
    private readonly source: InstructionSource,
    private readonly policy: ShadowPolicy,
  ) {
    this.exempt = new ExemptInstructions(linear);
    this.parking = new Parking(linear, (address) => source.block(address));
    this.propagated = policy.propagation && new PropagatedShadow(linear);
    this.modes = new PropagationModes(source, policy.propagation?.after);
    bytes.registers = this;
  }

  /** Whether a register has shadow. */
  get any(): boolean {
    return this.followed !== undefined;
  }

  /**
   * Whether instructions have to be executed one by one. Where a block begins that has nothing to do with registers
   * that have shadow, generated code may run: it leaves before a block that has.
   */
  mustStep(): boolean {
    const { followed } = this;
    if (followed === undefined) return false;
    if (this.policy.isForgetful) return true;
    const { propagates } = this.modes;
    if (followed.isForgiven || (propagates && ALWAYS_CLEAN.some(({ offset }) => followed.slots.has(offset)))) return true;
    return !this.parking.isPossible(this.cpu.rip, followed.slots.keys(), propagates);
  }

  /** Generated code is about to run. */
  enterCode(): void {
    const { propagated, followed } = this;
    if (followed !== undefined && this.modes.propagates) propagated?.give([...followed.slots].map(([offset, { bits }]) => [offset, bits] as const));
  }

  /**
   * Such code has met an exception. That shadow decides something in the instruction comes first: it is to be executed
   * once more, alone.
   */
  takesAlone(): boolean {
    if (!this.hasLeftCode) return false;
    this.enter();
    return true;
  }

  /** It has left, and the state of the CPU is exact. */
  leaveCode(): void {
    const { propagated } = this;
    if (!this.modes.propagates || propagated === undefined) return;
    this.hasLeftCode = true;
    propagated.overwritten((address, word) => this.policy.propagation?.overwritten(address, word));
    const shadows = propagated.take();
    this.followed = shadows.size === 0 ? undefined : newlyFollowed(this.cpu.rip, new Map([...shadows].map(([offset, bits]) => [offset, { bits, origin: 0, from: undefined, touched: 0 }])));
    this.parking.left(shadows.keys());
  }

  /** Whose registers those of the CPU are. */
  runsFor(owner: object): void {
    if (owner === this.owner) return;
    if (this.owner !== undefined && this.followed !== undefined) this.ofOthers.set(this.owner, this.followed);
    // What is followed before it is known for whom is the first owner's.
    if (this.owner !== undefined) this.followed = this.ofOthers.get(owner);
    this.owner = owner;
    this.ofOthers.delete(owner);
  }

  /** Bits of a register of the thread that runs get shadow; it came from `origin`. */
  shade(offset: number, bits: bigint, origin: number): void {
    const followed = (this.followed ??= newlyFollowed(this.cpu.rip));
    followed.slots.set(offset, { bits, origin, from: undefined, touched: followed.steps });
  }

  /** A register of the thread that runs has no shadow any more. */
  clear(offset: number): void {
    this.followed?.slots.delete(offset);
  }

  /** The instruction that is next, whether or not shadow has to do with it; undefined if there is none. */
  here(): ShadowedInstruction | undefined {
    const plan = this.decode(this.cpu.rip);
    return plan && this.shadowed(new InstructionShadow(plan.block, this), plan.block);
  }

  /** Who was asked by a stop has set registers, and shadow: what is at rip now has not been decided on. */
  resumed(): void {
    if (this.followed === undefined) return;
    this.followed.rip = this.cpu.rip;
    this.followed.isForgiven = false;
    if (!this.policy.isForgetful) this.parking.end(true);
    if (this.followed.slots.size === 0) this.leave(this.followed);
  }

  /** A thread goes by another name from now on. */
  renamed(before: object, after: object): void {
    if (this.owner === before) this.owner = after;
    const followed = this.ofOthers.get(before);
    this.ofOthers.delete(before);
    if (followed !== undefined) this.ofOthers.set(after, followed);
  }

  /** Registers of the thread that runs are a copy of another's, in another memory. */
  copyRegisters(other: ShadowFollower): void {
    this.followed = other.followed && copyOf(other.followed);
  }

  /** All shadow, of memory and of the registers of all threads, and what has been found out about instructions. */
  capture(ranges: readonly MemoryRange[]): ShadowSnapshot {
    return {
      memory: this.bytes.capture(ranges),
      owner: this.owner,
      followed: this.followed && copyOf(this.followed),
      ofOthers: new Map([...this.ofOthers].map(([owner, followed]) => [owner, copyOf(followed)])),
      visits: new Map(this.visits),
      copiers: new Map(this.copiers),
      exempt: this.exempt.addresses(),
    };
  }

  /** Goes back to what was captured; `ranges`: what is mapped now, or was mapped then. */
  restore({ memory, owner, followed, ofOthers, visits, copiers, exempt }: ShadowSnapshot, ranges: readonly MemoryRange[]): void {
    this.bytes.restore(memory, ranges);
    this.owner = owner;
    this.followed = followed && copyOf(followed);
    refill(this.ofOthers, [...ofOthers].map(([thread, own]) => [thread, copyOf(own)] as const));
    refill(this.visits, visits);
    refill(this.copiers, copiers);
    this.exempt.restore(exempt);
    this.decoded.clear();
  }

  /** The engine is about to run. */
  begin(): void {
    const { followed } = this;
    if (!this.policy.isForgetful) {
      this.parking.end(true);
      if (followed === undefined) this.parking.watchMemory();
      else followed.rip = this.cpu.rip;
    } else if (followed !== undefined && followed.rip !== this.cpu.rip) this.leave(followed);
  }

  saved(registers: readonly KeptRegister[]): void {
    for (const { offset, address, bytes } of registers) {
      const entry = this.followed?.slots.get(offset);
      if (entry !== undefined) this.keep({ address, bytes, bits: entry.bits, origin: entry.origin });
    }
    if (!this.policy.isForgetful) for (const { offset } of SET_FOR_HANDLERS) this.followed?.slots.delete(offset);
  }

  restored(registers: readonly KeptRegister[]): void {
    const { rip } = this.cpu;
    const slots = new Map<number, SlotShadow>();
    for (const { offset, address, bytes } of registers) {
      const bits = this.bytes.bitsOf(address, bytes);
      if (bits !== 0n) slots.set(offset, { bits, origin: this.bytes.originOf(address, bytes), from: undefined, touched: 0 });
    }
    this.followed = slots.size === 0 ? undefined : newlyFollowed(rip, slots);
  }

  /** The instruction at rip meets unwritten bytes. */
  enter(): void {
    if (this.trial !== undefined) {
      this.trial.hasMet = true;
      return;
    }
    const { rip } = this.cpu;
    this.hasLeftCode = false;
    this.cost.visits++;
    if (this.policy.isForgetful || this.followed === undefined) this.followed = newlyFollowed(rip);
    else this.followed.rip = rip;
    if (!this.policy.isForgetful) this.parking.end(false);
  }

  /**
   * Nothing is undefined any more that is known of. What has been used was worth the trouble, whether it is reported
   * or suppressed.
   */
  private leave({ begun, isUsed }: Followed): void {
    this.followed = undefined;
    if (!this.policy.isForgetful) this.parking.watchMemory();
    if (isUsed || !this.policy.isForgetful) return;
    const visits = this.count(begun, 1);
    if (visits === MOST_VISITS) this.exempt.add(begun);
  }

  private count(instruction: number, change: number): number {
    const visits = (this.visits.get(instruction) ?? 0) + change;
    this.visits.set(instruction, visits);
    return visits;
  }

  /** The instruction has led to a copy of the unwritten bytes at `origin`. */
  private copied(origin: number, instruction: number): void {
    if (this.copiers.size > MOST_COPIED) this.copiers.clear();
    const known = this.copiers.get(origin) ?? [];
    if (!known.includes(instruction)) this.copiers.set(origin, [instruction, ...known].slice(0, MOST_COPIERS));
  }

  /** A copy of them has been used: neither was it for nothing that it was made. */
  private used(origin: number): void {
    for (const instruction of this.copiers.get(origin) ?? []) this.count(instruction, -1);
    this.copiers.delete(origin);
  }

  codeChanged(): void {
    this.decoded.clear();
    this.parking.codeChanged();
  }

  /** Executes one instruction, unless it would use an undefined value. */
  step(execute: () => Stop | null): Stop | null {
    const { followed } = this;
    this.hasLeftCode = false;
    if (followed === undefined) return execute();
    const plan = this.decode(this.cpu.rip);
    if (plan === undefined) {
      this.leave(followed);
      return execute();
    }
    const { block, plain } = plan;
    if (!this.policy.isForgetful) this.parking.end(block.end.kind !== 'jump' || block.end.target !== block.next);
    if (plain !== undefined && !followed.isForgiven && !plan.hasMet && !plain.reads.some((offset) => followed.slots.has(offset))) {
      const trial = (this.trial = { hasMet: false });
      const stop = execute();
      this.trial = undefined;
      if (!trial.hasMet) return this.passed(followed, plan, stop);
      if (!this.policy.isForgetful) plan.hasMet = true;
      if (this.exempt.has(this.cpu.rip)) return this.passed(followed, plan, this.ignoring(execute));
    }
    const shadow = new InstructionShadow(block, this);
    const decision = followed.isForgiven ? GO_ON : this.policy.decide(this.shadowed(shadow, block));
    if (decision.kind === 'stop') {
      followed.isForgiven = followed.isUsed = true;
      this.used(this.originIn(shadow));
      return decision.stop;
    }
    if (decision.kind === 'leaveOut') {
      this.leaveOut(followed, shadow, decision);
      return null;
    }
    if (!this.policy.isForgetful) {
      if (!plan.isSpecial) return this.propagate(followed, plan, shadow, execute, decision.done);
      plan.hasMet = false;
    }
    const origin = this.originIn(shadow);
    const from = this.sourceIn(shadow);
    const [slots, stores] = [shadow.slots(), shadow.stores().map((stored) => ({ ...stored, origin: this.originOfSlot(stored.slot) ?? origin }))];
    const restored = new Map(shadow.restoredSlots().map(({ offset, address, bytes }) => [offset, { origin: this.bytes.originOf(address, bytes), from: this.sourceAt(address, bytes) }]));
    const forgiven = followed.isForgiven ? shadow.undefinedSlots() : [];
    const repeated = this.repeated(block);
    const stop = this.ignoring(execute);
    if (!isDone(stop)) {
      followed.rip = this.cpu.rip;
      return stop;
    }
    followed.isForgiven = false;
    decision.done?.();
    for (const offset of forgiven) followed.slots.delete(offset);
    for (const { bits, origin: own } of stores) if (bits !== 0n) this.copied(own, followed.begun);
    for (const stored of stores) if (stored.bits !== 0n || this.bytes.firstIn(stored.address, stored.bytes) !== undefined) this.keep(stored);
    repeated?.();
    for (const [offset, bits] of slots) {
      if (bits === 0n) followed.slots.delete(offset);
      else followed.slots.set(offset, { bits, touched: followed.steps + 1, origin, from, ...restored.get(offset) });
    }
    this.goOn(followed, block);
    return stop;
  }

  /** Executes an instruction of the usual kind; where shadow came from is of no interest. */
  private propagate(followed: Followed, plan: StepPlan, shadow: InstructionShadow, execute: () => Stop | null, done: (() => void) | undefined): Stop | null {
    const [slots, stores] = [shadow.slots(), shadow.stores()];
    const { rip } = this.cpu;
    const isMet = this.propagated !== undefined && (shadow.undefinedSlots().length > 0 || shadow.undefinedLoads().length > 0);
    plan.hasMet = plan.plain !== undefined && !plan.plain.reads.some((offset) => followed.slots.has(offset)) && shadow.undefinedLoads().length > 0;
    const stop = this.ignoring(execute);
    if (!isDone(stop)) {
      followed.rip = this.cpu.rip;
      return stop;
    }
    followed.isForgiven = false;
    done?.();
    if (isMet) this.modes.met(rip, stores.some(({ bits }) => bits !== 0n) || [...slots.values()].some((bits) => bits !== 0n));
    for (const { address, bytes, bits } of stores) this.bytes.storeAll(address, bytes, bits);
    for (const [offset, bits] of slots) {
      if (bits === 0n) followed.slots.delete(offset);
      else followed.slots.set(offset, { bits, touched: 0, origin: 0, from: undefined });
    }
    if (plan.block.end.kind === 'syscall') for (const offset of SET_BY_SYSTEM_CALL) followed.slots.delete(offset);
    this.stepped(followed);
    return stop;
  }

  /** The shadow of what has been stored. Who does not forget does not tell bits of a byte apart. */
  private keep({ address, bytes, bits, origin }: { readonly address: number; readonly bytes: number; readonly bits: bigint; readonly origin: number }): void {
    if (this.policy.isForgetful) this.bytes.store(address, bytes, bits, origin);
    else this.bytes.storeAll(address, bytes, bits);
  }

  private ignoring(execute: () => Stop | null): Stop | null {
    this.linear.u32[IGNORES_UNWRITTEN / 4] = 1;
    const stop = execute();
    this.linear.u32[IGNORES_UNWRITTEN / 4] = 0;
    return stop;
  }

  /** An instruction that has nothing to do with what is undefined has been executed. */
  private passed(followed: Followed, { block, plain }: StepPlan, stop: Stop | null): Stop | null {
    followed.rip = this.cpu.rip;
    if (!isDone(stop)) return stop;
    for (const offset of plain?.writes ?? []) followed.slots.delete(offset);
    this.goOn(followed, block);
    return stop;
  }

  // ---- ShadowedMachine

  slot(offset: number, type: Type): bigint {
    const { u32, view } = this.linear;
    const at = STATE_BASE + offset;
    if (type === 'i32') return BigInt(u32[at / 4] as number);
    const low = view.getBigUint64(at, true);
    return type === 'i64' ? low : low | (view.getBigUint64(at + 8, true) << 64n);
  }

  slotBits(offset: number): bigint {
    const entry = this.followed?.slots.get(offset);
    if (entry === undefined) return 0n;
    entry.touched = (this.followed as Followed).steps;
    return entry.bits;
  }

  memory(address: number, bytes: number): bigint {
    const at = linearOffset(address);
    let value = 0n;
    for (let i = bytes - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.linear.u8[at + i] ?? 0);
    return value;
  }

  memoryBits(address: number, bytes: number): bigint {
    return this.bytes.bitsOf(address, bytes);
  }

  firstShadowed(address: number, bytes: number): number {
    return this.bytes.firstIn(address, bytes) ?? address;
  }

  // ----

  private decode(address: GuestAddr): StepPlan | undefined {
    const known = this.decoded.get(address);
    if (known !== undefined) return known;
    const block = this.source.decode(address);
    if (!('nodes' in block)) return undefined;
    if (this.decoded.size > MOST_DECODED) this.decoded.clear();
    const plan = stepPlan(block);
    this.decoded.set(address, plan);
    return plan;
  }

  private shadowed(shadow: InstructionShadow, block: Block): ShadowedInstruction {
    return { at: this.cpu.rip, block, shadow, machine: this, origin: () => this.originIn(shadow), source: () => this.sourceOfUse(shadow) };
  }

  /** The instruction at rip is not executed; the time that it would have taken passes. */
  private leaveOut(followed: Followed, shadow: InstructionShadow, { slots, memory }: Decision & { kind: 'leaveOut' }): void {
    const [origin, from] = [this.originIn(shadow), this.sourceIn(shadow)];
    for (const { address, bytes } of memory) this.bytes.add(address, bytes);
    for (const { offset, bytes } of slots) followed.slots.set(offset, { bits: ones(bytes * 8), origin, from, touched: followed.steps + 1 });
    this.cpu.setNum(TICKS, this.cpu.num(TICKS) - 1);
    this.cpu.rip = shadow.block.next;
    this.stepped(followed);
  }

  /** Where the undefined value of what the instruction reads comes from. */
  private originIn(shadow: InstructionShadow): number {
    for (const offset of shadow.undefinedSlots()) {
      const origin = this.followed?.slots.get(offset)?.origin;
      if (origin !== undefined) return origin;
    }
    const [loaded] = shadow.undefinedLoads();
    if (loaded !== undefined) return this.bytes.originOf(loaded.address, loaded.bytes);
    return [...(this.followed?.slots.values() ?? [])][0]?.origin ?? 0;
  }

  private originOfSlot(offset: number | undefined): number | undefined {
    return offset === undefined ? undefined : this.followed?.slots.get(offset)?.origin;
  }

  private sourceAt(address: number, size: number): UndefinedSource {
    const place = { kind: 'memory', address: guestAddr(address), size } as const;
    return { rip: this.cpu.rip, instructions: this.source.now(), place };
  }

  /** What a branch looks at are flags, which come from elsewhere. */
  private sourceOfUse(shadow: InstructionShadow): UndefinedSource | undefined {
    const flag = shadow.undefinedSlots().find((offset) => FLAGS.some((slot) => slot.offset === offset));
    return flag === undefined ? this.sourceIn(shadow) : this.followed?.slots.get(flag)?.from;
  }

  private sourceIn(shadow: InstructionShadow): UndefinedSource | undefined {
    const common = { rip: this.cpu.rip, instructions: this.source.now() };
    const offset = shadow.undefinedSlots().find((candidate) => !FLAGS.some((slot) => slot.offset === candidate));
    const entry = offset === undefined ? undefined : this.followed?.slots.get(offset);
    if (offset !== undefined && X87_SLOTS.has(offset)) return entry?.from;
    if (offset !== undefined && entry !== undefined) return { ...common, place: { kind: 'register', offset, size: bytesIn(entry.bits) } };
    const [loaded] = shadow.undefinedLoads();
    return loaded === undefined ? undefined : this.sourceAt(loaded.address, loaded.bytes);
  }

  /** What there is to do after rep movs, or rep stos of an undefined value. */
  private repeated(block: Block): (() => void) | undefined {
    const node = block.nodes.find(({ op }) => op === MOVS || op === STOS);
    if (node === undefined) return undefined;
    const walk = stringWalk(OPS[node.op] as OpDef, node.imm, this);
    const [[to], [from]] = [walkedRange(walk, walk.target), walkedRange(walk, walk.source)];
    if (to === undefined || to.bytes > MOST_REPEATED) return undefined;
    if (from !== undefined) return () => this.bytes.copy(to.address, from.address, to.bytes);
    return this.followed?.slots.has(RAX.offset) === true ? () => this.bytes.add(to.address, to.bytes) : undefined;
  }

  /** A step has been made. */
  private goOn(followed: Followed, block: Block): void {
    if (this.policy.isForgetful) {
      const { slots: known } = followed;
      const now = followed.steps + 1;
      this.forgetDead(known, block);
      if (now % 64 === 0) for (const [offset, entry] of known) if (now - entry.touched > FORGOTTEN_AFTER) known.delete(offset);
    } else if (block.end.kind === 'syscall') for (const offset of SET_BY_SYSTEM_CALL) followed.slots.delete(offset);
    this.stepped(followed);
  }

  private stepped(followed: Followed): void {
    followed.steps++;
    this.cost.steps++;
    if (this.propagated !== undefined) this.modes.stepped();
    followed.rip = this.cpu.rip;
    if (followed.slots.size === 0) this.leave(followed);
  }

  private forgetDead(known: Map<number, SlotShadow>, { end }: Block): void {
    const forget = (isDead: (offset: number) => boolean): void => {
      for (const offset of known.keys()) if (isDead(offset)) known.delete(offset);
    };
    if (end.kind === 'syscall') forget((offset) => SET_BY_SYSTEM_CALL.has(offset));
    else if (end.kind === 'call' || (end.kind === 'indirect' && end.via === 'call')) forget((offset) => DEAD_AT_CALL.has(offset));
    else if (end.kind === 'indirect' && end.via === 'return') forget((offset) => !KEPT_BY_RETURN.has(offset));
  }
}

/** Whether the instruction has been executed. */
function isDone(stop: Stop | null): boolean {
  return stop === null || stop.kind === 'syscall' || stop.kind === 'astray';
}

/**
 * How many bytes have to be looked at to see all of the undefined bits: as many as a register or a part of it has.
 */
function bytesIn(bits: bigint): number {
  return [1, 2, 4, 8].find((bytes) => bits >> BigInt(bytes * 8) === 0n) ?? 16;
}

function newlyFollowed(rip: number, slots = new Map<number, SlotShadow>()): Followed {
  return { slots, begun: rip, rip, isForgiven: false, isUsed: false, steps: 0 };
}

function copyOf(followed: Followed): Followed {
  return { ...followed, slots: new Map([...followed.slots].map(([offset, entry]) => [offset, { ...entry }])) };
}

function refill<K, V>(map: Map<K, V>, entries: Iterable<readonly [K, V]>): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}
