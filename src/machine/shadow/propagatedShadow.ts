/**
 * The shadow of registers while generated code propagates it (ir/propagation/): before it runs it gets what is known of
 * them here, and when it leaves this is taken back. What else such code tells on its way is taken then, too.
 */
import { CC_OP, CC_X, CC_Y, CC_Z, DF, FP_FAST, FPU_CONTROL, FPU_DP, FPU_IP, FPU_OPCODE, FPU_REG, FPU_STATUS, FPU_TAGS, FS_BASE, GPR, GS_BASE, MXCSR, OTHER_FLAGS, RIP, SCRATCH_X, SCRATCH_Y, SHADOWED_SLOTS_END, shadowOf, type Slot, XMM } from '../../layout/cpuState.js';
import { OVERWRITTEN_TOP, OVERWRITTEN_WORDS, OVERWRITTEN_WORDS_END, STATE_BASE } from '../../layout/memoryMap.js';
import { TYPE_BYTES } from '../../ir/meaning/pureOperation.js';
import { assert } from '../../base/assert.js';
import type { LinearMemory } from '../linearMemory.js';

const WORD_BYTES = 16;
/** All that may have shadow. */
const SLOTS: readonly Slot[] = [
  ...GPR, RIP, CC_OP, CC_X, CC_Y, CC_Z, DF, FS_BASE, GS_BASE, MXCSR, FP_FAST, OTHER_FLAGS, FPU_CONTROL, FPU_STATUS, FPU_TAGS, FPU_OPCODE, FPU_IP, FPU_DP, ...XMM, ...FPU_REG, SCRATCH_X, SCRATCH_Y,
];
const BY_OFFSET: ReadonlyMap<number, Slot> = new Map(SLOTS.map((slot) => [slot.offset, slot]));
const placeOf = (slot: Slot): number => STATE_BASE + shadowOf(slot).offset;
const FIRST_WORD = placeOf(GPR[0] as Slot) / 4;
const LAST_WORD = FIRST_WORD + SHADOWED_SLOTS_END / 4;

export class PropagatedShadow {
  constructor(private readonly linear: LinearMemory) {
    const { u32 } = linear;
    u32.fill(0, FIRST_WORD, LAST_WORD);
    u32[OVERWRITTEN_TOP / 4] = OVERWRITTEN_WORDS;
  }

  /** Generated code is about to run; by offset of slots, ones for bits with shadow. */
  give(shadows: Iterable<readonly [offset: number, bits: bigint]>): void {
    const { view } = this.linear;
    for (const [offset, bits] of shadows) {
      const slot = BY_OFFSET.get(offset);
      assert(slot !== undefined, `what is at ${offset} has no shadow`);
      const at = placeOf(slot);
      if (slot.type === 'i32') view.setUint32(at, Number(bits), true);
      else view.setBigUint64(at, bits & 0xffff_ffff_ffff_ffffn, true);
      if (slot.type === 'v128') view.setBigUint64(at + 8, bits >> 64n, true);
    }
  }

  /** It has left: what it has made of them. */
  take(): ReadonlyMap<number, bigint> {
    const { u32 } = this.linear;
    const found = new Map<number, bigint>();
    let isAny = false;
    for (let i = FIRST_WORD; i < LAST_WORD && !isAny; i++) isAny = u32[i] !== 0;
    if (!isAny) return found;
    for (const slot of SLOTS) {
      const first = placeOf(slot) / 4;
      let bits = 0n;
      for (let i = TYPE_BYTES[slot.type] / 4 - 1; i >= 0; i--) bits = (bits << 32n) | BigInt(u32[first + i] as number);
      if (bits !== 0n) found.set(slot.offset, bits);
    }
    u32.fill(0, FIRST_WORD, LAST_WORD);
    return found;
  }

  /** Words of the stack that have been overwritten since the last time. */
  overwritten(tell: (address: number, word: bigint) => void): void {
    const { u32, view } = this.linear;
    const top = u32[OVERWRITTEN_TOP / 4] as number;
    if (top === OVERWRITTEN_WORDS) return;
    assert(top <= OVERWRITTEN_WORDS_END, 'the log of overwritten words has room');
    for (let at = OVERWRITTEN_WORDS; at < top; at += WORD_BYTES) tell(Number(view.getBigUint64(at, true)), view.getBigUint64(at + 8, true));
    u32[OVERWRITTEN_TOP / 4] = OVERWRITTEN_WORDS;
  }
}
