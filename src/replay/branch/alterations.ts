/** What can be done to a program before it runs on. */
import { UserError } from '../../base/errors.js';
import { guestAddr, hex } from '../../base/types.js';
import { DF, FS_BASE, GPR, GS_BASE, RIP, type Slot } from '../../layout/cpuState.js';
import { decodeOne, type DecodedInstruction } from '../../x86/translate.js';
import type { Machine } from '../../machine/machinePool.js';

export type Alteration =
  | { readonly kind: 'register'; readonly name: string; readonly value: bigint }
  | { readonly kind: 'memory'; readonly address: number; readonly bytes: Uint8Array }
  /** The instruction that comes next is not executed. */
  | { readonly kind: 'skip' }
  /** The conditional jump that comes next goes the other way. It is executed for that. */
  | { readonly kind: 'flip' };

const LONGEST_INSTRUCTION = 15;
const REGISTERS: readonly Slot[] = [...GPR, RIP, FS_BASE, GS_BASE, DF];

export function instructionAt({ space }: Machine, address: number): DecodedInstruction {
  const fetched = space.fetch(address, LONGEST_INSTRUCTION);
  if (!fetched.ok) throw new UserError(`there is no instruction at ${hex(address)}`);
  return decodeOne(fetched.bytes, guestAddr(address));
}

export function setRegister({ cpu }: Machine, name: string, value: bigint): void {
  const slot = REGISTERS.find((known) => known.name === name);
  if (slot === undefined) throw new UserError(`no register is called ${name}`);
  if (slot === DF) cpu.setI32(DF, value === 0n ? 0 : 1);
  else cpu.setBig(slot, value);
}

export function writeMemory({ space }: Machine, address: number, bytes: Uint8Array): void {
  if (!space.poke(address, bytes)) throw new UserError(`nothing is mapped at ${hex(address)}, or not ${bytes.length} bytes of it`);
}

export function skipInstruction(machine: Machine): void {
  const { cpu } = machine;
  cpu.rip = guestAddr(cpu.rip + instructionAt(machine, cpu.rip).length);
}
