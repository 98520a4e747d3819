/**
 * What the units of code are (arrivalLoop.ts), in all modules of all processes: lines of source files, by gdb's rules,
 * or statements.
 */
import type { LoggedBlock } from '../../ir/loggedBlocks.js';
import type { LineRange } from '../program/lineRanges.js';
import type { LoadedModule } from '../program/modules.js';
import type { ModuleStatements } from '../program/moduleStatements.js';
import type { Statements } from '../program/statements.js';

export interface CodeUnits {
  /** The unit that begins or goes on at an address (without bias); 0: what is there belongs to the one before. */
  unitAt(module: LoadedModule, address: number): number;
  /** The unit that control is in at an address, by what lies before it. */
  unitBefore(module: LoadedModule, address: number): number;
  /** The unit that an instruction is of by the line table, whether or not anything begins there. */
  ownerAt(module: LoadedModule, address: number): number;
}

/** Code that begins nothing belongs to what is before it; so far back one looks for that. */
const FAR_BACK = 64;

/** Of every instruction of a block. */
export function unitsOf(block: LoggedBlock, module: LoadedModule | undefined, units: CodeUnits): number[] {
  if (module === undefined) return Array.from(block.lengths, () => 0);
  let address = block.start - Number(module.bias);
  return Array.from(block.lengths, (length) => {
    const unit = units.unitAt(module, address);
    address += length;
    return unit;
  });
}

/** Where control is when it comes back to a block: in the unit of the instruction before it. */
export function unitOfCall(block: LoggedBlock, module: LoadedModule | undefined, units: CodeUnits): number {
  return module === undefined ? 0 : units.unitBefore(module, block.start - 1 - Number(module.bias));
}

export class LineUnits implements CodeUnits {
  private range: LineRange | undefined;
  private module: LoadedModule | undefined;

  constructor(private readonly statements: Statements) {}

  unitAt(module: LoadedModule, address: number): number {
    return this.unitOf(this.rangeAt(module, address));
  }

  unitBefore(module: LoadedModule, address: number): number {
    let range = this.rangeAt(module, address);
    for (let i = 0; i < FAR_BACK && range !== undefined && !range.isStatement; i++) range = this.rangeAt(module, range.start - 1);
    return this.unitOf(range);
  }

  ownerAt(module: LoadedModule, address: number): number {
    const range = this.rangeAt(module, address);
    return range?.file === undefined || range.line === 0 ? 0 : this.statements.wholeLine(range.file.path, range.line).unit;
  }

  private rangeAt(module: LoadedModule, address: number): LineRange | undefined {
    const { range } = this;
    if (this.module !== module || range === undefined || address < range.start || address >= range.end) this.range = module.file.lineRangeAt(address);
    this.module = module;
    return this.range;
  }

  /** Optimised code comes back to lines in the middle: what does not begin a statement belongs to the line before. */
  private unitOf(range: LineRange | undefined): number {
    return range?.file === undefined || range.line === 0 || !range.isStatement ? 0 : this.statements.wholeLine(range.file.path, range.line).unit;
  }
}

export class StatementUnits implements CodeUnits {
  constructor(private readonly statements: Statements) {}

  unitAt(module: LoadedModule, address: number): number {
    const row = this.of(module).at(address);
    return row?.begins === true ? row.statement.unit : 0;
  }

  unitBefore(module: LoadedModule, address: number): number {
    const rows = this.of(module);
    let row = rows.at(address);
    for (let i = 0; i < FAR_BACK && row !== undefined && !row.begins; i++) row = rows.at(row.start - 1);
    return row?.begins === true ? row.statement.unit : 0;
  }

  ownerAt(module: LoadedModule, address: number): number {
    return this.of(module).at(address)?.statement.unit ?? 0;
  }

  private of(module: LoadedModule): ModuleStatements {
    return this.statements.of(module.file);
  }
}
