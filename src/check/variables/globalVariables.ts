/**
 * Global and static variables, with their sizes, by debug information of units that were compiled without optimisation.
 */
import type { DebugInfo } from '../../dwarf/debugInfo.js';
import type { Die } from '../../dwarf/die.js';
import { TAG } from '../../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { Scope } from '../../dwarf/scope.js';
import { strip } from '../../dwarf/types.js';
import type { Unit } from '../../dwarf/unit.js';
import { Variable } from '../../dwarf/variable.js';
import { type Form, formOf } from './form.js';
import { isJumpBuffer, unoptimisedUnits } from './frameSlots.js';

export interface GlobalVariable {
  readonly name: string;
  /** Without load bias. */
  readonly address: number;
  readonly size: number;
  /** An array or a structure: programs make pointers to its end. */
  readonly isAggregate: boolean;
  /** Of an array; otherwise its own. */
  readonly elementSize: number;
  /** An array of what has no parts: what is indexed is a value, and no address. */
  readonly isRow: boolean;
  /** Where sources have it. */
  readonly declared: { readonly unit: Unit; readonly path: string; readonly line: number } | undefined;
  /**
   * Whether pointers to it may be other than its address (globalPointers.ts), as far as its type and its names are
   * concerned.
   */
  readonly isPlain: boolean;
  readonly form?: Form;
}

const OP_ADDR = 0x03;
const ADDRESS_SIZE = 8;

/** In the order of addresses; none shares a byte with another. */
export function globalVariables(info: DebugInfo): GlobalVariable[] {
  const found = new Map<number, GlobalVariable>();
  for (const unit of unoptimisedUnits(info)) {
    const inFunctions = unlessCorrupt(() => unit.functions.all().flatMap((scope) => [...variablesIn(scope)]), () => []);
    for (const variable of [...unlessCorrupt(() => [...outside(unit.root)], () => []), ...inFunctions]) {
      const global = unlessCorrupt(() => globalOf(info, variable), () => undefined);
      if (global !== undefined) found.set(global.address, merged(found.get(global.address), global));
    }
  }
  const sorted = [...found.values()].sort((a, b) => a.address - b.address);
  return sorted.filter(({ address, size }, i) => (sorted[i + 1]?.address ?? Infinity) >= address + size && endOf(sorted[i - 1]) <= address);
}

/** With the sizes of symbols where those are larger: a structure may end with an array that its type does not count. */
export function withSymbolSizes(variables: readonly GlobalVariable[], symbols: Iterable<{ readonly address: number; readonly size: number }>): GlobalVariable[] {
  const sizes = new Map<number, number>();
  for (const { address, size } of symbols) sizes.set(address, Math.max(size, sizes.get(address) ?? 0));
  return variables.map((variable) => ({ ...variable, size: Math.max(variable.size, sizes.get(variable.address) ?? 0) }));
}

/** Of variables in the order of addresses the one that has the address. */
export function variableAt(variables: readonly GlobalVariable[], address: number): GlobalVariable | undefined {
  let [low, high] = [0, variables.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((variables[middle] as GlobalVariable).address <= address) low = middle + 1;
    else high = middle;
  }
  const found = variables[low - 1];
  return found !== undefined && address < endOf(found) ? found : undefined;
}

function* outside(die: Die): Generator<Variable> {
  for (const child of die.children()) {
    if (child.tag === TAG.VARIABLE) yield new Variable(child);
    if (child.tag === TAG.NAMESPACE) yield* outside(child);
  }
}

function* variablesIn(scope: Scope): Generator<Variable> {
  yield* scope.variables;
  for (const child of scope.children) yield* variablesIn(child);
}

function globalOf(info: DebugInfo, variable: Variable): GlobalVariable | undefined {
  if (!variable.isStatic) return undefined;
  const where = variable.whereabouts(0);
  const type = strip(info.types.of(variable.type));
  const { size } = type;
  if (where.kind !== 'expression' || where.expression[0] !== OP_ADDR || where.expression.length !== 1 + ADDRESS_SIZE || size <= 0) return undefined;
  const { buffer, byteOffset } = where.expression;
  const address = Number(new DataView(buffer, byteOffset).getBigUint64(1, true));
  const element = type.kind === 'array' ? strip(type.element) : type;
  const isAggregate = type.kind === 'array' || type.kind === 'struct';
  const { file, line = 0 } = variable.declaration ?? {};
  const declared = file === undefined || line === 0 ? undefined : { unit: variable.die.unit, path: file.path, line };
  return address === 0 ? undefined : {
    name: variable.name ?? '??', address, size, isAggregate, declared, elementSize: element.size, isRow: element !== type && element.kind !== 'array' && element.kind !== 'struct', isPlain: variable.name !== undefined && !variable.isArtificial && !isJumpBuffer(type), form: formOf(type),
  };
}

/** Units that share a variable need not agree about it. */
function merged(known: GlobalVariable | undefined, found: GlobalVariable): GlobalVariable {
  return known === undefined || (known.name === found.name && known.size === found.size) ? found : { ...found, isPlain: false };
}

function endOf(variable: GlobalVariable | undefined): number {
  return variable === undefined ? 0 : variable.address + variable.size;
}
