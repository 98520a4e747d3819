/**
 * All that was loaded in any process at any time that has been looked at. Breakpoints are resolved with all of it: in
 * a recording a library may be gone where the program stands, and still be where the user wants to go.
 */
import { UserError } from '../base/errors.js';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import type { Debugger } from '../debugger/control/debugger.js';
import { type CodeLocation, LocationNotFound } from '../debugger/program/location.js';
import type { ModuleList } from '../debugger/program/modules.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { locationAt, resolveLocation } from '../debugger/program/resolveLocation.js';

export class KnownPrograms {
  private readonly views = new Map<ModuleList, ProgramView>();

  /** Looks at what is loaded now. True if something of it is new. */
  remember(debug: Debugger): boolean {
    const before = this.views.size;
    for (const { id } of debug.threads) {
      const program = debug.program(id);
      if (program !== undefined && !this.views.has(program.modules)) this.views.set(program.modules, program);
    }
    return this.views.size > before;
  }

  get modules(): ModuleList['all'] {
    const all = [...this.views.keys()].flatMap((list) => list.all);
    return all.filter((module, i) => all.findIndex((other) => other.file === module.file && other.bias === module.bias) === i);
  }

  /** By gdb's rules. Throws a LocationNotFound if it is nowhere, and says where it was looked for last. */
  resolve(text: string): CodeLocation[] {
    let reason: UserError = new LocationNotFound('nothing is loaded');
    const found: CodeLocation[] = [];
    for (const program of this.views.values()) {
      try {
        found.push(...resolveLocation(text, { program }).filter((location) => !found.some((other) => isSame(location, other))));
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        reason = error;
      }
    }
    if (found.length === 0) throw reason;
    return found;
  }

  /** Nothing if it is nowhere. */
  find(text: string): CodeLocation[] {
    try {
      return this.resolve(text);
    } catch (error) {
      if (error instanceof UserError) return [];
      throw error;
    }
  }

  /** Paths of source files of that name. */
  filesNamed(name: string): string[] {
    const paths = this.modules.flatMap(({ info }) => (info === undefined ? [] : unlessCorrupt(() => info.sources.find(name).map(({ file }) => file.path), () => [])));
    return [...new Set(paths)];
  }

  at(address: bigint): CodeLocation | undefined {
    for (const program of this.views.values()) {
      if (program.moduleAt(address) !== undefined) return locationAt(program, address);
    }
    return undefined;
  }
}

function isSame(a: CodeLocation, b: CodeLocation): boolean {
  return a.address === b.address && a.module?.file === b.module?.file;
}
