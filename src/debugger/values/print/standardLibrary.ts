/** Strings and vectors of libstdc++ as its printers for gdb show them. Anything unexpected is shown as the structure that it is. */
import { strip, type Type } from '../../../dwarf/types.js';
import { unlessFailed } from '../expressionError.js';
import { arrayOf } from '../madeTypes.js';
import { findMember } from '../members.js';
import type { NameLookup } from '../nameLookup.js';
import { toInteger } from '../scalars.js';
import { Value } from '../value.js';
import { characterPrefix, stringText } from './characters.js';
import type { PrintSettings } from './settings.js';

const LARGEST = 1 << 24;

/** The text of an object of the standard library; undefined if it is none. `elements` writes an array. */
export function standardText(names: NameLookup, value: Value, settings: PrintSettings, elements: (array: Value) => string): string | undefined {
  const name = value.plain.kind === 'struct' ? (value.plain.qualifiedName ?? '') : '';
  if (/^std::(__cxx11::)?basic_string</.test(name)) return unlessFailed(() => text(names, value, settings), () => undefined);
  if (name.startsWith('std::vector<') && !name.startsWith('std::vector<bool')) return unlessFailed(() => vector(names, value, elements), () => undefined);
  return undefined;
}

function text(names: NameLookup, value: Value, settings: PrintSettings): string | undefined {
  const pointer = path(names, value, ['_M_dataplus', '_M_p']);
  const length = path(names, value, ['_M_string_length']);
  if (pointer?.plain.kind !== 'pointer' || length === undefined) return undefined;
  const count = toInteger(length);
  const size = strip(pointer.plain.to).size;
  const shown = Number(count < BigInt(settings.elements) ? count : settings.elements);
  if (count < 0n || count > BigInt(LARGEST) || size === 0) return undefined;
  const bytes = shown === 0 ? new Uint8Array(0) : value.around.memory(toInteger(pointer), shown * size);
  if (bytes === undefined) return undefined;
  const units = Array.from({ length: shown }, (_, i) => bytes.subarray(i * size, i * size + size).reduceRight((sum, byte) => sum * 256 + byte, 0));
  return stringText(units, size, characterPrefix(pointer.plain.to) ?? '', settings, count > BigInt(shown));
}

function vector(names: NameLookup, value: Value, elements: (array: Value) => string): string | undefined {
  const [start, finish, end] = ['_M_start', '_M_finish', '_M_end_of_storage'].map((name) => path(names, value, ['_M_impl', name]));
  if (start?.plain.kind !== 'pointer' || finish === undefined || end === undefined) return undefined;
  const element: Type = start.plain.to;
  const size = BigInt(strip(element).size);
  const count = size === 0n ? -1n : (toInteger(finish) - toInteger(start)) / size;
  if (count < 0n || count * size > BigInt(LARGEST)) return undefined;
  const head = `std::vector of length ${count}, capacity ${(toInteger(end) - toInteger(start)) / size}`;
  if (count === 0n) return head;
  return `${head} = ${elements(new Value(value.around, arrayOf(element, Number(count)), { kind: 'memory', address: toInteger(start) }))}`;
}

function path(names: NameLookup, value: Value, members: readonly string[]): Value | undefined {
  return members.reduce<Value | undefined>((object, name) => (object === undefined ? undefined : findMember(names, object, name)), value);
}
