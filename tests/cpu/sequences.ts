/**
 * Random programs of several instructions. What single instructions cannot show: flags that one
 * instruction leaves for another in lazy form, values that the compiler keeps in locals, an
 * exception in the middle of a block.
 *
 * Instructions whose effect depends on pointers in registers, and those that jump, do not take
 * part, except for a conditional jump at the end.
 */
import { ARITHMETIC_FLAGS } from '../../src/layout/cpuState.js';
import { CpuidFeature, OpCodeOperandKind as Kind, Register } from 'iced-x86';
import type { Tolerance } from './compare.js';
import { type Encoding, makeEncoding } from './encodings.js';
import type { Form } from './forms.js';
import type { Program, TestCase } from './machineState.js';
import { approximation } from './approximations.js';
import { gprNumber, MEMORY_RULES, REGISTER_RULES } from './operandRules.js';
import { Random } from './random.js';
import { randomState } from './states.js';
import { toEflags, undefinedFsw } from './undefinedFlags.js';

export type SequenceKind = 'flags' | 'integer' | 'vector' | 'x87';

export interface Sequence extends Program {
  readonly kind: SequenceKind;
  readonly tolerance: Tolerance;
}

const RSP = 4;
const LONGEST = 60;
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
      vector: usable.filter((f) => has(f, VECTOR) && !has(f, X87)),
      x87: usable.filter((f) => has(f, X87)),
    };
  }

  /** The n-th sequence of a kind, to be put at an address. */
  make(kind: SequenceKind, n: number, address: number): Sequence {
    const name = `${kind}-sequence/${n}`;
    const r = new Random(`${this.seed}/${name}`);
    const wanted = 2 + r.below(9);
    const draft = new Draft(address, this.seed);
    for (let i = 0; i < ATTEMPTS && draft.parts.length < wanted; i++) draft.take(r.pick(this.pools[kind]), r);
    if (r.oneIn(3)) draft.take(r.pick(this.jumps), r);
    const { parts, undefinedFlags, fsw } = draft;
    return {
      name, kind, mnemonic: 'sequence', address, bytes: join(parts.map((p) => p.bytes)), nativeBytes: join(parts.map((p) => p.nativeBytes)),
      tolerance: { eflags: undefinedFlags, eflagsOnFault: ARITHMETIC_FLAGS, fsw, approximation: undefined },
    };
  }
}

/** A sequence while it grows. */
class Draft {
  readonly parts: Encoding[] = [];
  undefinedFlags = 0;
  fsw = 0;
  private size = 0;

  constructor(
    private readonly address: number,
    private readonly seed: string,
  ) {}

  /** Appends an encoding of the form if it fits, and if it does not use what is undefined. */
  take(form: Form, r: Random): void {
    const part = makeEncoding(form, r.below(VARIANTS), this.seed, this.address + this.size);
    if (part === null || this.size + part.bytes.length > LONGEST || !isSelfContained(part, form)) return;
    if ((toEflags(part.readFlags) & this.undefinedFlags) !== 0) return;
    this.undefinedFlags = (this.undefinedFlags & ~toEflags(part.definedFlags)) | toEflags(part.undefinedFlags);
    this.fsw |= undefinedFsw(part);
    this.parts.push(part);
    this.size += part.bytes.length;
  }
}

export function sequenceCase(sequence: Sequence, n: number, seed: string): TestCase {
  const name = `${sequence.name}/${n}`;
  const r = new Random(`${seed}/${name}`);
  const plain = sequence.kind === 'flags' || sequence.kind === 'integer';
  return { name, program: sequence, state: randomState(r, sequence.address, plain ? null : ['float32', 'float64', 'integer']), patches: [] };
}

function isUsable(form: Form): boolean {
  const { mnemonicName, operands } = form;
  const ruled = (REGISTER_RULES.has(mnemonicName) || MEMORY_RULES.has(mnemonicName)) && !STILL_IN.has(mnemonicName);
  if (ruled || OUT.has(mnemonicName) || ALWAYS_TRAP.test(mnemonicName) || approximation(mnemonicName) !== undefined) return false;
  // Shifts by cl leave flags undefined or not depending on cl, and are compared one by one.
  return !operands.some((k) => BRANCH_OR_STRING.has(k) || k === Kind.cl);
}

/** Only fixed addresses, rsp left alone, jumps forward. */
function isSelfContained(part: Encoding, form: Form): boolean {
  if (part.decodedCode !== form.code) return false;
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
