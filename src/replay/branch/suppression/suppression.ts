/**
 * Leaves instructions out of a branch, and what depends on them: corrupt is what has shadow. As a policy it says before
 * which instructions the engine stops; who runs the engine asks it then to set registers and memory so that the
 * program goes on without that instruction. All that it does to the program are registers and bytes of memory, so that
 * a log has them, and a replay needs no shadow.
 */
import { guestAddr, USER_SPACE_END } from '../../../base/types.js';
import { ccOp } from '../../../ir/flags.js';
import type { Block, Node } from '../../../ir/ir.js';
import { FLAG_SLOTS, nodeEffects } from '../../../ir/meaning/nodeEffects.js';
import type { SlotRange } from '../../../ir/meaning/stateBytes.js';
import type { MemoryRange } from '../../../ir/meaning/strings.js';
import { stringWalk, walkedRange } from '../../../ir/meaning/strings.js';
import type { OpDef } from '../../../ir/opDef.js';
import { OP_BY_NAME, OPS } from '../../../ir/ops.js';
import { CC_OP, CC_X, CC_Y, CC_Z, FPU_REG, GPR, RAX, RBP, RDI, RDX, RSI, RSP, type Slot, XMM } from '../../../layout/cpuState.js';
import type { Machine } from '../../../machine/machinePool.js';
import type { InstructionShadow } from '../../../machine/shadow/instructionShadow.js';
import type { ShadowFollower } from '../../../machine/shadow/shadowFollower.js';
import { type Decision, GO_ON, type Propagation, type ShadowedInstruction, type ShadowPolicy } from '../../../machine/shadow/shadowPolicy.js';
import { type ChannelFile, CorruptChannels, isSending, type TransferCall } from './channels.js';
import type { Detour, GuidedMachine, SuppressionGuide } from './guide.js';
import { isAccess, isSet, type Meeting, meetingOf } from './meeting.js';
import { RememberedWords, type StackWord, wordsAt } from './rememberedWords.js';
import { type Answer, answerInVain, type MadeCall, ruleFor } from './systemCallRules.js';

/** A thread whose registers are loaded. */
export interface SuppressedThread {
  readonly machine: Machine;
  readonly shadow: ShadowFollower;
  /** What it is known by. */
  readonly owner: object;
  /** What it has open; undefined if that is not known here. */
  file?(fd: number): ChannelFile | undefined;
  /** Writes into its memory. */
  store(address: number, bytes: Uint8Array): void;
}

type WhyLeftOut = 'point' | 'data' | 'address' | 'condition' | 'target' | 'return' | 'call' | 'systemCall';

export interface LeftOutInstruction {
  readonly address: number;
  readonly why: WhyLeftOut;
  /** When it was first left out. */
  readonly time: number;
}

/** A system call that is a point: what it stores is corrupt when it has returned. */
interface PendingCall {
  readonly owner: object;
  readonly stored: MemoryRange[];
  isMade: boolean;
}

const id = (name: string): number => (OP_BY_NAME.get(name) as OpDef).id;
const TRAP = id('trapIf');
const MOVS = id('rep.movs');
const STOS = id('rep.stos');
const WHOLE: Readonly<Record<Slot['type'], number>> = { i32: 4, i64: 8, v128: 16 };
const FLAG_OFFSETS: ReadonlySet<number> = new Set(FLAG_SLOTS.map(({ offset }) => offset));
const FLAGS_LITERALLY = ccOp('FLAGS', 1);
/** What may have shadow: control words and the like decide about too much to be in doubt. */
const SHADED: ReadonlyMap<number, Slot> = new Map([...GPR.filter((slot) => slot !== RSP), ...XMM, ...FPU_REG].map((slot) => [slot.offset, slot]));
/** Where functions leave their results. */
const RESULTS: readonly SlotRange[] = [RAX, RDX, XMM[0] as Slot, XMM[1] as Slot].map((slot) => ({ offset: slot.offset, bytes: WHOLE[slot.type] }));
/** More bytes than this are not made corrupt at once. */
const LONGEST = 1 << 24;
const PAGE = 4096;
const STDERR = 2;
const LARGEST_FRAME = 1n << 20n;

export class Suppression implements ShadowPolicy {
  readonly startsInFrames = false;
  readonly isForgetful = false;
  private readonly left = new Map<string, LeftOutInstruction>();
  private readonly remembered = new RememberedWords();
  readonly propagation: Propagation = this.remembered;
  private pending: PendingCall | undefined;
  private readonly channels = new CorruptChannels();
  readonly remarks = new Set<string>();

  constructor(
    private readonly guide: SuppressionGuide,
    /** Instructions retired in the branch. */
    private readonly now: () => number,
  ) {}

  get leftOut(): readonly LeftOutInstruction[] {
    return [...this.left.values()];
  }

  // ---- the engine asks

  decide(instruction: ShadowedInstruction): Decision {
    const { block, shadow, machine, at } = instruction;
    const meeting = this.meeting(instruction);
    if (meeting === undefined) {
      const words = this.overwrittenBy(block, shadow, machine);
      const spread = isSpread(shadow);
      if (words.length === 0 && !spread) return GO_ON;
      const time = this.now();
      return { kind: 'goOn', done: () => this.executed(at, time, words, spread) };
    }
    return { kind: 'stop', stop: { kind: 'undefined', at, use: 'branch', value: 0n, bits: 0n, origin: 0, from: undefined } };
  }

  private meeting({ block, shadow, machine }: ShadowedInstruction): Meeting | undefined {
    const meeting = meetingOf(block, shadow, machine);
    // What was corrupt already when it was put on the stack is data.
    if (meeting === 'return' && block.end.kind !== 'indirect' && !shadow.undefinedLoads().some(({ address }) => this.remembered.at(address) !== undefined)) return undefined;
    return meeting;
  }

  /** Words of the stack that corrupt data is about to overwrite. */
  private overwrittenBy(block: Block, shadow: InstructionShadow, machine: ShadowedInstruction['machine']): readonly StackWord[] {
    const string = block.nodes.find(({ op }) => op === MOVS || op === STOS);
    const ranges = [...shadow.stores().filter(({ bits }) => bits !== 0n), ...(string === undefined ? [] : this.stringTarget(string, machine))];
    return ranges.flatMap(({ address, bytes }) => wordsAt(machine, Number(machine.slot(RSP.offset, 'i64')), address, bytes));
  }

  private executed(at: number, time: number, words: readonly StackWord[], spread: boolean): void {
    for (const { address, word } of words) this.remembered.overwritten(address, word);
    if (spread) this.note(at, 'data', time);
  }

  private stringTarget(node: Node, machine: ShadowedInstruction['machine']): readonly MemoryRange[] {
    const walk = stringWalk(OPS[node.op] as OpDef, node.imm, machine);
    return walkedRange(walk, walk.target);
  }

  // ---- who runs the engine asks

  /** The engine has stopped before an instruction that is not to be executed as it is. */
  met(thread: SuppressedThread): void {
    const instruction = thread.shadow.here();
    const meeting = instruction && this.meeting(instruction);
    if (instruction !== undefined && meeting !== undefined) this.avoid(thread, instruction, meeting);
    thread.shadow.resumed();
  }

  /** Whether `met` would do something where the thread stands. */
  wouldMeet({ shadow }: SuppressedThread): boolean {
    const instruction = shadow.here();
    return instruction !== undefined && this.meeting(instruction) !== undefined;
  }

  /**
   * The instruction that is next is left out, and what it would have written is corrupt; so is `memory`, wherever that
   * is. `isThere`: it is the instruction that is meant.
   */
  suppress(thread: SuppressedThread, memory: MemoryRange | undefined, isThere: boolean): void {
    const instruction = thread.shadow.here();
    if (memory !== undefined && (instruction?.block.end.kind !== 'syscall' || !isThere)) this.spoil(thread, memory);
    if (instruction === undefined || !isThere) return;
    const { block: { end } } = instruction;
    if (end.kind === 'syscall') this.await(thread);
    else if (end.kind === 'call' || (end.kind === 'indirect' && end.via === 'call')) this.skipCall(thread, end.returnTo);
    else if (end.kind === 'branch' || end.kind === 'indirect') this.detour(thread, instruction);
    else {
      this.storeCorrupt(thread, instruction);
      this.leaveOut(thread, instruction);
    }
    this.note(instruction.at, 'point');
    thread.shadow.resumed();
  }

  /** The thread has made a system call; its result if it is not to be carried out. */
  answered(thread: SuppressedThread): number | undefined {
    const { machine: { cpu, space } } = thread;
    if (this.pending?.owner === thread.owner) {
      this.pending.isMade = true;
      return undefined;
    }
    const answer = ruleFor(cpu.lo(RAX))(this.madeCall(thread));
    if (answer === undefined) {
      this.channels.send(this.transfer(thread, cpu.lo(RAX)), (address) => space.unwritten?.has(address) === true);
      return undefined;
    }
    return this.leaveOutCall(thread, answer);
  }

  /** The thread's system call waits for what was left out. Its result. */
  waitsInVain(thread: SuppressedThread, number: number): number {
    return this.leaveOutCall(thread, answerInVain(number, this.madeCall(thread)));
  }

  private leaveOutCall(thread: SuppressedThread, { stored, result }: Answer): number {
    // It has retired: its address is before rip.
    this.note(guestAddr(thread.machine.cpu.rip - 2), 'systemCall');
    for (const range of stored) this.spoil(thread, range);
    this.shade(thread, [{ offset: RAX.offset, bytes: 8 }]);
    thread.shadow.resumed();
    return result;
  }

  private madeCall(thread: SuppressedThread): MadeCall {
    const { shadow, machine: { cpu, space } } = thread;
    return {
      argument: (slot) => cpu.num(slot),
      isCorrupt: (slot) => shadow.slotBits(slot.offset) !== 0n,
      isMemoryCorrupt: (address, bytes) => bytes > 0 && space.unwritten?.firstIn(address, bytes) !== undefined,
      string: (address) => this.stringAt(thread, address),
    };
  }

  /** The thread has made a system call that sends corrupt bytes to where they may come back from. */
  sendsCorrupt({ machine: { cpu, space } }: SuppressedThread): boolean {
    return isSending(cpu.lo(RAX)) && cpu.num(RDI) > STDERR && space.unwritten?.firstIn(cpu.num(RSI), Math.min(cpu.num(RDX), LONGEST)) !== undefined;
  }

  /** A system call has had its result. */
  completed(thread: SuppressedThread, number: number, result: number): void {
    for (const range of this.channels.receive(this.transfer(thread, number), result)) this.spoil(thread, range);
  }

  private transfer({ file, machine: { cpu } }: SuppressedThread, number: number): TransferCall {
    return { number, file: file?.(cpu.lo(RDI)), address: cpu.num(RSI), length: cpu.num(RDX), place: cpu.num(GPR[10] as Slot) };
  }

  /** The thread is about to run. */
  running(thread: SuppressedThread): void {
    const { pending } = this;
    if (pending?.owner !== thread.owner || !pending.isMade) return;
    this.pending = undefined;
    if (thread.machine.space.unwritten !== undefined) thread.machine.space.unwritten.onRemoved = undefined;
    for (const range of pending.stored) this.spoil(thread, range);
    this.shade(thread, [{ offset: RAX.offset, bytes: 8 }]);
    thread.shadow.resumed();
  }

  renamed(before: object, after: object): void {
    if (this.pending?.owner === before) this.pending = { ...this.pending, owner: after };
  }

  // ----

  private await(thread: SuppressedThread): void {
    const pending: PendingCall = { owner: thread.owner, stored: [], isMade: false };
    this.pending = pending;
    const { space, cpu } = thread.machine;
    if (space.unwritten === undefined) return;
    const stack = cpu.num(RSP);
    space.unwritten.onRemoved = (address, bytes) => {
      // What was there before is not there any more: pages are touched first, and the data comes then.
      if (bytes === PAGE && address % PAGE === 0) return;
      for (const { address: at, word } of wordsAt(thread.shadow, stack, address, bytes)) this.remembered.overwritten(at, word);
      this.pending?.stored.push({ address, bytes });
    };
  }

  private avoid(thread: SuppressedThread, instruction: ShadowedInstruction, meeting: Meeting): void {
    const { block } = instruction;
    this.note(instruction.at, meeting);
    switch (meeting) {
      case 'systemCall':
      case 'address':
      case 'data':
        return this.leaveOut(thread, instruction);
      case 'call':
        return this.skipCall(thread, (block.end as { returnTo: number }).returnTo);
      case 'return':
        return this.repair(thread, instruction);
      case 'condition':
      case 'target':
        return this.detour(thread, instruction);
    }
  }

  /**
   * Control goes to the next instruction; the stack pointer is what it would be. So are other registers: they are
   * corrupt, but what is stored through them later is known to have been meant for where they point to.
   */
  private leaveOut(thread: SuppressedThread, { block, shadow, machine }: ShadowedInstruction): void {
    const { cpu } = thread.machine;
    const slots = block.nodes.flatMap((node) => nodeEffects(node).writes);
    const memory = block.nodes.flatMap((node) => this.stored(node, shadow, thread));
    const traps = block.nodes.some(({ op }) => op === TRAP);
    const values = GPR.map((slot) => [slot, traps ? undefined : valueSet(block, shadow, machine, slot)] as const);
    for (const range of memory) this.spoil(thread, range);
    this.shade(thread, slots);
    for (const [slot, value] of values) if (value !== undefined) cpu.setBig(slot, value);
    cpu.rip = block.end.kind === 'jump' ? block.end.target : block.next;
  }

  /** What a point would have stored, for those who store through it later; it is corrupt. */
  private storeCorrupt(thread: SuppressedThread, { block, shadow }: ShadowedInstruction): void {
    for (const node of block.nodes) {
      const { effect, bytes } = OPS[node.op] as OpDef;
      const [base, value] = effect === 'store' && bytes <= 8 ? [shadow.value(node.a), shadow.value(node.b)] : [];
      if (base === undefined || value === undefined || shadow.bits(node.a) !== 0n) continue;
      const address = Number(BigInt.asUintN(64, base + BigInt(node.imm)));
      if (thread.machine.space.peek(address, bytes) === null) continue;
      // First what is there is remembered.
      this.spoil(thread, { address, bytes });
      thread.store(address, bytesOf(value).subarray(0, bytes));
      thread.machine.space.unwritten?.add(address, bytes);
      // A register that a function saves: it gets it back.
      if (block.nodes.some((one) => isSet(one, RSP))) this.remembered.keep(address, value);
    }
  }

  /** Memory that a node would write, as far as that is known. */
  private stored(node: Node, shadow: InstructionShadow, thread: SuppressedThread): readonly MemoryRange[] {
    if (node.op === MOVS || node.op === STOS) return ['rcx', 'rdi'].some((name) => isNamedCorrupt(thread, name)) ? [] : this.stringTarget(node, thread.shadow);
    const { effect, bytes } = OPS[node.op] as OpDef;
    if (!isAccess(node) || effect !== 'store' || bytes === 0) return [];
    const base = shadow.value(node.a);
    return base === undefined ? [] : [{ address: Number(BigInt.asUintN(64, base + BigInt(node.imm))), bytes }];
  }

  private skipCall(thread: SuppressedThread, returnTo: number): void {
    const detour = this.guide.afterCall(this.guided(thread));
    this.shade(thread, RESULTS);
    thread.machine.cpu.rip = guestAddr(returnTo);
    if (detour !== undefined) this.follow(thread, detour);
  }

  /** What the stack had there before comes back; then the instruction can be executed. */
  private repair(thread: SuppressedThread, { shadow }: ShadowedInstruction): void {
    const { space } = thread.machine;
    for (const { address, bytes } of shadow.undefinedLoads()) {
      const word = this.remembered.at(address);
      if (word === undefined) space.unwritten?.remove(address, bytes);
      else thread.store(address, bytesOf(word));
    }
  }

  private detour(thread: SuppressedThread, instruction: ShadowedInstruction): void {
    const detour = this.guide.around(this.guided(thread));
    if (detour === undefined) {
      this.remarks.add(`what the jump at 0x${instruction.at.toString(16)} decides is not known: it went where it went`);
      for (const offset of instruction.shadow.undefinedSlots()) thread.shadow.clear(offset);
      for (const { address, bytes } of instruction.shadow.undefinedLoads()) thread.machine.space.unwritten?.remove(address, bytes);
      return;
    }
    this.follow(thread, detour);
  }

  private follow(thread: SuppressedThread, detour: Detour): void {
    for (const range of detour.memory) this.spoil(thread, range);
    this.shade(thread, detour.slots);
    for (const [offset, value] of detour.registers) {
      thread.shadow.clear(offset);
      thread.machine.cpu.setBig({ name: '', type: 'i64', offset } as Slot, value);
    }
  }

  private guided({ machine: { cpu, space }, shadow }: SuppressedThread): GuidedMachine {
    return {
      rip: cpu.rip, program: space,
      slot: (offset, type) => shadow.slot(offset, type),
      isSlotCorrupt: (offset) => shadow.slotBits(offset) !== 0n,
      read: (address, length) => (address < 0 || address + length > USER_SPACE_END ? null : space.peek(address, length)),
      isMemoryCorrupt: (address, bytes) => space.unwritten?.firstIn(address, bytes) !== undefined,
      before: (address) => (space.unwritten?.firstIn(address, 8) === undefined ? undefined : this.remembered.at(address)),
    };
  }

  private shade({ shadow, machine: { cpu } }: SuppressedThread, slots: readonly SlotRange[]): void {
    let setsFlags = false;
    for (const { offset, bytes } of slots) {
      if (FLAG_OFFSETS.has(offset)) setsFlags = true;
      else if (SHADED.has(offset)) shadow.shade(offset, shadow.slotBits(offset) | ((1n << BigInt(bytes * 8)) - 1n), 0);
    }
    if (!setsFlags) return;
    // Whatever the flags were made of: now each of them is in doubt.
    cpu.setBig({ ...CC_OP, type: 'i64' }, BigInt(FLAGS_LITERALLY));
    for (const { offset } of [CC_OP, CC_Y, CC_Z]) shadow.clear(offset);
    shadow.shade(CC_X.offset, (1n << 64n) - 1n, 0);
  }

  /** Memory becomes corrupt, as far as it is there. */
  private spoil({ shadow, machine: { space } }: SuppressedThread, { address, bytes }: MemoryRange): void {
    if (bytes <= 0 || bytes > LONGEST) return;
    if (address < 0 || address + bytes > USER_SPACE_END || space.peek(address, bytes) === null) return;
    for (const { address: at, word } of wordsAt(shadow, Number(shadow.slot(RSP.offset, 'i64')), address, bytes)) this.remembered.overwritten(at, word);
    space.unwritten?.add(address, bytes);
  }

  private stringAt({ machine: { space } }: SuppressedThread, address: number): number {
    for (let length = 0; length < PAGE; length++) {
      const byte = space.peek(address + length, 1);
      if (byte === null || byte[0] === 0) return length + (byte === null ? 0 : 1);
    }
    return PAGE;
  }

  private note(address: number, why: WhyLeftOut, time = this.now()): void {
    const key = `${address} ${why}`;
    if (!this.left.has(key)) this.left.set(key, { address, why, time });
  }
}

/** What an instruction leaves in a register; a corrupt value does not move the stack, unless it leaves a frame. */
function valueSet({ nodes }: Block, shadow: InstructionShadow, machine: ShadowedInstruction['machine'], slot: Slot): bigint | undefined {
  const set = nodes.findLast((node) => isSet(node, slot));
  const value = set && shadow.value(set.a);
  if (set === undefined || value === undefined || slot !== RSP || shadow.bits(set.a) === 0n) return value;
  const isFrame = nodes.some((node) => nodeEffects(node).reads.some(({ offset }) => offset === RBP.offset));
  const above = value - machine.slot(RSP.offset, 'i64');
  return isFrame && above >= 0n && above < LARGEST_FRAME ? value : undefined;
}

/** Whether something is corrupt that the instruction writes. */
function isSpread(shadow: InstructionShadow): boolean {
  return shadow.stores().some(({ bits }) => bits !== 0n) || [...shadow.slots().values()].some((bits) => bits !== 0n);
}

function isNamedCorrupt({ shadow }: SuppressedThread, name: string): boolean {
  const slot = GPR.find((one) => one.name === name);
  return slot !== undefined && shadow.slotBits(slot.offset) !== 0n;
}

function bytesOf(word: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, word, true);
  return bytes;
}
