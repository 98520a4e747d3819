/**
 * What gdb calls the code at an address: the function's name from the debug information if there is one, otherwise the
 * symbol's.
 */
import type { Scope } from '../../dwarf/scope.js';
import type { Module } from '../../dwarf/stackFrame.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { scopesAt } from '../../dwarf/sourceFrames.js';
import { fullFunctionName } from '../program/functionNames.js';
import { demangle } from './demangle/demangle.js';

/**
 * The name of a symbol as `<name+4>` shows it. `start` is where it begins in its file (without load bias), if it is
 * code. Static variables of functions are numbered by the compiler, which is not shown.
 */
export function shownSymbolName(name: string, start: number | undefined, module: Module): string {
  if (start === undefined) return demangle(name.includes('@') ? name : name.replace(/\.\d+$/, ''));
  const scope = functionAt(start, module);
  return scope === undefined ? demangle(name) : functionName(scope, module, name);
}

/** The same as it stands beside code: as the linker has it, unless the function has no such name. */
export function linkageSymbolName(name: string, start: number | undefined, module: Module): string {
  const scope = start === undefined ? undefined : functionAt(start, module);
  if (scope === undefined) return name;
  return scope.function.linkageName ?? fullFunctionName(scope, module) ?? name;
}

function functionAt(start: number, { info }: Module): Scope | undefined {
  const scope = info === undefined ? undefined : unlessCorrupt(() => scopesAt(info, start).at(-1), () => undefined);
  return scope?.entry === start ? scope : undefined;
}

function functionName(scope: Scope, module: Module, symbol: string): string {
  // Clones (`f.constprop.0`) are called what the function is called.
  if (scope.die.unit.isC) return symbol.startsWith('_Z') ? demangle(symbol) : (scope.function.displayName ?? symbol);
  return (scope.die.unit.isCPlusPlus ? fullFunctionName(scope, module) : undefined) ?? demangle(scope.function.linkageName ?? symbol, true);
}
