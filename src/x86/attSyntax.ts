/**
 * Instructions as gdb and objdump show them: AT&T's syntax or Intel's, with targets of jumps and of rip-relative
 * operands apart.
 */
import { Decoder, DecoderOptions, Formatter, FormatterSyntax, MemorySizeOptions, type Instruction } from 'iced-x86';

export type Flavor = 'att' | 'intel';

interface ShownInstruction {
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
    return { text: withPrefixes(shiftedByOne(format(raw, flavor), bytes.subarray(0, length)), bytes.subarray(0, length)), length, target: targetOf(raw), refersTo: raw.isIpRelMemoryOperand ? raw.ipRelMemoryAddress : undefined };
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
    spaceAfterOperandSeparator: false, signedImmediateOperands: false, signedMemoryDisplacements: true, memorySizeOptions: MemorySizeOptions.Always,
  });
  try {
    return asGdb(formatter.format(raw), raw, flavor);
  } finally {
    formatter.free();
  }
}

/** What binutils writes otherwise. */
function asGdb(text: string, raw: Instruction, flavor: Flavor): string {
  const same = text.trimEnd().replace(/^movabsq?\b /, 'movabs ').replace(/^rep ret$/, 'repz ret');
  return flavor === 'att' ? asAtt(same, raw) : asIntel(same, raw);
}

function asIntel(text: string, raw: Instruction): string {
  const isAddress = /^(lea|nop\w*|clflush\w*|invlpg|fx\w+|xsave\w*|xrstor\w*|fldenv|fnstenv|frstor|fnsave)\b/.test(text);
  const sized = text.replace(/\b(byte|word|dword|qword|xmmword|ymmword|zmmword|tbyte|fword|oword) ptr\b/g, (_whole, size: string) => `${size.toUpperCase()} PTR`)
    .replace(/^(fi?ld\w* +)st,/, '$1').replace(/^(fi?stp? +.*),st$/, '$1').replace(/^(fi(?:add|sub|subr|mul|div|divr|com|comp) +)st,/, '$1').replace(/^(f(?:add|sub|subr|mul|div|divr|com|comp) +)st,(?=[A-Z])/, '$1')
    .replace(/^fxch$/, 'fxch   st(1)').replace(/^fxch +st,/, 'fxch   ').replace(/^(f(?:div|divr|mul|add|sub|subr)p)$/, (_whole, name: string) => `${name.padEnd(OPERANDS_AT)}st(1),st`)
    .replace(/^(imul +)(\w+),(0x\w+)$/, '$1$2,$2,$3').replace(/^mov( +\w+,0x)(?=[\da-f]{9,16}$)/, (whole, rest: string) => (raw.length === 10 ? `movabs ${rest.trimStart()}` : whole))
    .replace(/\[rip-0x([\da-f]+)\]/, (_whole, digits: string) => `[rip+0x${BigInt.asUintN(64, -BigInt(`0x${digits}`)).toString(16)}]`);
  const plain = isAddress && !text.startsWith('nop') ? sized.replace(/[A-Z]+ PTR \[/, '[') : sized;
  const absolute = /\[(0x[\da-f]+)\]/.exec(plain);
  if (absolute !== null) return plain.replace(absolute[0], `${plain[absolute.index - 1] === ':' ? '' : 'ds:'}${absolute[1] ?? ''}`);
  const isZero = raw.memoryDisplSize > 0 && raw.memoryDisplacement === 0n && !raw.isIpRelMemoryOperand;
  return isZero ? plain.replace(/\[([^\]]*)\]/, '[$1+0x0]') : plain;
}

/** Long no-operations are filled with prefixes that mean nothing; they are shown. */
function withPrefixes(text: string, bytes: Uint8Array): string {
  if (!text.startsWith('nop') || !bytes.includes(0x2e)) return text;
  const wide = bytes.subarray(0, bytes.indexOf(0x0f)).filter((byte) => byte === 0x66).length;
  return `${'data16 '.repeat(Math.max(0, wide - 1))}cs ${text.replace(/ +/, ' ')}`;
}

function asAtt(text: string, raw: Instruction): string {
  const withoutSize = text.replace(/^(push|pop|call|jmp|ret|leave)q\b */, (_whole, name: string) => name.padEnd(OPERANDS_AT)).trimEnd()
    .replace(/\((%\w+),\)/, '($1)').replace(/^((?:repn?[ez]? )?(?:movs|cmps|scas|stos|lods|ins|outs)[bwlq]? .*)$/, stringOperands).replace(/^(imul +\$\w+),(%\w+)$/, '$1,$2,$2').replace(/^fxch$/, 'fxch   %st(1)').replace(/^(f(?:div|divr|mul|add|sub|subr)p)$/, (_whole, name: string) => `${name.padEnd(OPERANDS_AT)}%st,%st(1)`);
  // A displacement of zero that is encoded is shown.
  const isZero = raw.memoryDisplSize > 0 && raw.memoryDisplacement === 0n && !raw.isIpRelMemoryOperand;
  return isZero ? withoutSize.replace(/(^|[\s,*:])\((?=[%,])/, '$10x0(') : withoutSize;
}

/** String instructions are shown with the segments that they use. */
function stringOperands(text: string): string {
  return text.replace(/\((%[re][sd]i),\)/g, '($1)').replace(/(?<!:)\(%([re])si\)/, '%ds:(%$1si)').replace(/(?<!:)\(%([re])di\)/, '%es:(%$1di)');
}

/** Shifts by one have an opcode of their own (d0, d1), which has no count. */
function shiftedByOne(text: string, bytes: Uint8Array): string {
  const opcode = bytes.find((byte) => (byte & 0xf0) !== 0x40 && byte !== 0x66 && byte !== 0x67);
  return opcode === 0xd0 || opcode === 0xd1 ? text.replace(/^(\w+ +)\$0x1,/, '$1').replace(/,0x1$/, ',1') : text;
}
