/**
 * Random programs of several instructions. What single instructions cannot show: flags that one
 * instruction leaves for another in lazy form, values that the compiler keeps in locals, an
 * exception in the middle of a block, regions of several blocks.
 *
 * Instructions whose effect depends on pointers in registers, and those that jump, do not take
 * part. Jumps are ours: over the next instruction, out at the end, and back to the start in loops.
 */
import { ARITHMETIC_FLAGS, FLAG } from '../../src/layout/cpuState.js';
import { CpuidFeature, OpCodeOperandKind as Kind, Register } from 'iced-x86';
import { storesMmx, type Tolerance } from './compare.js';
import { type Encoding, makeEncoding } from './encodings.js';
import type { Form } from './forms.js';
import { MEMORY, type Program, SLOT_SIZE, SLOT_START, type TestCase } from './machineState.js';
import { approximation } from './approximations.js';
import { gprNumber, MEMORY_RULES, REGISTER_RULES } from './operandRules.js';
import { Random } from './random.js';
import { randomState } from './states.js';
import { toEflags, undefinedFsw } from './undefinedFlags.js';

export type SequenceKind = 'flags' | 'integer' | 'loop' | 'strings' | 'vector' | 'x87';

export interface Sequence extends Program {
  readonly kind: SequenceKind;
  readonly tolerance: Tolerance;
}

const RCX = 1;
const RSP = 4;
const DEC_ECX = [0xff, 0xc9];
const JNZ_SHORT = 0x75;
const MOV_ECX = 0xb9, MOV_ESI = 0xbe, MOV_EDI = 0xbf;
const NOTHING = new Uint8Array();
const JCC_SHORT = 0x70;
const { CF, PF, AF, ZF, SF, OF } = FLAG;
/** What the conditions of jcc read, by pairs: o, b, e, be, s, p, l, le. */
const CONDITION_READS = [OF, CF, ZF, CF | ZF, SF, PF, SF | OF, ZF | SF | OF];
/** What a slot holds, with an int3 left at the end. */
const LONGEST = SLOT_SIZE - SLOT_START - 1;
const VARIANTS = 1000;
const ATTEMPTS = 40;

const X87: ReadonlySet<CpuidFeature> = new Set([CpuidFeature.FPU, CpuidFeature.FPU287, CpuidFeature.FPU387, CpuidFeature.MMX]);
const VECTOR: ReadonlySet<CpuidFeature> = new Set([
  CpuidFeature.SSE, CpuidFeature.SSE2, CpuidFeature.SSE3, CpuidFeature.SSSE3, CpuidFeature.SSE4_1, CpuidFeature.SSE4_2,
]);

/** They see or set more than a sequence keeps track of. */
const OUT: ReadonlySet<string> = new Set([
  'fnstsw', 'fnstenv', 'fldenv', 'fnsave', 'frstor', 'fxsave', 'fxsave64', 'fxrstor', 'fxrstor64', 'ldmxcsr', 'wait', 'lzcnt', 'tzcnt',
]);
/** They always end a sequence. */
const ALWAYS_TRAP = /^(hlt|cli|sti|in|out|ins[bwd]|outs[bwd]|l[gi]dt|lldt|ltr|lmsw|clts|invd|wbinvd|invlpg|rdmsr|wrmsr|swapgs|sys.*|ud[012]|int3)$/;
const STILL_IN: ReadonlySet<string> = new Set(['div', 'idiv']);
const JCC = /^J[a-z]+_rel8_64$/;
const BRANCH_OR_STRING: ReadonlySet<Kind> = new Set([
  Kind.br64_1, Kind.br64_4, Kind.seg_rSI, Kind.es_rDI, Kind.seg_rDI, Kind.seg_rBX_al, Kind.seg_reg, Kind.fs, Kind.gs, Kind.cr_reg, Kind.dr_reg,
]);
const FLAG_USERS = /^(set|cmov|adc|sbb|rcl|rcr|lahf|pushf|cmc|j)/;
const FLAG_MAKERS = /^(add|sub|cmp|test|and|or|xor|inc|dec|neg|adc|sbb|shl|shr|sar|rol|ror|shld|shrd|mul|imul|xadd|cmpxchg|bt|bsf|popcnt|sahf|stc|clc|cmc|comis|ptest)/;

export class SequenceMaker {
  private readonly jumps: readonly Form[];
  private readonly pools: Readonly<Record<SequenceKind, readonly Form[]>>;

  constructor(
    forms: readonly Form[],
    private readonly seed: string,
  ) {
    const usable = forms.filter(isUsable);
    const has = (form: Form, features: ReadonlySet<CpuidFeature>): boolean => form.features.some((f) => features.has(f));
    const integer = usable.filter((f) => !has(f, X87) && !has(f, VECTOR));
    this.jumps = forms.filter((f) => JCC.test(f.name) && !f.name.includes('cx'));
    this.pools = {
      flags: integer.filter((f) => FLAG_USERS.test(f.mnemonicName) || FLAG_MAKERS.test(f.mnemonicName)),
      integer,
      loop: integer,
      strings: [...integer.filter((_, i) => i % 16 === 0), ...forms.filter(isString)],
      vector: usable.filter((f) => has(f, VECTOR) && !has(f, X87)),
      x87: usable.filter((f) => has(f, X87)),
    };
  }

  /** The n-th sequence of a kind, to be put at an address. */
  make(kind: SequenceKind, n: number, address: number): Sequence {
    const name = `${kind}-sequence/${n}`;
    const r = new Random(`${this.seed}/${name}`);
    const wanted = 2 + r.below(9);
    const draft = new Draft(address, this.seed, kind === 'loop');
    for (let i = 0; i < ATTEMPTS && draft.parts.length < wanted; i++) draft.take(r.pick(this.pools[kind]), r, r.oneIn(5));
    if (kind === 'loop') draft.closeLoop();
    else if (r.oneIn(3)) draft.take(r.pick(this.jumps), r, false);
    const { parts, undefinedFlags, fsw } = draft;
    return {
      name, kind, mnemonic: 'sequence', address, bytes: join(parts.map((p) => p.bytes)), nativeBytes: join(parts.map((p) => p.nativeBytes)),
      tolerance: { eflags: undefinedFlags, eflagsOnFault: ARITHMETIC_FLAGS, fsw, approximation: undefined, reachDiffers: false, storesMmx: draft.storesMmx },
    };
  }
}

/** A sequence while it grows. */
class Draft {
  readonly parts: Pick<Program, 'bytes' | 'nativeBytes'>[] = [];
  undefinedFlags = 0;
  fsw = 0;
  storesMmx = false;
  private size = 0;

  constructor(
    private readonly address: number,
    private readonly seed: string,
    private readonly isLoop: boolean,
  ) {}

  /**
   * Appends an encoding of the form if it fits, and if it does not use what is undefined; with a jump over it if asked.
   */
  take(form: Form, r: Random, skippable: boolean): void {
    const condition = skippable ? this.definedCondition(r) : null;
    const jumpSize = condition === null ? 0 : 2;
    const pointers = isString(form) ? stringPointers(r) : NOTHING;
    const part = makeEncoding(form, r.below(VARIANTS), this.seed, this.address + this.size + pointers.length + jumpSize);
    if (this.size + pointers.length + jumpSize + part.bytes.length > LONGEST || !isSelfContained(part, form)) return;
    if ((toEflags(part.readFlags) & this.undefinedFlags) !== 0 || (this.isLoop && !fitsIntoLoop(part))) return;
    this.append(pointers);
    if (condition !== null) this.append(Uint8Array.of(JCC_SHORT | condition, part.bytes.length));
    // Skipped, or repeated 0 times, it defines nothing.
    const kept = condition === null && !part.repeated ? this.undefinedFlags & ~toEflags(part.definedFlags) : this.undefinedFlags;
    this.undefinedFlags = kept | toEflags(part.undefinedFlags);
    this.fsw |= undefinedFsw(part);
    this.storesMmx ||= storesMmx(part);
    this.append(part.bytes, part.nativeBytes);
  }

  /** Counts ecx down and goes back to the start. */
  closeLoop(): void {
    this.append(Uint8Array.from(DEC_ECX));
    this.append(Uint8Array.of(JNZ_SHORT, -(this.size + 2)));
    this.undefinedFlags &= ~(AF | ZF | SF | PF | OF);
  }

  private append(bytes: Uint8Array, nativeBytes = bytes): void {
    this.parts.push({ bytes, nativeBytes });
    this.size += bytes.length;
  }

  private definedCondition(r: Random): number | null {
    const condition = r.below(16);
    return ((CONDITION_READS[condition >> 1] as number) & this.undefinedFlags) === 0 ? condition : null;
  }
}

/**
 * What is undefined at the end of the body must not be used at its start: at most AF, which no instruction reads. The
 * counter is ours.
 */
function fitsIntoLoop(part: Encoding): boolean {
  if ((toEflags(part.undefinedFlags) & ~AF) !== 0 || (toEflags(part.readFlags) & AF) !== 0) return false;
  return !part.registers.some((register) => register !== undefined && gprNumber(register) === RCX);
}

export function sequenceCase(sequence: Sequence, n: number, seed: string): TestCase {
  const name = `${sequence.name}/${n}`;
  const r = new Random(`${seed}/${name}`);
  const vectors = sequence.kind === 'vector' || sequence.kind === 'x87';
  const state = randomState(r, sequence.address, vectors ? ['float32', 'float64', 'integer'] : null);
  if (sequence.kind === 'loop') state.setGpr(RCX, BigInt(1 + r.below(6)));
  return { name, program: sequence, state, patches: [] };
}

function isUsable(form: Form): boolean {
  const { mnemonicName, operands } = form;
  const ruled = (REGISTER_RULES.has(mnemonicName) || MEMORY_RULES.has(mnemonicName)) && !STILL_IN.has(mnemonicName);
  if (ruled || OUT.has(mnemonicName) || ALWAYS_TRAP.test(mnemonicName) || approximation(mnemonicName) !== undefined) return false;
  // Shifts by cl leave flags undefined or not depending on cl, and are compared one by one.
  return !operands.some((k) => BRANCH_OR_STRING.has(k) || k === Kind.cl);
}

function isString(form: Form): boolean {
  return form.operands.some((k) => k === Kind.seg_rSI || k === Kind.es_rDI) && !ALWAYS_TRAP.test(form.mnemonicName);
}

/** mov esi, ...; mov edi, ...; mov ecx, ... */
function stringPointers(r: Random): Uint8Array {
  const bytes = new Uint8Array(15);
  const view = new DataView(bytes.buffer);
  const near = MEMORY.data + 0x600 + r.below(0x400);
  [[MOV_ESI, near + r.below(64)], [MOV_EDI, near + r.below(64)], [MOV_ECX, r.below(20)]].forEach(([opcode, value], i) => {
    bytes[i * 5] = opcode as number;
    view.setUint32(i * 5 + 1, value as number, true);
  });
  return bytes;
}

/** Only fixed addresses, rsp left alone, jumps forward. */
function isSelfContained(part: Encoding, form: Form): boolean {
  if (part.decodedCode !== form.code || part.stringSegment !== null) return false;
  if (part.memory !== null && part.memory.fixed === null) return false;
  if (part.target < part.address && form.operands.includes(Kind.br64_1)) return false;
  return !part.registers.some((register) => register !== undefined && gprNumber(register) === RSP && !isHighByte(register));
}

function isHighByte(register: Register): boolean {
  return register >= Register.AH && register <= Register.BH;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((p) => [...p]));
}
