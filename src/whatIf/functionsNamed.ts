/** Functions by name, with their code: those of debug information, and those of symbols where there is none. */
import { UserError } from '../base/errors.js';
import { scopesOfFunction } from '../dwarf/breakpointPlaces.js';
import type { Die } from '../dwarf/die.js';
import { unlessCorrupt } from '../dwarf/dwarfError.js';
import { AT, TAG } from '../dwarf/dwarfConstants.js';
import { findFunctions } from '../dwarf/functionNames.js';
import type { Scope } from '../dwarf/scope.js';
import { scopesAt } from '../dwarf/sourceFrames.js';
import type { LoadedModule } from '../debugger/program/modules.js';
import type { ProgramView } from '../debugger/program/programView.js';
import { type FunctionCode, functionAround } from './statementCode.js';

interface NamedFunction {
  readonly code: FunctionCode;
  readonly module: LoadedModule;
  /** Its result is a floating-point number. */
  readonly isFloat: boolean;
}

/** DW_ATE_float. */
const FLOAT_ENCODING = 4;

/** Throws a UserError if there is none, or if copies of it are in other functions. */
export function functionsNamed(name: string, program: ProgramView): NamedFunction[] {
  const found = new Map<number, NamedFunction>();
  const add = (address: number, module: LoadedModule, scope: Scope | undefined): void => {
    found.set(address, { code: functionAround(address, module, program), module, isFloat: isFloat(scope?.function.returnType) });
  };
  for (const module of program.modules.all) {
    const { info } = module;
    if (info === undefined) continue;
    for (const scope of unlessCorrupt(() => findFunctions(info, name).flatMap(scopesOfFunction), () => [])) {
      if (scope.kind !== 'function') throw new UserError(`${name}: the compiler has put copies of it into its callers; suppress the lines that call it`);
      add(scope.entry + Number(module.bias), module, scope);
    }
  }
  for (const { kind, address, size, module } of program.symbols.named(name)) {
    if (size === 0 || found.has(Number(address))) continue;
    if (kind === 'function') add(Number(address), module, undefined);
    if (kind !== 'indirectFunction') continue;
    for (const target of program.linkage.indirectTargets(name, address)) add(Number(target), module, undefined);
  }
  if (found.size === 0) throw new UserError(`no function is called ${name}`);
  return [...found.values()];
}

/** What kind of result the function at an address has. */
export function resultKindOf(address: number | undefined, program: ProgramView): 'float' | 'other' {
  const module = address === undefined ? undefined : program.moduleAt(BigInt(address));
  const info = module?.info;
  if (address === undefined || module === undefined || info === undefined) return 'other';
  const scope = unlessCorrupt(() => scopesAt(info, address - Number(module.bias)).at(-1), () => undefined);
  return isFloat(scope?.function.returnType) ? 'float' : 'other';
}

function isFloat(type: Die | undefined): boolean {
  if (type === undefined) return false;
  if (type.tag === TAG.TYPEDEF || type.tag === TAG.CONST_TYPE || type.tag === TAG.VOLATILE_TYPE) return isFloat(type.reference(AT.TYPE));
  return type.tag === TAG.BASE_TYPE && type.number(AT.ENCODING) === FLOAT_ENCODING;
}
