/**
 * Functions by name for breakpoints on calls: where they begin, in all modules there are. Symbols are enough: nothing
 * needs debug information. Of what a resolver has chosen for this CPU (memcpy, strlen) that one counts.
 */
import { type ElfSymbol, STT } from '../../../elf/elfSymbols.js';
import { nearest } from '../../../rules/language/problems.js';
import { demangle } from '../../values/demangle/demangle.js';
import type { LoadedModule } from '../../program/modules.js';
import type { ProgramView } from '../../program/programView.js';

const COMPARED = 16;

/**
 * Where functions of that name begin in a program. Which one a resolver has chosen is known of the program as it is
 * now; one that has not been asked yet is none.
 */
export function functionsNamed(name: string, view: ProgramView, isNow = true): bigint[] {
  const found = new Set<bigint>();
  for (const module of view.modules.all) {
    for (const symbol of symbolsNamed(name, module)) {
      const address = BigInt(symbol.address) + module.bias;
      if (symbol.type === STT.FUNC) found.add(address);
      else if (isNow) for (const target of view.linkage.indirectTargets(symbol.name, address)) found.add(target);
    }
  }
  return [...found];
}

/** What a function begins with: in another program there may be something else at its address. */
export function codeAt(address: bigint, views: readonly ProgramView[]): Uint8Array | undefined {
  for (const view of views) {
    const module = view.moduleAt(address);
    const code = module?.file.readCode(Number(address - module.bias), COMPARED);
    if (code?.length === COMPARED) return code.slice();
  }
  return undefined;
}

/** Whether it is something that can be called, wherever that will be. */
export function isFunctionNamed(name: string, view: ProgramView): boolean {
  return view.modules.all.some((module) => symbolsNamed(name, module).length > 0);
}

/** All names of what begins at these addresses: free is cfree, too, and a C++ name has another one for the linker. */
export function namesOf(entries: readonly number[], view: ProgramView): string[] {
  const wanted = new Set(entries);
  return view.modules.all.flatMap((module) => {
    const names: string[] = [];
    for (const symbol of module.file.symbols()) if (isCode(symbol) && wanted.has(symbol.address + Number(module.bias))) names.push(symbol.name);
    return names;
  });
}

/** A name like one that is not there. */
export function nameLike(name: string, views: readonly ProgramView[]): string | undefined {
  const names = new Set<string>();
  for (const { file } of new Set(views.flatMap((view) => view.modules.all))) {
    for (const symbol of file.symbols()) if (isCode(symbol) && Math.abs(symbol.name.length - name.length) < 3) names.add(symbol.name);
  }
  return nearest(name, names);
}

function symbolsNamed(name: string, module: LoadedModule): ElfSymbol[] {
  const isMeant = nameTest(name);
  const found: ElfSymbol[] = [];
  for (const symbol of module.file.symbols()) if (isCode(symbol) && isMeant(symbol.name)) found.push(symbol);
  return found;
}

function isCode({ type, section }: ElfSymbol): boolean {
  return section !== 0 && (type === STT.FUNC || type === STT.GNU_IFUNC);
}

/** C++ names are those of the source: `operator delete`, `A::f`, with or without the types of arguments. */
function nameTest(name: string): (symbol: string) => boolean {
  const wanted = name.replaceAll(/\s+/g, ' ');
  return (symbol) => {
    if (symbol === name) return true;
    if (!symbol.startsWith('_Z')) return false;
    const readable = demangle(symbol);
    return readable === wanted || (readable.startsWith(`${wanted}(`) && readable !== symbol);
  };
}
