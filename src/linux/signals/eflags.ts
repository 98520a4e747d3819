/** EFLAGS of a stopped CPU as one number, put together from the lazy flags and the slots beside them. */
import { flagsFromState } from '../../ir/flags.js';
import { ARITHMETIC_FLAGS, CC_OP, CC_X, CC_Y, CC_Z, DF, FLAG, OTHER_FLAGS } from '../../layout/cpuState.js';
import type { Cpu } from '../../machine/cpu.js';

/** Bit 1 is always set, and user code cannot turn interrupts off. */
const ALWAYS_SET = FLAG.IF | 2;
const OTHER = FLAG.TF | FLAG.NT | FLAG.AC | FLAG.ID;
/** ccOp for "ccX holds the bits literally" (ir/flags.ts). */
const LITERAL = 0;

export function readEflags(cpu: Cpu): number {
  const arithmetic = flagsFromState(cpu.lo(CC_OP), cpu.big(CC_X), cpu.big(CC_Y), cpu.big(CC_Z));
  return arithmetic | (cpu.lo(DF) !== 0 ? FLAG.DF : 0) | (cpu.lo(OTHER_FLAGS) & OTHER) | ALWAYS_SET;
}

/** RF is not kept: it says nothing to a CPU without debug registers. */
export function writeEflags(cpu: Cpu, value: number): void {
  cpu.setI32(CC_OP, LITERAL);
  cpu.setNum(CC_X, value & ARITHMETIC_FLAGS);
  cpu.setNum(CC_Y, 0);
  cpu.setNum(CC_Z, 0);
  cpu.setI32(DF, (value & FLAG.DF) !== 0 ? 1 : 0);
  cpu.setI32(OTHER_FLAGS, (cpu.lo(OTHER_FLAGS) & ~OTHER) | (value & OTHER));
}
