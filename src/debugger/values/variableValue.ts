/** From what a name means to a value: locations of variables, code of functions, constants. */
import { AT, ATE } from '../../dwarf/dwarfConstants.js';
import type { Die } from '../../dwarf/die.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { evaluate } from '../../dwarf/expression.js';
import type { Location, ProgramState } from '../../dwarf/location.js';
import { rangesOf } from '../../dwarf/ranges.js';
import type { Module, StackFrame } from '../../dwarf/stackFrame.js';
import { typeName } from '../../dwarf/typeNames.js';
import { strip, type Type } from '../../dwarf/types.js';
import type { Variable } from '../../dwarf/variable.js';
import { resolved } from './dynamicTypes.js';
import { fail } from './expressionError.js';
import { baseType, functionReturning, INT } from './madeTypes.js';
import type { FoundName } from './nameLookup.js';
import { integerValue } from './scalars.js';
import type { Surroundings } from './surroundings.js';
import { COMPUTED, toBytes, Value } from './value.js';

/** Names that gdb gives to types of symbols without debug information. */
const NO_DEBUG_CODE = '<text variable, no debug info>';
const NO_DEBUG_DATA = '<data variable, no debug info>';
const noDebugFunction = { ...functionReturning(baseType('<unknown return type>', 4, ATE.SIGNED), [], false, false), name: NO_DEBUG_CODE };
const noDebugData = baseType(NO_DEBUG_DATA, 4, ATE.SIGNED);

export function foundValue(around: Surroundings, found: FoundName): Value {
  switch (found.kind) {
    case 'variable': return found.frame === undefined ? staticValue(around, found.variable, found.module) : frameValue(around, found.variable, found.frame);
    case 'function': return functionValue(around, found.die, found.module);
    case 'enumerator': return integerValue(around, found.type, found.value);
    case 'symbol': return symbolValue(around, found.symbol, found.declaration);
  }
}

/** A variable or parameter of a frame. */
export function frameValue(around: Surroundings, variable: Variable, frame: StackFrame): Value {
  const types = frame.module?.info?.types;
  const type = types === undefined ? INT : unlessCorrupt(() => resolved(types.of(variable.type), frame), () => INT);
  return locatedValue(around, type, unlessCorrupt(() => frame.locate(variable), corrupt), frame);
}

function corrupt(error: Error): Location {
  return { kind: 'optimisedOut', reason: error.message };
}

export function locatedValue(around: Surroundings, type: Type, location: Location, frame: StackFrame): Value {
  switch (location.kind) {
    case 'memory': return new Value(around, type, location);
    case 'value': return new Value(around, type, COMPUTED, { bytes: toBytes(location.value, strip(type).size) });
    case 'bytes': return new Value(around, type, COMPUTED, { bytes: padded(location.bytes, strip(type).size) });
    default: return new Value(around, type, { kind: 'located', location, frame, offset: 0 });
  }
}

/** A variable that is the same for all of the program, or for a thread. */
export function staticValue(around: Surroundings, variable: Variable, module: Module): Value {
  const type = module.info?.types.of(variable.type) ?? INT;
  const location = copied(around, variable, module) ?? staticLocation(around, variable, module);
  const size = strip(type).size;
  switch (location.kind) {
    case 'memory': return new Value(around, type, location);
    case 'value': return new Value(around, type, COMPUTED, { bytes: toBytes(location.value, size) });
    case 'bytes': return new Value(around, type, COMPUTED, { bytes: padded(location.bytes, size) });
    default: return new Value(around, type, COMPUTED, { bytes: new Uint8Array(size), unknown: new Uint8Array(size).fill(0xff) });
  }
}

function copied(around: Surroundings, variable: Variable, module: Module): Location | undefined {
  const name = variable.linkageName ?? variable.name;
  const address = name === undefined || module === around.modules[0] || variable.die.inherited((die) => (die.flag(AT.EXTERNAL) ? true : undefined)) !== true ? undefined : around.copyOf?.(name);
  return address === undefined ? undefined : { kind: 'memory', address };
}

function staticLocation(around: Surroundings, variable: Variable, module: Module): Location {
  return unlessCorrupt((): Location => {
    const where = variable.whereabouts(0);
    switch (where.kind) {
      case 'expression': return evaluate(where.expression, where.unit, staticState(around, module));
      case 'constant': return { kind: 'value', value: BigInt.asUintN(128, where.value), size: 16 };
      case 'bytes': return where;
      case 'optimisedOut': return { kind: 'optimisedOut', reason: 'the program does not keep it' };
    }
  }, corrupt);
}

/** The program as expressions see it that depend on no frame. */
export function staticState(around: Surroundings, module: Module): ProgramState {
  return {
    bias: module.bias,
    register: () => undefined,
    memory: (address, size) => around.memory(address, size),
    frameBase: () => undefined,
    cfa: () => undefined,
    tlsAddress: (offset) => around.tlsAddress(module, offset),
    entryValue: () => undefined,
  };
}

function functionValue(around: Surroundings, die: Die, module: Module): Value {
  const type = module.info?.types.of(die) ?? INT;
  const low = unlessCorrupt(() => rangesOf(die)[0]?.low, () => undefined);
  if (low === undefined) fail(`"${die.name ?? ''}" has no code of its own: it was inlined.`);
  return new Value(around, type, { kind: 'memory', address: BigInt.asUintN(64, BigInt(low as number) + module.bias) });
}

function symbolValue(around: Surroundings, symbol: Extract<FoundName, { kind: 'symbol' }>['symbol'], declaration: Die | undefined): Value {
  const isCode = symbol.kind === 'code' || symbol.kind === 'indirectFunction';
  const address = symbol.kind === 'threadLocal' ? (around.tlsAddress(symbol.module, symbol.address) ?? 0n) : symbol.address;
  const declared = declaration?.unit.info.types.of(declaration.reference(AT.TYPE));
  return new Value(around, isCode ? noDebugFunction : (declared ?? noDebugData), { kind: 'memory', address });
}

/** Names as `typeName` has them, and what gdb calls types of symbols that it knows nothing else about. */
export function shownTypeName(type: Type, isC: boolean): string {
  if (type.kind === 'pointer' && type.die === undefined && isWithoutDebugInfo(type.to)) return `${type.to.name ?? ''} *`;
  return isWithoutDebugInfo(type) ? (type.name ?? '') : typeName(type, '', { isC });
}

/** Whether all that is known of a value's type is that there is a symbol. */
export function isWithoutDebugInfo(type: Type): boolean {
  return type.die === undefined && (type.name === NO_DEBUG_CODE || type.name === NO_DEBUG_DATA);
}

function padded(bytes: Uint8Array, size: number): Uint8Array {
  const result = new Uint8Array(size);
  result.set(bytes.subarray(0, size));
  return result;
}
