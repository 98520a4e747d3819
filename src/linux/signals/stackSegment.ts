/**
 * Whether an access to a non-canonical address went through the stack segment. The processor raises
 * #SS instead of #GP then (push, pop, leave, anything based on rsp or rbp), and Linux makes SIGBUS of
 * it instead of SIGSEGV: what a program gets that returns with a clobbered frame pointer.
 */
import { Decoder, DecoderOptions, InstructionInfoFactory, Register, RegisterExt, type UsedMemory } from 'iced-x86';
import { GPR, type Slot } from '../../layout/cpuState.js';
import type { AddressSpace } from '../../machine/addressSpace.js';
import type { Cpu } from '../../machine/cpu.js';

const LONGEST_INSTRUCTION = 15;
/** The largest access of one instruction (fxsave). */
const LARGEST_ACCESS = 512n;

export function usesStackSegment(cpu: Cpu, space: AddressSpace, address: bigint): boolean {
  const fetched = space.fetch(cpu.rip, LONGEST_INSTRUCTION);
  if (!fetched.ok) return false;
  const decoder = new Decoder(64, fetched.bytes, DecoderOptions.None);
  const instruction = decoder.decode();
  const factory = new InstructionInfoFactory();
  const info = factory.info(instruction);
  try {
    const accesses = info.usedMemory() as UsedMemory[];
    return accesses.some((used) => used.segment === Register.SS && covers(cpu, used, address));
  } finally {
    for (const owned of [info, factory, instruction, decoder]) owned.free();
  }
}

function covers(cpu: Cpu, used: UsedMemory, address: bigint): boolean {
  const start = register(cpu, used.base) + register(cpu, used.index) * BigInt(used.scale) + used.displacement;
  return BigInt.asUintN(64, address - start) < LARGEST_ACCESS;
}

function register(cpu: Cpu, name: Register): bigint {
  return name === Register.None ? 0n : cpu.big(GPR[RegisterExt.number(name)] as Slot);
}
