/**
 * What memory the instruction at rip accesses, as iced-x86 describes it: an oracle for watched memory that has nothing
 * of the lifter in it. Repeated string instructions say only afterwards how far they got.
 */
import { Decoder, DecoderOptions, Instruction, InstructionInfoFactory, MemorySizeExt, Mnemonic, OpAccess, Register, RegisterExt, type UsedMemory } from 'iced-x86';
import { guestAddr } from '../../base/types.js';
import { DF, FS_BASE, GPR, GS_BASE, RCX, type Slot } from '../../layout/cpuState.js';
import type { AddressSpace } from '../addressSpace.js';
import type { Cpu } from '../cpu.js';
import type { WatchedAccess } from '../stop.js';

const LONGEST_INSTRUCTION = 15;
/** The rest of the image is left to software. */
const FXSAVE_WRITTEN = 416;
const READS: ReadonlySet<OpAccess> = new Set([OpAccess.Read, OpAccess.CondRead, OpAccess.ReadWrite, OpAccess.ReadCondWrite]);
const WRITES: ReadonlySet<OpAccess> = new Set([OpAccess.Write, OpAccess.CondWrite, OpAccess.ReadWrite, OpAccess.ReadCondWrite]);

/** An access as it begins; repeated so many times, at this distance. */
interface Operand extends WatchedAccess {
  readonly step: number;
}

export class MemoryOperands {
  private readonly factory = new InstructionInfoFactory();
  private readonly instruction = new Instruction();

  constructor(
    private readonly cpu: Cpu,
    private readonly space: AddressSpace,
  ) {}

  /** Executes the instruction with `run`; returns its result, and what has been accessed. */
  during<T>(run: () => T): { result: T; accesses: WatchedAccess[] } {
    const { operands, repeated } = this.decode();
    const before = this.cpu.num(RCX);
    const result = run();
    const count = repeated ? before - this.cpu.num(RCX) : 1;
    const accesses = operands.flatMap(({ address, bytes, write, step }) => {
      return Array.from({ length: count }, (_, i) => ({ address: guestAddr(address + i * step), bytes, write }));
    });
    return { result, accesses };
  }

  private decode(): { operands: readonly Operand[]; repeated: boolean } {
    const { cpu, space, instruction } = this;
    const fetched = space.fetch(cpu.rip, LONGEST_INSTRUCTION);
    if (!fetched.ok) return { operands: [], repeated: false };
    const decoder = new Decoder(64, fetched.bytes, DecoderOptions.None);
    decoder.ip = BigInt(cpu.rip);
    decoder.decodeOut(instruction);
    const info = this.factory.info(instruction);
    const used = info.usedMemory() as UsedMemory[];
    const operands = used.flatMap((one) => this.operand(one));
    for (const owned of [...used, info, decoder]) owned.free();
    return { operands, repeated: instruction.isStringInstruction && (instruction.hasRepPrefix || instruction.hasRepnePrefix) };
  }

  private operand(used: UsedMemory): Operand[] {
    const { mnemonic, isStringInstruction, memorySize } = this.instruction;
    const size = MemorySizeExt.size(isStringInstruction ? memorySize : used.memorySize);
    const bytes = mnemonic === Mnemonic.Fxsave ? FXSAVE_WRITTEN : size;
    const base = this.segment(used.segment) + this.register(used.base);
    const sum = base + this.register(used.index) * BigInt(used.scale) + used.displacement;
    const address = guestAddr(Number(BigInt.asUintN(64, sum)));
    const operand = { address, bytes, step: this.cpu.lo(DF) === 0 ? bytes : -bytes };
    const kinds = [...(READS.has(used.access) ? [false] : []), ...(WRITES.has(used.access) ? [true] : [])];
    return kinds.map((write) => ({ ...operand, write }));
  }

  private segment(name: Register): bigint {
    return name === Register.FS ? this.cpu.big(FS_BASE) : name === Register.GS ? this.cpu.big(GS_BASE) : 0n;
  }

  private register(name: Register): bigint {
    if (name === Register.None) return 0n;
    const full = this.cpu.big(GPR[RegisterExt.number(name)] as Slot);
    const bits = RegisterExt.size(name) * 8;
    return BigInt.asUintN(bits, full);
  }
}
