/** What gdb calls the code at an address: the function's name from the debug information if there is one, otherwise the symbol's. */
import type { Scope } from '../../dwarf/scope.js';
import type { Module } from '../../dwarf/stackFrame.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { scopesAt } from '../../dwarf/sourceFrames.js';
import { typeName } from '../../dwarf/typeNames.js';
import { demangle } from './demangle/demangle.js';

/**
 * The name of a symbol as `<name+4>` shows it. `start` is where it begins in its file (without load bias), if it is code. Static
 * variables of functions are numbered by the compiler, which is not shown.
 */
export function shownSymbolName(name: string, start: number | undefined, module: Module): string {
  if (start === undefined) return demangle(name.replace(/\.\d+$/, ''));
  const { info } = module;
  const scope = info === undefined ? undefined : unlessCorrupt(() => scopesAt(info, start).at(-1), () => undefined);
  return scope === undefined || scope.entry !== start ? demangle(name) : functionName(scope, module, name);
}

function functionName(scope: Scope, module: Module, symbol: string): string {
  // Clones (`f.constprop.0`) are called what the function is called.
  if (scope.die.unit.isC) return symbol.startsWith('_Z') ? demangle(symbol) : (scope.function.displayName ?? symbol);
  const { linkageName, qualifiedName } = scope.function;
  if (linkageName !== undefined) return demangle(linkageName, true);
  if (qualifiedName === undefined || !scope.die.unit.isCPlusPlus) return demangle(symbol, true);
  const type = module.info?.types.of(scope.die);
  const parameters = type?.kind === 'function' ? type.parameters.filter((p) => !p.isArtificial).map((p) => typeName(p.type).replace(/ ([*&])/g, '$1')) : [];
  return `${qualifiedName}(${parameters.join(', ')})`;
}
