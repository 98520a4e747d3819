/** Instructions as gdb and objdump show them: AT&T's syntax or Intel's, with targets of jumps and of rip-relative operands apart. */
import { Decoder, DecoderOptions, Formatter, FormatterSyntax, type Instruction } from 'iced-x86';

export type Flavor = 'att' | 'intel';

export interface ShownInstruction {
  /** `call   0x401136` */
  readonly text: string;
  readonly length: number;
  /** Of jumps and calls: where to. It stands at the end of the text. */
  readonly target: bigint | undefined;
  /** What a rip-relative operand refers to: shown behind a `#`. */
  readonly refersTo: bigint | undefined;
}

/** Where operands begin. */
const OPERANDS_AT = 7;

/** The first instruction of `bytes`, which lies at `address`. */
export function showInstruction(bytes: Uint8Array, address: bigint, flavor: Flavor = 'att'): ShownInstruction {
  const decoder = new Decoder(64, bytes, DecoderOptions.None);
  decoder.ip = address;
  const raw = decoder.decode();
  try {
    const { length } = raw;
    if (raw.isInvalid) return { text: '(bad)', length: 1, target: undefined, refersTo: undefined };
    return { text: shiftedByOne(format(raw, flavor), bytes.subarray(0, length)), length, target: targetOf(raw), refersTo: raw.isIpRelMemoryOperand ? raw.ipRelMemoryAddress : undefined };
  } finally {
    raw.free();
    decoder.free();
  }
}

function targetOf(raw: Instruction): bigint | undefined {
  const isNear = raw.isJccShortOrNear || raw.isJcxShort || raw.isLoop || raw.isLoopcc || raw.isJmpShortOrNear || raw.isCallNear;
  return isNear ? raw.nearBranchTarget : undefined;
}

function format(raw: Instruction, flavor: Flavor): string {
  const formatter = new Formatter(flavor === 'att' ? FormatterSyntax.Gas : FormatterSyntax.Intel);
  Object.assign(formatter, {
    hexPrefix: '0x', hexSuffix: '', uppercaseHex: false, branchLeadingZeros: false, showBranchSize: false, ripRelativeAddresses: true,
    smallHexNumbersInDecimal: false, leadingZeros: false, firstOperandCharIndex: OPERANDS_AT, displacementLeadingZeros: false, gasSpaceAfterMemoryOperandComma: false, alwaysShowScale: true,
    spaceAfterOperandSeparator: false, signedImmediateOperands: false, signedMemoryDisplacements: true,
  });
  try {
    return asGdb(formatter.format(raw), raw, flavor);
  } finally {
    formatter.free();
  }
}

/** What binutils writes otherwise. */
function asGdb(text: string, raw: Instruction, flavor: Flavor): string {
  const same = text.trimEnd().replace(/^movabsq?\b /, 'movabs ');
  return flavor === 'att' ? asAtt(same, raw) : same.replace(/\b(byte|word|dword|qword|xmmword|ymmword|tbyte) ptr\b/g, (_whole, size: string) => `${size.toUpperCase()} PTR`);
}

function asAtt(text: string, raw: Instruction): string {
  const withoutSize = text.replace(/^(push|pop|call|jmp|ret|leave)q\b */, (_whole, name: string) => name.padEnd(OPERANDS_AT)).trimEnd()
    .replace(/\((%\w+),\)/, '($1)').replace(/^(imul +\$\w+),(%\w+)$/, '$1,$2,$2').replace(/^fxch$/, 'fxch   %st(1)').replace(/^(f(?:div|divr|mul|add|sub|subr)p)$/, (_whole, name: string) => `${name.padEnd(OPERANDS_AT)}%st,%st(1)`);
  // A displacement of zero that is encoded is shown.
  const isZero = raw.memoryDisplSize > 0 && raw.memoryDisplacement === 0n && !raw.isIpRelMemoryOperand;
  return isZero ? withoutSize.replace(/(^|[\s,*:])\((?=%)/, '$10x0(') : withoutSize;
}

/** Shifts by one have an opcode of their own (d0, d1), which has no count. */
function shiftedByOne(text: string, bytes: Uint8Array): string {
  const opcode = bytes.find((byte) => (byte & 0xf0) !== 0x40 && byte !== 0x66 && byte !== 0x67);
  return opcode === 0xd0 || opcode === 0xd1 ? text.replace(/^(\w+ +)\$0x1,/, '$1').replace(/,0x1$/, ',1') : text;
}
