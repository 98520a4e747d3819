/**
 * Values that parameters had when their function was entered (`x@entry`), where the caller's debug information tells.
 */
import { OP } from '../../dwarf/dwarfConstants.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { StackFrame } from '../../dwarf/stackFrame.js';
import { strip, type Type } from '../../dwarf/types.js';
import type { Variable } from '../../dwarf/variable.js';
import { fail } from './expressionError.js';
import { INT } from './madeTypes.js';
import type { NameLookup } from './nameLookup.js';
import type { Surroundings } from './surroundings.js';
import { COMPUTED, toBytes, Value } from './value.js';

export function entryValue(names: NameLookup, name: string): Value {
  const found = names.findLocal(name);
  if (found?.kind !== 'variable' || found.frame === undefined || !found.variable.isParameter) {
    return fail(`@entry can be used only for function parameters, not for "${name}"`);
  }
  const value = parameterAtEntry(names.around, found.variable, found.frame);
  return value ?? fail('Cannot resolve DW_AT_call_data_value');
}

/** Undefined if the caller does not tell. */
export function parameterAtEntry(around: Surroundings, parameter: Variable, frame: StackFrame): Value | undefined {
  const type = frame.module?.info?.types.of(parameter.type) ?? INT;
  return valueAtEntry(around, type, parameter, frame, (register) => frame.entryValue(register));
}

/** What a parameter referred to when the function was entered. */
export function referredAtEntry(around: Surroundings, type: Type, parameter: Variable, frame: StackFrame): Value | undefined {
  return valueAtEntry(around, type, parameter, frame, (register) => frame.entryData(register));
}

function valueAtEntry(around: Surroundings, type: Type, parameter: Variable, frame: StackFrame, ask: (register: Uint8Array) => bigint | undefined): Value | undefined {
  return unlessCorrupt(() => {
    // Where it was when the function began: that register is what the caller describes.
    const start = frame.scopes.at(-1)?.entry;
    const where = start === undefined ? undefined : parameter.whereabouts(start);
    const register = where?.kind === 'expression' ? registerOf(where.expression) : undefined;
    const bits = register === undefined ? undefined : ask(register);
    return bits === undefined ? undefined : new Value(around, type, COMPUTED, { bytes: toBytes(bits, strip(type).size) });
  }, () => undefined);
}

/** The register that an expression is; undefined if it is something else. */
function registerOf(expression: Uint8Array): Uint8Array | undefined {
  const first = expression[0] ?? 0;
  return first >= OP.REG0 && first < OP.BREG0 && expression.length === 1 ? expression : undefined;
}
