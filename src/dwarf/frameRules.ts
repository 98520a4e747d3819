/** Runs call frame instructions up to an address: how to find the caller's registers from there. */
import type { DwarfReader } from './dwarfReader.js';
import type { FrameDescription } from './frameEntries.js';
import { readPointer } from './pointerEncoding.js';

/** Where the canonical frame address (the stack pointer before the call) is. */
export type CfaRule =
  | { readonly kind: 'register'; readonly register: number; readonly offset: number }
  | { readonly kind: 'expression'; readonly expression: Uint8Array };

/** Where the caller's value of a register is. */
export type RegisterRule =
  | { readonly kind: 'undefined' }
  | { readonly kind: 'same' }
  | { readonly kind: 'offset'; readonly offset: number }
  | { readonly kind: 'valueOffset'; readonly offset: number }
  | { readonly kind: 'register'; readonly register: number }
  | { readonly kind: 'expression'; readonly expression: Uint8Array }
  | { readonly kind: 'valueExpression'; readonly expression: Uint8Array };

export interface FrameRules {
  readonly cfa: CfaRule;
  readonly registers: ReadonlyMap<number, RegisterRule>;
  readonly returnRegister: number;
  readonly isSignalFrame: boolean;
}

const CFA = {
  NOP: 0, SET_LOC: 1, ADVANCE1: 2, ADVANCE2: 3, ADVANCE4: 4, OFFSET: 5, RESTORE: 6, UNDEFINED: 7, SAME: 8, REGISTER: 9, REMEMBER: 0x0a,
  RESTORE_STATE: 0x0b, DEF_CFA: 0x0c, DEF_CFA_REGISTER: 0x0d, DEF_CFA_OFFSET: 0x0e, DEF_CFA_EXPRESSION: 0x0f, EXPRESSION: 0x10,
  OFFSET_SF: 0x11, DEF_CFA_SF: 0x12, DEF_CFA_OFFSET_SF: 0x13, VAL_OFFSET: 0x14, VAL_OFFSET_SF: 0x15, VAL_EXPRESSION: 0x16,
  GNU_ARGS_SIZE: 0x2e, GNU_NEGATIVE_OFFSET: 0x2f,
} as const;
const MOST_REMEMBERED = 256;
const LARGEST_REGISTER = 1000;
const NO_CFA = { kind: 'register', register: 7, offset: 8 } as const;

export function rulesAt(description: FrameDescription, address: number): FrameRules {
  return new RuleMachine(description).run(address);
}

interface Row {
  cfa: CfaRule;
  registers: Map<number, RegisterRule>;
}

class RuleMachine {
  private row: Row = { cfa: NO_CFA, registers: new Map() };
  private initial: ReadonlyMap<number, RegisterRule> = new Map();
  private readonly remembered: Row[] = [];
  private location: number;

  constructor(private readonly description: FrameDescription) {
    this.location = description.low;
  }

  run(address: number): FrameRules {
    const { common, section, start, end } = this.description;
    this.execute(section.instructions(common.start, common.end), Infinity);
    this.initial = new Map(this.row.registers);
    this.location = this.description.low;
    this.execute(section.instructions(start, end), address);
    return { ...this.row, returnRegister: common.returnRegister, isSignalFrame: common.isSignalFrame };
  }

  /** Up to the first row that begins after `address`. */
  private execute(reader: DwarfReader, address: number): void {
    while (!reader.atEnd && this.location <= address) this.step(reader, reader.u8(), address);
  }

  private step(reader: DwarfReader, op: number, address: number): void {
    const { common } = this.description;
    switch (op & 0xc0) {
      case 0x40: return this.advance((op & 0x3f) * common.codeAlignment, address);
      case 0x80: return this.set(op & 0x3f, { kind: 'offset', offset: reader.uleb() * common.dataAlignment });
      case 0xc0: return this.restore(op & 0x3f);
      default: break;
    }
    switch (op) {
      case CFA.NOP: return;
      case CFA.SET_LOC: return void (this.location = readPointer(reader, common.pointerEncoding, { section: this.description.section.address }) ?? 0);
      case CFA.ADVANCE1: return this.advance(reader.u8() * common.codeAlignment, address);
      case CFA.ADVANCE2: return this.advance(reader.u16() * common.codeAlignment, address);
      case CFA.ADVANCE4: return this.advance(reader.u32() * common.codeAlignment, address);
      case CFA.REMEMBER: return this.remember(reader);
      case CFA.RESTORE_STATE: return this.recall(reader);
      case CFA.RESTORE: return this.restore(reader.uleb());
      case CFA.GNU_ARGS_SIZE: return reader.skipLeb();
      default: return op >= CFA.DEF_CFA && op <= CFA.DEF_CFA_EXPRESSION || op === CFA.DEF_CFA_SF || op === CFA.DEF_CFA_OFFSET_SF ? this.defineCfa(reader, op) : this.defineRegister(reader, op);
    }
  }

  private defineCfa(reader: DwarfReader, op: number): void {
    const { dataAlignment } = this.description.common;
    switch (op) {
      case CFA.DEF_CFA: return this.setCfa(reader.uleb(), reader.uleb());
      case CFA.DEF_CFA_SF: return this.setCfa(reader.uleb(), reader.sleb() * dataAlignment);
      case CFA.DEF_CFA_REGISTER: return this.setCfa(reader.uleb(), this.cfaOffset());
      case CFA.DEF_CFA_OFFSET: return this.setCfa(this.cfaRegister(), reader.uleb());
      case CFA.DEF_CFA_OFFSET_SF: return this.setCfa(this.cfaRegister(), reader.sleb() * dataAlignment);
      default: this.row.cfa = { kind: 'expression', expression: reader.take(reader.uleb()) };
    }
  }

  private defineRegister(reader: DwarfReader, op: number): void {
    const { dataAlignment } = this.description.common;
    const register = op > CFA.VAL_EXPRESSION && op !== CFA.GNU_NEGATIVE_OFFSET ? reader.fail(`unknown frame instruction 0x${op.toString(16)}`) : reader.uleb();
    if (register > LARGEST_REGISTER) reader.fail(`rule for register ${register}`);
    switch (op) {
      case CFA.OFFSET: return this.set(register, { kind: 'offset', offset: reader.uleb() * dataAlignment });
      case CFA.OFFSET_SF: return this.set(register, { kind: 'offset', offset: reader.sleb() * dataAlignment });
      case CFA.GNU_NEGATIVE_OFFSET: return this.set(register, { kind: 'offset', offset: -reader.uleb() * dataAlignment });
      case CFA.UNDEFINED: return this.set(register, { kind: 'undefined' });
      case CFA.SAME: return this.set(register, { kind: 'same' });
      case CFA.REGISTER: return this.set(register, { kind: 'register', register: reader.uleb() });
      case CFA.EXPRESSION: return this.set(register, { kind: 'expression', expression: reader.take(reader.uleb()) });
      case CFA.VAL_OFFSET: return this.set(register, { kind: 'valueOffset', offset: reader.uleb() * dataAlignment });
      case CFA.VAL_OFFSET_SF: return this.set(register, { kind: 'valueOffset', offset: reader.sleb() * dataAlignment });
      case CFA.VAL_EXPRESSION: return this.set(register, { kind: 'valueExpression', expression: reader.take(reader.uleb()) });
      default: return reader.fail(`unknown frame instruction 0x${op.toString(16)}`);
    }
  }

  private advance(by: number, address: number): void {
    const next = this.location + by;
    // The row in force at `address` must stay as it is: what follows is for later code.
    this.location = next > address ? Infinity : next;
  }

  private set(register: number, rule: RegisterRule): void {
    this.row.registers.set(register, rule);
  }

  private restore(register: number): void {
    const rule = this.initial.get(register);
    if (rule === undefined) this.row.registers.delete(register);
    else this.row.registers.set(register, rule);
  }

  private remember(reader: DwarfReader): void {
    if (this.remembered.length >= MOST_REMEMBERED) reader.fail('too many remembered states');
    this.remembered.push({ cfa: this.row.cfa, registers: new Map(this.row.registers) });
  }

  private recall(reader: DwarfReader): void {
    this.row = this.remembered.pop() ?? reader.fail('no state remembered');
  }

  private setCfa(register: number, offset: number): void {
    this.row.cfa = { kind: 'register', register, offset };
  }

  private cfaOffset(): number {
    return this.row.cfa.kind === 'register' ? this.row.cfa.offset : 0;
  }

  private cfaRegister(): number {
    return this.row.cfa.kind === 'register' ? this.row.cfa.register : NO_CFA.register;
  }
}
