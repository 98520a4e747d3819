/**
 * What counting has to know of code: the function and the line of every instruction, in all modules of all processes.
 */
import type { LoggedBlock } from '../ir/loggedBlocks.js';
import type { CodeUnits } from '../debugger/arrivals/units.js';
import type { ModuleFile } from '../debugger/program/moduleFile.js';
import type { LoadedModule } from '../debugger/program/modules.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { isUsers } from '../flow/ownCode.js';
import { type CodeFunction, CodeFunctions } from '../debugger/program/codeFunctions.js';

/** Of one instruction. */
export interface CodePlace {
  readonly function: CodeFunction | undefined;
  /** Whether it is the function's first instruction. */
  readonly isEntry: boolean;
  /** The line, as a unit; 0 if it begins none. */
  readonly unit: number;
}

export class CodePlaces {
  private readonly functions = new Map<ModuleFile, CodeFunctions>();
  /** Functions of the user's own code. */
  private readonly own = new Map<CodeFunction, boolean>();

  constructor(private readonly units: CodeUnits) {}

  /** Of every instruction of a block of code in `module`. */
  placesOf(block: LoggedBlock, module: LoadedModule | undefined, view: ProgramView): CodePlace[] {
    if (module === undefined) return Array.from(block.lengths, () => ({ function: undefined, isEntry: false, unit: 0 }));
    const functions = this.functionsOf(module);
    const places: CodePlace[] = [];
    let address = block.start - Number(module.bias);
    for (const length of block.lengths) {
      const found = functions.at(address);
      this.noteOwn(found, module, view, address);
      places.push({ function: found, isEntry: found.entry === address, unit: this.units.unitAt(module, address) });
      address += length;
    }
    return places;
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

  /** Where a module has debug information, functions without it come from libraries that are linked in. */
  private noteOwn(found: CodeFunction, module: LoadedModule, view: ProgramView, address: number): void {
    if (this.own.has(found)) return;
    const isDescribed = found.scope !== undefined || module.info === undefined;
    this.own.set(found, isDescribed && !found.isStub && isUsers(view, module, found.source?.path ?? module.file.lineRangeAt(address)?.file?.path));
  }
}
