/**
 * What counting has to know of code: the function and the line of every instruction, in all modules of all processes.
 */
import type { LoggedBlock } from '../ir/loggedBlocks.js';
import type { LineRange } from '../debugger/program/lineRanges.js';
import type { ModuleFile } from '../debugger/program/moduleFile.js';
import type { LoadedModule } from '../debugger/program/modules.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { isUsers } from '../flow/ownCode.js';
import { type CodeFunction, CodeFunctions } from '../debugger/program/codeFunctions.js';
import type { SourceLines } from './sourceLines.js';

/** Of one instruction. */
export interface CodePlace {
  readonly function: CodeFunction | undefined;
  /** Whether it is the function's first instruction. */
  readonly isEntry: boolean;
  /** By SourceLines; 0 if it begins no line. */
  readonly line: number;
}

export class CodePlaces {
  private readonly functions = new Map<ModuleFile, CodeFunctions>();
  /** Functions of the user's own code. */
  private readonly own = new Map<CodeFunction, boolean>();

  constructor(private readonly lines: SourceLines) {}

  /** Of every instruction of a block of code in `module`. */
  placesOf(block: LoggedBlock, module: LoadedModule | undefined, view: ProgramView): CodePlace[] {
    if (module === undefined) return Array.from(block.lengths, () => ({ function: undefined, isEntry: false, line: 0 }));
    const functions = this.functionsOf(module);
    const places: CodePlace[] = [];
    let range: LineRange | undefined;
    let address = block.start - Number(module.bias);
    for (const length of block.lengths) {
      const found = functions.at(address);
      if (range === undefined || address >= range.end || address < range.start) range = module.file.lineRangeAt(address);
      this.noteOwn(found, module, view, range);
      places.push({ function: found, isEntry: found.entry === address, line: this.lineOf(range) });
      address += length;
    }
    return places;
  }

  /** The line of the byte at an address, whether or not it begins there. */
  lineAt(address: number, module: LoadedModule | undefined): number {
    return module === undefined ? 0 : this.lineOf(module.file.lineRangeAt(address - Number(module.bias)));
  }

  get modules(): ModuleFile[] {
    return [...this.functions.keys()];
  }

  isOwn(one: CodeFunction): boolean {
    return this.own.get(one) === true;
  }

  functionsOf(module: LoadedModule): CodeFunctions {
    let known = this.functions.get(module.file);
    if (known === undefined) this.functions.set(module.file, (known = new CodeFunctions(module)));
    return known;
  }

  /** Optimised code comes back to lines in the middle: what does not begin a statement belongs to the line before. */
  private lineOf(range: LineRange | undefined): number {
    return range?.file === undefined || range.line === 0 || !range.isStatement ? 0 : this.lines.numberOf(range.file.path, range.line);
  }

  /** Where a module has debug information, functions without it come from libraries that are linked in. */
  private noteOwn(found: CodeFunction, module: LoadedModule, view: ProgramView, range: LineRange | undefined): void {
    if (this.own.has(found)) return;
    const isDescribed = found.scope !== undefined || module.info === undefined;
    this.own.set(found, isDescribed && !found.isStub && isUsers(view, module, found.source?.path ?? range?.file?.path));
  }
}
