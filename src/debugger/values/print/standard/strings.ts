/** Strings and views of them. */
import { strip } from '../../../../dwarf/types.js';
import { toInteger } from '../../scalars.js';
import type { Value } from '../../value.js';
import { characterPrefix, stringText } from '../characters.js';
import { type Kind, type Looked, member, type Shape } from './shape.js';

const LARGEST = 1 << 24;

export const string: Kind = (looked) => text(looked, member(looked, looked.value, '_M_dataplus', '_M_p'), member(looked, looked.value, '_M_string_length'));

export const stringView: Kind = (looked) => text(looked, member(looked, looked.value, '_M_str'), member(looked, looked.value, '_M_len'));

function text({ value, settings }: Looked, pointer: Value, length: Value): Shape | undefined {
  if (pointer.plain.kind !== 'pointer') return undefined;
  const count = toInteger(length);
  const size = strip(pointer.plain.to).size;
  const shown = Number(count < BigInt(settings.elements) ? count : settings.elements);
  if (count < 0n || count > BigInt(LARGEST) || size === 0) return undefined;
  const bytes = shown === 0 ? new Uint8Array(0) : value.around.memory(toInteger(pointer), shown * size);
  if (bytes === undefined) return undefined;
  const units = Array.from({ length: shown }, (_, i) => bytes.subarray(i * size, i * size + size).reduceRight((sum, byte) => sum * 256 + byte, 0));
  return { kind: 'text', text: stringText(units, size, characterPrefix(pointer.plain.to) ?? '', settings, count > BigInt(shown)) };
}
