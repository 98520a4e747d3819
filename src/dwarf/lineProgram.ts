/**
 * Runs line number programs. The result is flat arrays, one item per row, in the order of the program. A row takes at
 * least a byte of the program, so there are no more rows than bytes.
 */
import type { DwarfReader } from './dwarfReader.js';
import { GrowingArray } from './growingArray.js';
import type { LineHeader } from './lineHeader.js';

/** DISCRIMINATED: the line has been divided into blocks with discriminators, here or in a row before. */
export const ROW = { STATEMENT: 1, BASIC_BLOCK: 2, PROLOGUE_END: 4, EPILOGUE_BEGIN: 8, END_SEQUENCE: 16, DISCRIMINATED: 32 } as const;

export interface LineRows {
  readonly count: number;
  readonly addresses: Float64Array;
  readonly files: Uint32Array;
  readonly lines: Uint32Array;
  readonly columns: Uint16Array;
  /** Bits of ROW. */
  readonly flags: Uint8Array;
}

const LNS = {
  EXTENDED: 0, COPY: 1, ADVANCE_PC: 2, ADVANCE_LINE: 3, SET_FILE: 4, SET_COLUMN: 5, NEGATE_STMT: 6, SET_BASIC_BLOCK: 7, CONST_ADD_PC: 8,
  FIXED_ADVANCE_PC: 9, SET_PROLOGUE_END: 10, SET_EPILOGUE_BEGIN: 11, SET_ISA: 12,
} as const;
const LNE = { END_SEQUENCE: 1, SET_ADDRESS: 2, DEFINE_FILE: 3, SET_DISCRIMINATOR: 4 } as const;
const LARGEST_COLUMN = 0xffff;

export function runLineProgram(reader: DwarfReader, header: LineHeader): LineRows {
  return new LineMachine(reader, header).run();
}

class LineMachine {
  private readonly addresses = new GrowingArray((n) => new Float64Array(n));
  private readonly files = new GrowingArray((n) => new Uint32Array(n));
  private readonly lines = new GrowingArray((n) => new Uint32Array(n));
  private readonly columns = new GrowingArray((n) => new Uint16Array(n));
  private readonly flags = new GrowingArray((n) => new Uint8Array(n));
  private address = 0;
  private operation = 0;
  private file = 1;
  private line = 1;
  private column = 0;
  private statement: number;
  /** Flags that hold for one row. */
  private once = 0;
  private discriminator = false;
  private discriminated = 0;

  constructor(
    private readonly reader: DwarfReader,
    private readonly header: LineHeader,
  ) {
    this.statement = header.defaultIsStatement ? ROW.STATEMENT : 0;
  }

  run(): LineRows {
    const { reader, header } = this;
    while (!reader.atEnd) {
      const opcode = reader.u8();
      if (opcode >= header.opcodeBase) this.special(opcode - header.opcodeBase);
      else this.standard(opcode);
    }
    return {
      count: this.addresses.length,
      addresses: this.addresses.finish(),
      files: this.files.finish(),
      lines: this.lines.finish(),
      columns: this.columns.finish(),
      flags: this.flags.finish(),
    };
  }

  private special(adjusted: number): void {
    const { lineRange, lineBase } = this.header;
    if (lineRange === 0) this.reader.fail('line range is zero');
    this.advance(Math.trunc(adjusted / lineRange));
    this.advanceLine(lineBase + (adjusted % lineRange));
    this.emit(0);
  }

  private standard(opcode: number): void {
    const { reader } = this;
    switch (opcode) {
      case LNS.EXTENDED: return this.extended();
      case LNS.COPY: return this.emit(0);
      case LNS.ADVANCE_PC: return this.advance(reader.uleb());
      case LNS.ADVANCE_LINE: return this.advanceLine(reader.sleb());
      case LNS.SET_FILE: return void (this.file = reader.uleb());
      case LNS.SET_COLUMN: return void (this.column = reader.uleb());
      case LNS.NEGATE_STMT: return void (this.statement ^= ROW.STATEMENT);
      case LNS.SET_BASIC_BLOCK: return void (this.once |= ROW.BASIC_BLOCK);
      case LNS.CONST_ADD_PC: return this.constAddPc();
      case LNS.FIXED_ADVANCE_PC: return this.fixedAdvance(reader.u16());
      case LNS.SET_PROLOGUE_END: return void (this.once |= ROW.PROLOGUE_END);
      case LNS.SET_EPILOGUE_BEGIN: return void (this.once |= ROW.EPILOGUE_BEGIN);
      default: {
        const operands = this.header.operandCounts[opcode] ?? 0;
        for (let i = 0; i < operands; i++) reader.skipLeb();
      }
    }
  }

  private extended(): void {
    const { reader } = this;
    const length = reader.uleb();
    reader.need(length);
    const end = reader.position + length;
    if (length === 0) return;
    switch (reader.u8()) {
      case LNE.END_SEQUENCE:
        this.emit(ROW.END_SEQUENCE);
        this.reset();
        break;
      case LNE.SET_ADDRESS:
        this.address = reader.unsigned(length - 1);
        this.operation = 0;
        break;
      case LNE.SET_DISCRIMINATOR:
        this.discriminator = reader.uleb() !== 0;
        if (this.discriminator) this.discriminated = ROW.DISCRIMINATED;
        break;
      default:
        break;
    }
    reader.position = end;
  }

  private constAddPc(): void {
    if (this.header.lineRange === 0) this.reader.fail('line range is zero');
    this.advance(Math.trunc((255 - this.header.opcodeBase) / this.header.lineRange));
  }

  private fixedAdvance(by: number): void {
    this.address += by;
    this.operation = 0;
  }

  private advance(operations: number): void {
    const { minimumInstructionLength, maximumOperations } = this.header;
    if (maximumOperations <= 1) {
      this.address += minimumInstructionLength * operations;
      return;
    }
    const total = this.operation + operations;
    this.address += minimumInstructionLength * Math.trunc(total / maximumOperations);
    this.operation = total % maximumOperations;
  }

  private advanceLine(by: number): void {
    this.line += by;
    if (by !== 0) this.discriminated = this.discriminator ? ROW.DISCRIMINATED : 0;
  }

  private emit(flags: number): void {
    this.addresses.push(this.address);
    this.files.push(this.file);
    this.lines.push(Math.max(this.line, 0));
    this.columns.push(Math.min(this.column, LARGEST_COLUMN));
    this.flags.push(this.statement | this.once | this.discriminated | flags);
    this.once = 0;
    this.discriminator = false;
  }

  private reset(): void {
    this.address = this.operation = this.column = this.once = 0;
    this.file = this.line = 1;
    this.discriminator = false;
    this.discriminated = 0;
    this.statement = this.header.defaultIsStatement ? ROW.STATEMENT : 0;
  }
}
