/**
 * Which bytes of the CPU state a node of the IR reads and may change, helpers included, and whether it accesses guest
 * memory. Operands are other nodes: what those read is theirs. The table of operations says which slots the code
 * generator must not hold in locals (`touches`); this says what the operation really does with them.
 */
import { assert } from '../../base/assert.js';
import {
  CC_OP, CC_X, CC_Y, CC_Z, DF, FP_FAST, FPU_CONTROL, FPU_DP, FPU_IP, FPU_OPCODE, FPU_REG, FPU_STATUS, FPU_TAGS, FS_BASE, GS_BASE, MXCSR,
  R8, R9, R11, RAX, RBP, RBX, RCX, RDI, RDX, RSI, RSP, SCRATCH_X, SCRATCH_Y, type Slot, XMM,
} from '../../layout/cpuState.js';
import { FLOAT80_BYTES } from '../../layout/fxImage.js';
import type { End, Node } from '../ir.js';
import type { Effect, OpDef } from '../opDef.js';
import { OPS } from '../ops.js';
import { REP } from '../repFlags.js';
import { restoresImage, SYS } from '../sysCalls.js';
import { TYPE_BYTES } from './pureOperation.js';
import { type SlotRange, wholeSlot } from './stateBytes.js';
import { type SlotEffects, x87Effects } from './x87Effects.js';

export type { SlotEffects } from './x87Effects.js';

const NOTHING: SlotEffects = { reads: [], writes: [] };
const LOW_HALF = 4;

/** Of cc.set and of every part of the lazy flags: in the order of the operation's operands. */
export const FLAG_SLOTS: readonly Slot[] = [CC_OP, CC_X, CC_Y, CC_Z];
const FLAGS = { reads: [], writes: FLAG_SLOTS.map(wholeSlot) };
/** What the kernel's answer to a system call changes in registers. */
const CHANGED_BY_SYSTEM_CALL: readonly Slot[] = [RAX, RCX, R11];

type Effects = (node: Node, top: number | undefined) => SlotEffects;

const slots = (reads: readonly Slot[], writes: readonly Slot[]): SlotEffects => ({ reads: reads.map(wholeSlot), writes: writes.map(wholeSlot) });

// ---- string instructions

interface StringRegisters {
  readonly reads: readonly Slot[];
  readonly writes: readonly Slot[];
}

/** rcx counts; what it does with the others depends on the instruction. */
const STRINGS: Readonly<Record<string, StringRegisters>> = {
  'rep.movs': { reads: [RSI, RDI], writes: [RSI, RDI] },
  'rep.stos': { reads: [RAX, RDI], writes: [RDI] },
  'rep.lods': { reads: [RSI], writes: [RSI, RAX] },
  'rep.cmps': { reads: [RSI, RDI], writes: [RSI, RDI, SCRATCH_X, SCRATCH_Y] },
  'rep.scas': { reads: [RAX, RDI], writes: [RDI, SCRATCH_X, SCRATCH_Y] },
};

/** Of rax lods keeps what is above an element of 1 or 2 bytes. */
function keptByLoad(size: number): readonly SlotRange[] {
  return size < LOW_HALF ? [{ offset: RAX.offset + size, bytes: 8 - size }] : [];
}

function stringEffects({ reads, writes }: StringRegisters): Effects {
  return ({ imm }) => {
    const kept = writes.includes(RAX) ? keptByLoad(imm & REP.SIZE_MASK) : [];
    const isNarrow = (imm & REP.ADDRESS_32) !== 0;
    const cut = (slot: Slot): SlotRange => ({ offset: slot.offset, bytes: slot === RAX ? imm & REP.SIZE_MASK : isNarrow ? LOW_HALF : 8 });
    const usesSource = reads.includes(RSI);
    const segment = !usesSource ? [] : (imm & REP.FS) !== 0 ? [FS_BASE] : (imm & REP.GS) !== 0 ? [GS_BASE] : [];
    return { reads: [...[RCX, ...reads].map(cut), ...kept, ...[DF, ...segment].map(wholeSlot)], writes: [RCX, ...writes].map(wholeSlot) };
  };
}

// ---- the engine

const low = (slot: Slot): SlotRange => ({ offset: slot.offset, bytes: LOW_HALF });
const SYSTEM: ReadonlyMap<number, SlotEffects> = new Map([
  [SYS.CPUID, { reads: [low(RAX), low(RCX)], writes: [RAX, RBX, RCX, RDX].map(wholeSlot) }],
  [SYS.RDTSC, slots([], [RAX, RDX])],
  [SYS.RDTSCP, slots([], [RAX, RCX, RDX])],
]);

const IMAGE_WORDS = [FPU_CONTROL, FPU_STATUS, FPU_TAGS, FPU_OPCODE, FPU_IP, FPU_DP, MXCSR];
const SAVED_REGISTERS: readonly SlotRange[] = [...FPU_REG.map(({ offset }) => ({ offset, bytes: FLOAT80_BYTES })), ...XMM.map(wholeSlot)];
const SAVES: SlotEffects = { reads: [...IMAGE_WORDS.map(wholeSlot), ...SAVED_REGISTERS], writes: [] };
const RESTORES: SlotEffects = slots([], [...IMAGE_WORDS, FP_FAST, ...FPU_REG, ...XMM]);

/** What a function is given, and where it returns to. */
const ARGUMENTS: readonly Slot[] = [RAX, RCX, RDX, RSI, RDI, R8, R9, RSP];

function hookEffects({ imm }: Node): SlotEffects {
  switch (imm) {
    case SYS.HOOK_CALL: return slots(ARGUMENTS, [RAX]);
    case SYS.HOOK_MAKE: return slots(ARGUMENTS, [RAX, RCX]);
    default: return slots(ARGUMENTS, []);
  }
}

const FRAME_REGISTERS: readonly Slot[] = [RAX, RDX, RSP, RBP];

const BY_NAME: Readonly<Record<string, Effects>> = {
  ...Object.fromEntries(Object.entries(STRINGS).map(([name, registers]) => [name, stringEffects(registers)])),
  'cc.set': () => FLAGS,
  'sys.call': ({ imm }) => SYSTEM.get(imm) ?? NOTHING,
  'sys.hook': hookEffects,
  'sys.look': () => slots(ARGUMENTS, []),
  'sys.frameHook': ({ imm }) => slots(FRAME_REGISTERS, imm === SYS.HOOK_POINTER ? [SCRATCH_X] : []),
  'sys.fpuImage': ({ imm }) => (restoresImage(imm) ? RESTORES : SAVES),
  'mmx.get': ({ imm }) => ({ reads: [wholeSlot(FPU_STATUS), mantissa(imm)], writes: [wholeSlot(FPU_STATUS), wholeSlot(FPU_TAGS)] }),
  'mmx.set': ({ imm }) => slots([FPU_STATUS], [FPU_STATUS, FPU_TAGS, FPU_REG[imm & 7] as Slot]),
  'mmx.leave': () => slots([FPU_STATUS], [FPU_STATUS, FPU_TAGS]),
  'init.movs': () => slots([RCX, RSI, RDI, DF], []),
  'init.stos': () => slots([RCX, RDI, DF], []),
};

function mantissa(register: number): SlotRange {
  return { offset: (FPU_REG[register & 7] as Slot).offset, bytes: 8 };
}

const SSE: SlotEffects = slots([MXCSR, FP_FAST], [MXCSR, FP_FAST]);

/** Effects of operations that this file must know. */
const TOUCHES_STATE: ReadonlySet<Effect> = new Set<Effect>(['get', 'set', 'cc', 'state', 'helper']);

function effectsOf(def: OpDef): Effects | undefined {
  const { name, effect } = def;
  const own = BY_NAME[name];
  if (own !== undefined) return own;
  if (effect === 'get') return ({ imm }) => ({ reads: [{ offset: imm, bytes: TYPE_BYTES[def.result as 'i32'] }], writes: [] });
  if (effect === 'set') return ({ imm }) => ({ reads: [], writes: [{ offset: imm, bytes: TYPE_BYTES[def.params[0] as 'i32'] }] });
  if (name.startsWith('x87.')) return (node, top) => x87Effects(name.slice('x87.'.length), node, top);
  if (name.startsWith('sse.') && effect === 'state') return () => SSE;
  assert(!TOUCHES_STATE.has(effect), `what ${name} does to the CPU state is not known`);
  return undefined;
}

const EFFECTS: readonly (Effects | undefined)[] = OPS.map(effectsOf);

/** `top`: where the x87 stack begins, if that is known. */
export function nodeEffects(node: Node, top?: number): SlotEffects {
  return EFFECTS[node.op]?.(node, top) ?? NOTHING;
}

/** What the end of a block does with registers, beyond the values that it uses. */
export function endEffects(end: End): SlotEffects {
  return end.kind === 'syscall' ? slots([], CHANGED_BY_SYSTEM_CALL) : NOTHING;
}

/**
 * Whether guest memory at addresses that only the machine knows may be read or written; `outside`: by the engine's
 * owner.
 */
export function memoryEffects({ op, imm }: Node): { readonly reads: boolean; readonly writes: boolean; readonly outside: boolean } {
  const { name, effect, bytes } = OPS[op] as OpDef;
  switch (name) {
    case 'rep.movs': return { reads: true, writes: true, outside: false };
    case 'rep.stos': return { reads: false, writes: true, outside: false };
    case 'rep.lods': case 'rep.cmps': case 'rep.scas': case 'x87.convert': return { reads: true, writes: false, outside: false };
    case 'sys.fpuImage': return { reads: restoresImage(imm), writes: !restoresImage(imm), outside: false };
    case 'sys.hook': case 'sys.look': case 'sys.frameHook': return { reads: true, writes: true, outside: true };
    default: return { reads: effect === 'load', writes: effect === 'store' && bytes > 0, outside: false };
  }
}
