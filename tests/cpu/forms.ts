/** All instruction forms that exist in 64-bit mode on an x86-64-v2 CPU, from the tables of iced-x86. */
import { type MemorySize, type OpCodeOperandKind, Code, CodeExt, CpuidFeature, EncodingKind, Instruction, MemorySizeExt, Mnemonic } from 'iced-x86';

export interface Form {
  readonly code: Code;
  /** The name of `code`, e.g. Add_rm8_r8. */
  readonly name: string;
  readonly mnemonic: Mnemonic;
  /** Lower case. */
  readonly mnemonicName: string;
  readonly operands: readonly OpCodeOperandKind[];
  readonly memory: MemoryOperandType;
  readonly lock: boolean;
  readonly rep: boolean;
  readonly repne: boolean;
  readonly features: readonly CpuidFeature[];
}

export interface MemoryOperandType {
  readonly bytes: number;
  readonly elementBytes: number;
  readonly elementType: MemorySize;
}

/**
 * x86-64-v2, and what lies below it. TZCNT and LZCNT are here because a CPU without them executes
 * their encodings too, as BSF and BSR; ENDBR64 and the prefetches likewise, as no-ops.
 */
const FEATURES: ReadonlySet<CpuidFeature> = new Set([
  CpuidFeature.INTEL8086, CpuidFeature.INTEL186, CpuidFeature.INTEL286, CpuidFeature.INTEL386, CpuidFeature.INTEL486, CpuidFeature.X64,
  CpuidFeature.BMI1, CpuidFeature.CET_IBT, CpuidFeature.CLFSH, CpuidFeature.CMOV, CpuidFeature.CMPXCHG16B, CpuidFeature.CPUID, CpuidFeature.CX8,
  CpuidFeature.FPU, CpuidFeature.FPU287, CpuidFeature.FPU387, CpuidFeature.FXSR, CpuidFeature.LZCNT, CpuidFeature.MMX, CpuidFeature.MSR,
  CpuidFeature.MULTIBYTENOP, CpuidFeature.PAUSE, CpuidFeature.POPCNT, CpuidFeature.PREFETCHW, CpuidFeature.RDPMC, CpuidFeature.RDTSCP,
  CpuidFeature.SEP, CpuidFeature.SSE, CpuidFeature.SSE2, CpuidFeature.SSE3, CpuidFeature.SSE4_1, CpuidFeature.SSE4_2, CpuidFeature.SSSE3,
  CpuidFeature.SYSCALL, CpuidFeature.TSC,
]);

/** Every form, in the order of their codes. */
export function allForms(): Form[] {
  const forms: Form[] = [];
  const insn = new Instruction();
  for (const key of Object.values(Code)) {
    if (typeof key !== 'number') continue;
    const form = describe(key, insn);
    if (form !== null) forms.push(form);
  }
  insn.free();
  return forms;
}

function describe(code: Code, insn: Instruction): Form | null {
  const info = CodeExt.opCode(code);
  try {
    if (!info.isInstruction || info.encoding !== EncodingKind.Legacy || !info.mode64 || !info.intelDecoder64) return null;
    // With fwait in front these are two instructions.
    if (info.fwait) return null;
    insn.code = code;
    const features = [...insn.cpuidFeatures()] as CpuidFeature[];
    if (!features.every((f) => FEATURES.has(f))) return null;
    return {
      code, name: Code[code] as string, mnemonic: info.mnemonic, mnemonicName: (Mnemonic[info.mnemonic] as string).toLowerCase(),
      operands: Array.from({ length: info.opCount }, (_, i) => info.opKind(i)),
      memory: describeMemory(info.memorySize),
      lock: info.canUseLockPrefix, rep: info.canUseRepPrefix, repne: info.canUseRepnePrefix, features,
    };
  } finally {
    info.free();
  }
}

function describeMemory(size: MemorySize): MemoryOperandType {
  return { bytes: MemorySizeExt.size(size), elementBytes: MemorySizeExt.elementSize(size), elementType: MemorySizeExt.elementType(size) };
}
