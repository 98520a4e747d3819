/**
 * Instructions as those who change code see them: where control goes from each, what decides it, and where in its bytes
 * that is written. Nothing here says what an instruction computes: that is the IR's business.
 */
import { ConditionCode, Decoder, DecoderError, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register } from 'iced-x86';

type Flow = 'next' | 'conditional' | 'jump' | 'call' | 'indirectJump' | 'indirectCall' | 'return' | 'trap';

/** An operand in memory, by the names of registers. */
interface MemoryOperand {
  readonly base: string | undefined;
  readonly index: string | undefined;
  readonly scale: number;
  readonly displacement: bigint;
  readonly bytes: number;
}

/** A register as part of one with 64 bits, or memory; and what it is compared with. */
export type Compared = { readonly constant: bigint } & (
  | { readonly kind: 'register'; readonly name: string; readonly bytes: number }
  | ({ readonly kind: 'memory' } & MemoryOperand)
);

export interface CodeStep {
  readonly address: number;
  readonly length: number;
  readonly flow: Flow;
  /** Of direct jumps and calls. */
  readonly target: number | undefined;
  /** What a condition decides: where control goes, or what a value is. */
  readonly decides: 'jump' | 'value' | undefined;
  /** By how much it moves the stack pointer; undefined if that depends on more than its bytes. Calls come back: 0. */
  readonly stackChange: number | undefined;
  /** It sets the frame pointer up or takes it away, or returns: without it a function would not find its way back. */
  readonly isFrame: boolean;
  readonly isNop: boolean;
  readonly readsFlags: boolean;
  readonly writesFlags: boolean;
  /** What it compares with a constant. */
  readonly compares: Compared | undefined;
  /** The register that is its first operand, whole. */
  readonly operand: string | undefined;
  /** What is added to that register; to another one, of `lea`, and what comes of it is in that register. */
  readonly adds: bigint | undefined;
  /** Where in its bytes an address relative to the next instruction is: [offset, size]; undefined if it has none. */
  readonly relative: readonly [number, number] | undefined;
}

const FLOWS: ReadonlyMap<FlowControl, Flow> = new Map([
  [FlowControl.Next, 'next'], [FlowControl.ConditionalBranch, 'conditional'], [FlowControl.UnconditionalBranch, 'jump'],
  [FlowControl.Call, 'call'], [FlowControl.IndirectBranch, 'indirectJump'], [FlowControl.IndirectCall, 'indirectCall'],
  [FlowControl.Return, 'return'],
]);
const IMMEDIATES: ReadonlySet<OpKind> = new Set([
  OpKind.Immediate8, OpKind.Immediate16, OpKind.Immediate32, OpKind.Immediate64, OpKind.Immediate8to16, OpKind.Immediate8to32,
  OpKind.Immediate8to64, OpKind.Immediate32to64,
]);
const GENERAL = ['rax', 'rcx', 'rdx', 'rbx', 'rsp', 'rbp', 'rsi', 'rdi', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'];
/** Those of compilers that write their first operand. */
const WRITERS: ReadonlySet<Mnemonic> = new Set([Mnemonic.Mov, Mnemonic.Add, Mnemonic.Sub, Mnemonic.Lea, Mnemonic.And, Mnemonic.Pop]);

/** All instructions of a piece of code; it ends before bytes that are none. */
export function codeSteps(code: Uint8Array, address: number): CodeStep[] {
  const decoder = new Decoder(64, code, DecoderOptions.None);
  const instruction = new Instruction();
  const steps: CodeStep[] = [];
  decoder.ip = BigInt(address);
  try {
    while (decoder.canDecode) {
      decoder.decodeOut(instruction);
      if (instruction.isInvalid || decoder.lastError === DecoderError.NoMoreBytes) break;
      steps.push(stepOf(instruction, decoder));
    }
    return steps;
  } finally {
    instruction.free();
    decoder.free();
  }
}

function stepOf(raw: Instruction, decoder: Decoder): CodeStep {
  const flow = FLOWS.get(raw.flowControl) ?? 'trap';
  const isDirect = flow === 'conditional' || flow === 'jump' || flow === 'call';
  const isValue = flow === 'next' && raw.conditionCode !== ConditionCode.None;
  return {
    address: Number(raw.ip), length: raw.length, flow, target: isDirect ? Number(raw.nearBranchTarget) : undefined,
    decides: flow === 'conditional' ? 'jump' : isValue ? 'value' : undefined,
    stackChange: stackChange(raw, flow), isFrame: isFrame(raw, flow), isNop: raw.mnemonic === Mnemonic.Nop, readsFlags: raw.rflagsRead !== 0, writesFlags: raw.rflagsModified !== 0,
    compares: comparedBy(raw), operand: writtenName(raw), adds: addedBy(raw), relative: isDirect || raw.isIpRelMemoryOperand ? relativeIn(raw, decoder, isDirect) : undefined,
  };
}

function stackChange(raw: Instruction, flow: Flow): number | undefined {
  if (flow === 'call' || flow === 'indirectCall') return 0;
  if (raw.isStackInstruction) return raw.mnemonic === Mnemonic.Leave ? undefined : raw.stackPointerIncrement;
  if (!WRITERS.has(raw.mnemonic) || writtenName(raw) !== 'rsp') return 0;
  if (!IMMEDIATES.has(raw.opKind(1))) return undefined;
  const by = Number(BigInt.asIntN(64, raw.immediate(1)));
  return raw.mnemonic === Mnemonic.Add ? by : raw.mnemonic === Mnemonic.Sub ? -by : undefined;
}

function isFrame(raw: Instruction, flow: Flow): boolean {
  if (flow === 'return' || raw.mnemonic === Mnemonic.Leave) return true;
  if (raw.mnemonic === Mnemonic.Push) return raw.opKind(0) === OpKind.Register && wholeName(raw.opRegister(0))?.name === 'rbp';
  return WRITERS.has(raw.mnemonic) && writtenName(raw) === 'rbp';
}

function writtenName(raw: Instruction): string | undefined {
  return raw.opCount > 0 && raw.opKind(0) === OpKind.Register ? wholeName(raw.opRegister(0))?.name : undefined;
}

function comparedBy(raw: Instruction): Compared | undefined {
  const isCompare = raw.mnemonic === Mnemonic.Cmp && IMMEDIATES.has(raw.opKind(1));
  const isTest = raw.mnemonic === Mnemonic.Test && raw.opKind(0) === OpKind.Register && raw.opKind(1) === OpKind.Register && raw.opRegister(0) === raw.opRegister(1);
  if (!isCompare && !isTest) return undefined;
  const constant = isTest ? 0n : BigInt.asIntN(64, raw.immediate(1));
  if (raw.opKind(0) === OpKind.Register) {
    const whole = wholeName(raw.opRegister(0));
    return whole === undefined ? undefined : { kind: 'register', constant, ...whole };
  }
  const bytes = sizeOf(raw);
  if (bytes === undefined) return undefined;
  if (raw.isIpRelMemoryOperand) return { kind: 'memory', constant, base: undefined, index: undefined, scale: 1, displacement: raw.ipRelMemoryAddress, bytes };
  return { kind: 'memory', constant, base: wholeName(raw.memoryBase)?.name, index: wholeName(raw.memoryIndex)?.name, scale: raw.memoryIndexScale, displacement: BigInt.asIntN(64, raw.memoryDisplacementU64), bytes };
}

function addedBy(raw: Instruction): bigint | undefined {
  if (writtenName(raw) === undefined) return undefined;
  const { mnemonic } = raw;
  if (mnemonic === Mnemonic.Inc) return 1n;
  if (mnemonic === Mnemonic.Dec) return -1n;
  if (mnemonic === Mnemonic.Lea && raw.memoryIndex === Register.None && raw.memoryBase !== Register.None && !raw.isIpRelMemoryOperand) return BigInt.asIntN(64, raw.memoryDisplacementU64);
  if ((mnemonic !== Mnemonic.Add && mnemonic !== Mnemonic.Sub) || !IMMEDIATES.has(raw.opKind(1))) return undefined;
  const by = BigInt.asIntN(64, raw.immediate(1));
  return mnemonic === Mnemonic.Add ? by : -by;
}

/** Of a comparison with a constant in memory. */
function sizeOf(raw: Instruction): number | undefined {
  switch (raw.opKind(1)) {
    case OpKind.Immediate8: return 1;
    case OpKind.Immediate16: case OpKind.Immediate8to16: return 2;
    case OpKind.Immediate32: case OpKind.Immediate8to32: return 4;
    case OpKind.Immediate32to64: case OpKind.Immediate8to64: return 8;
    default: return undefined;
  }
}

function wholeName(register: Register): { readonly name: string; readonly bytes: number } | undefined {
  for (const [first, bytes] of [[Register.RAX, 8], [Register.EAX, 4], [Register.AX, 2]] as const) {
    const name = GENERAL[register - first];
    if (register >= first && name !== undefined) return { name, bytes };
  }
  const low = register - Register.AL;
  // al, cl, dl, bl, then ah, ch, dh, bh, then spl and so on.
  if (low >= 0 && low < 4) return { name: GENERAL[low] as string, bytes: 1 };
  const extended = register - Register.SPL;
  return extended >= 0 && extended < 12 ? { name: GENERAL[extended + 4] as string, bytes: 1 } : undefined;
}

function relativeIn(raw: Instruction, decoder: Decoder, isBranch: boolean): readonly [number, number] | undefined {
  const offsets = decoder.getConstantOffsets(raw);
  try {
    if (isBranch) return offsets.hasImmediate ? [offsets.immediateOffset, offsets.immediateSize] : undefined;
    return offsets.hasDisplacement ? [offsets.displacementOffset, offsets.displacementSize] : undefined;
  } finally {
    offsets.free();
  }
}
