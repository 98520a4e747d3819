/**
 * Accesses whose instructions say which variable they mean: `[rbp + rax*4 - 48]`, or a register that the address of a
 * variable was put into right before. Found by going through a function's code and remembering what registers are, up
 * to the next jump.
 */
import { Code, Decoder, DecoderOptions, FlowControl, type Instruction, MemorySizeExt, Mnemonic, OpKind, Register } from 'iced-x86';
import type { FrameSlot } from './frameSlots.js';
import type { GlobalVariable } from './globalVariables.js';

/** A variable that an access has to stay in. */
export type Bound = { readonly kind: 'frame'; readonly slot: FrameSlot } | { readonly kind: 'global'; readonly variable: GlobalVariable };

/** Which global variable an instruction means that takes an address. */
type GlobalAt = (instruction: number, address: number) => GlobalVariable | undefined;

/** What a register is: an address in a variable, or one somewhere in the frame. */
type Origin = Bound | { readonly kind: 'frame pointer' };

const BITS = 64;
/** They change their first operand, and nothing else that matters. */
const SIMPLE: ReadonlySet<Mnemonic> = new Set([
  Mnemonic.Mov, Mnemonic.Movsxd, Mnemonic.Movzx, Mnemonic.Movsx, Mnemonic.Lea, Mnemonic.Shl, Mnemonic.Shr, Mnemonic.Sar, Mnemonic.And, Mnemonic.Or, Mnemonic.Xor, Mnemonic.Neg, Mnemonic.Not,
  Mnemonic.Add, Mnemonic.Sub, Mnemonic.Cmp, Mnemonic.Test, Mnemonic.Cdqe, Mnemonic.Cdq, Mnemonic.Nop, Mnemonic.Movss, Mnemonic.Movsd, Mnemonic.Movaps, Mnemonic.Movups, Mnemonic.Movq, Mnemonic.Movd,
]);

/** By offset in the code. */
export function boundedAccesses(code: Uint8Array, address: number, slots: readonly FrameSlot[], globalAt: GlobalAt): Map<number, Bound> {
  return new Registers(slots, globalAt).run(code, address);
}

class Registers {
  private readonly known = new Map<Register, Origin>();
  private readonly found = new Map<number, Bound>();

  constructor(
    private readonly slots: readonly FrameSlot[],
    private readonly globalAt: GlobalAt,
  ) {}

  run(code: Uint8Array, address: number): Map<number, Bound> {
    const targets = jumpTargets(code, address);
    forEachInstruction(code, address, (instruction, at) => {
      if (targets.has(address + at)) this.known.clear();
      const bound = this.boundOf(instruction);
      if (bound !== undefined) this.found.set(at, bound);
      this.follow(instruction);
    });
    return this.found;
  }

  private boundOf(instruction: Instruction): Bound | undefined {
    const { memoryBase: base, memoryIndex: index, memoryIndexScale: scale, mnemonic } = instruction;
    const isAccess = hasMemory(instruction) && mnemonic !== Mnemonic.Lea && mnemonic !== Mnemonic.Nop && MemorySizeExt.size(instruction.memorySize) > 0;
    if (!isAccess || instruction.segmentPrefix !== Register.None) return undefined;
    if (base === Register.RBP) return index === Register.None ? undefined : this.inFrame(displacementOf(instruction));
    const [first, second] = [this.known.get(base), this.known.get(index)];
    if (first !== undefined && second !== undefined) return undefined;
    const origin = first ?? (scale === 1 ? second : undefined);
    return origin?.kind === 'frame pointer' ? this.inFrame(displacementOf(instruction)) : origin;
  }

  private inFrame(offset: number): Bound | undefined {
    const slot = this.slots.find((candidate) => offset >= candidate.offset && offset < candidate.offset + candidate.size);
    return slot && { kind: 'frame', slot };
  }

  /** What registers are afterwards. */
  private follow(instruction: Instruction): void {
    const { mnemonic, flowControl } = instruction;
    if (flowControl !== FlowControl.Next || !SIMPLE.has(mnemonic)) return this.known.clear();
    if (mnemonic === Mnemonic.Cmp || mnemonic === Mnemonic.Test || mnemonic === Mnemonic.Nop) return;
    if (mnemonic === Mnemonic.Cdqe) return void this.known.delete(Register.RAX);
    if (mnemonic === Mnemonic.Cdq) return void this.known.delete(Register.RDX);
    if (instruction.opCount === 0 || instruction.op0Kind !== OpKind.Register) return;
    const target = wholeRegister(instruction.op0Register);
    const origin = target === instruction.op0Register ? this.originAfter(instruction, target) : undefined;
    if (origin === undefined) this.known.delete(target);
    else this.known.set(target, origin);
  }

  private originAfter(instruction: Instruction, target: Register): Origin | undefined {
    const { mnemonic, op1Kind } = instruction;
    const before = this.known.get(target);
    const other = op1Kind === OpKind.Register ? this.originOf(instruction.op1Register) : undefined;
    if (mnemonic === Mnemonic.Mov) return other?.kind === 'frame pointer' ? undefined : other;
    if (mnemonic === Mnemonic.Lea && instruction.isIpRelMemoryOperand) {
      const variable = this.globalAt(Number(instruction.ip), Number(instruction.memoryDisplacement));
      return variable && { kind: 'global', variable };
    }
    if (mnemonic === Mnemonic.Add && op1Kind === OpKind.Register) return before === undefined ? other : other === undefined ? before : undefined;
    if (mnemonic !== Mnemonic.Add && mnemonic !== Mnemonic.Sub) return undefined;
    if (op1Kind === OpKind.Register) return other === undefined ? before : undefined;
    return before?.kind === 'frame pointer' ? this.inFrame(Number(BigInt.asIntN(BITS, instruction.immediate(1))) * (mnemonic === Mnemonic.Add ? 1 : -1)) : before;
  }

  private originOf(register: Register): Origin | undefined {
    return register === Register.RBP ? { kind: 'frame pointer' } : this.known.get(register);
  }
}

function jumpTargets(code: Uint8Array, address: number): Set<number> {
  const targets = new Set<number>();
  forEachInstruction(code, address, ({ flowControl, op0Kind, nearBranchTarget }) => {
    if ((flowControl === FlowControl.ConditionalBranch || flowControl === FlowControl.UnconditionalBranch) && op0Kind === OpKind.NearBranch64) targets.add(Number(nearBranchTarget));
  });
  return targets;
}

/** Ends in front of what is none. */
export function forEachInstruction(code: Uint8Array, address: number, visit: (instruction: Instruction, at: number) => void): void {
  const decoder = new Decoder(BITS, code, DecoderOptions.None);
  decoder.ip = BigInt(address);
  let isValid = true;
  while (isValid && decoder.canDecode) {
    const at = decoder.position;
    const instruction = decoder.decode();
    isValid = instruction.code !== Code.INVALID;
    if (isValid) visit(instruction, at);
    instruction.free();
  }
  decoder.free();
}

function hasMemory(instruction: Instruction): boolean {
  for (let i = 0; i < instruction.opCount; i++) if (instruction.opKind(i) === OpKind.Memory) return true;
  return false;
}

export function displacementOf(instruction: Instruction): number {
  return Number(BigInt.asIntN(BITS, instruction.memoryDisplacement));
}

/** eax is part of rax. */
function wholeRegister(register: Register): Register {
  if (register >= Register.EAX && register <= Register.R15D) return (register - Register.EAX + Register.RAX) as Register;
  if (register >= Register.AX && register <= Register.R15W) return (register - Register.AX + Register.RAX) as Register;
  if (register >= Register.SPL && register <= Register.R15L) return (register - Register.SPL + Register.RSP) as Register;
  if (register >= Register.AL && register <= Register.BL) return (register - Register.AL + Register.RAX) as Register;
  return register >= Register.AH && register <= Register.BH ? ((register - Register.AH + Register.RAX) as Register) : register;
}
