/** What can be done to a program before it runs on. */
import { UserError } from '../../base/errors.js';
import { guestAddr, hex } from '../../base/types.js';
import { DF, FS_BASE, GPR, GS_BASE, MXCSR, RIP, type Slot, XMM } from '../../layout/cpuState.js';
import { writeEflags } from '../../linux/signals/eflags.js';
import { decodeOne, type DecodedInstruction } from '../../x86/translate.js';
import type { Machine } from '../../machine/machinePool.js';
import { STATE_BASE } from '../../layout/memoryMap.js';
import { RUN_WORDS } from '../log/registerWords.js';
import { setFpuRegister } from '../timeline/fpuRegisters.js';

export type Alteration =
  /** `thread`: as hits name it; default: the one that runs. */
  | { readonly kind: 'register'; readonly name: string; readonly value: bigint; readonly thread?: number }
  | { readonly kind: 'memory'; readonly address: number; readonly bytes: Uint8Array; readonly thread?: number }
  /** The instruction that comes next is not executed. */
  | { readonly kind: 'skip'; readonly thread?: number }
  /** All of a thread's CPU state. */
  | { readonly kind: 'words'; readonly words: Uint32Array; readonly thread: number }
  /** The conditional jump that comes next goes the other way. It is executed for that. */
  | { readonly kind: 'flip' };

const LONGEST_INSTRUCTION = 15;
const REGISTERS: readonly Slot[] = [...GPR, RIP, ...XMM, { ...FS_BASE, name: 'fs_base' }, { ...GS_BASE, name: 'gs_base' }];

export function instructionAt({ space }: Machine, address: number): DecodedInstruction {
  const fetched = space.fetch(address, LONGEST_INSTRUCTION);
  if (!fetched.ok) throw new UserError(`there is no instruction at ${hex(address)}`);
  return decodeOne(fetched.bytes, guestAddr(address));
}

/** The CPU state of the thread that is loaded, in place. */
export function runWords({ linear }: Machine): Uint32Array {
  return linear.u32.subarray(STATE_BASE >>> 2, (STATE_BASE >>> 2) + RUN_WORDS);
}

export function setRegister(machine: Machine, name: string, value: bigint): void {
  const { cpu } = machine;
  if (name === 'eflags') return writeEflags(cpu, Number(BigInt.asUintN(32, value)));
  if (name === MXCSR.name) return cpu.setMxcsr(Number(BigInt.asUintN(16, value)));
  if (name === DF.name) return cpu.setI32(DF, value === 0n ? 0 : 1);
  const slot = REGISTERS.find((known) => known.name === name);
  if (slot === undefined) {
    if (!setFpuRegister(runWords(machine), name, value)) throw new UserError(`no register is called ${name}`);
    return;
  }
  cpu.setBig(slot, value);
  if (slot.type === 'v128') cpu.setBig({ ...slot, offset: slot.offset + 8 }, value >> 64n);
}

export function writeMemory({ space }: Machine, address: number, bytes: Uint8Array): void {
  if (!space.poke(address, bytes)) throw new UserError(`nothing is mapped at ${hex(address)}, or not ${bytes.length} bytes of it`);
}

export function skipInstruction(machine: Machine): void {
  const { cpu } = machine;
  cpu.rip = guestAddr(cpu.rip + instructionAt(machine, cpu.rip).length);
}
