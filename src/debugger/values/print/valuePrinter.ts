/**
 * Values as gdb's `print` writes them: `{x = 1, next = 0x55e0 <head>, name = "ab", '\000' <repeats 13 times>}`. What
 * cannot be read or is not known any more is said in its place; the rest is still shown.
 */
import { strip, type ArrayType, type PlainType, type PointerType, type Type } from '../../../dwarf/types.js';
import { fail, unlessFailed } from '../expressionError.js';
import type { NameLookup } from '../nameLookup.js';
import { referred, syntheticPointer } from '../references.js';
import { toInteger } from '../scalars.js';
import { fromBytes, type Value } from '../value.js';
import { shownTypeName } from '../variableValue.js';
import { addressText, functionAddressText, hex } from './addresses.js';
import { characterPrefix, stringText } from './characters.js';
import { memberPointerText } from './memberPointers.js';
import { dynamicType } from './dynamicClass.js';
import { formattedText, scalarText } from './scalars.js';
import type { PrintSettings } from './settings.js';
import { hasSome, partsText } from './partsText.js';
import { standardShape } from './standardLibrary.js';
import { stringAt } from './stringAt.js';
import { StructPrinter } from './structPrinter.js';

export class ValuePrinter {
  private readonly structs: StructPrinter;

  constructor(
    readonly names: NameLookup,
    readonly settings: PrintSettings,
  ) {
    this.structs = new StructPrinter(this);
  }

  /** As `print` shows it: pointers and references with their types. */
  top(value: Value): string {
    const { format } = this.settings;
    if (value.plain.kind === 'struct' && this.settings.object) {
      const real = dynamicType(this.names, value);
      if (real !== undefined && real.type !== value.type) return `(${this.typeName(real.type)}) ${this.nested(real, 0)}`;
    }
    if (format !== undefined && format !== 's' && !isAggregate(value.type) && value.plain.kind !== 'reference') return this.nested(value, 0);
    return `${this.typePrefix(value)}${this.nested(value, 0, true)}`;
  }

  typeName(type: Type): string {
    return shownTypeName(type, !this.names.isCPlusPlus);
  }

  /** `(int *) `: of pointers and references, but not of strings. */
  private typePrefix(value: Value): string {
    const { plain } = value;
    if (plain.kind !== 'pointer' && plain.kind !== 'reference') return '';
    if (value.isOptimisedOut && syntheticPointer(value) === undefined) return '';
    if (syntheticPointer(value) !== undefined) return plain.kind === 'pointer' && isPlainString(value.type, plain) ? '' : `(${this.typeName(value.type)}) `;
    if (plain.kind === 'pointer' && isPlainString(value.type, plain)) return '';
    if (plain.kind === 'reference' && unlessFailed(() => this.standard(referred(value), 0), () => undefined) !== undefined) return '';
    const real = this.settings.object ? unlessFailed(() => dynamicType(this.names, value), () => undefined) : undefined;
    return `(${this.typeName(real?.type ?? value.type)}) `;
  }

  /** As part of another value, so many levels deep. */
  nested(value: Value, depth: number, followReference = false): string {
    const { plain } = value;
    if (value.isOptimisedOut) return syntheticPointer(value) === undefined ? '<optimized out>' : '<synthetic pointer>';
    if (depth >= this.settings.maxDepth && isAggregate(value.type) && !this.isText(plain)) return '{...}';
    switch (plain.kind) {
      case 'array': return this.array(value, plain, depth);
      case 'struct': return this.struct(value, depth);
      case 'reference': return this.reference(value, depth, followReference);
      case 'function': return this.function(value);
      case 'pointer': return this.pointer(value, plain);
      case 'memberPointer': {
        const text = memberPointerText(value, plain);
        return strip(plain.to).kind === 'function' && !text.startsWith('&') && text !== 'NULL' ? `(${this.typeName(plain)}) ${text}` : text;
      }
      case 'void': return 'void';
      case 'unspecified': return '0';
      default: return this.scalar(value);
    }
  }

  /** Unnamed members do not count as a level. */
  private deeper(): ValuePrinter {
    return new ValuePrinter(this.names, { ...this.settings, maxDepth: this.settings.maxDepth + 1 });
  }

  private isText(type: PlainType): boolean {
    return type.kind === 'array' && characterPrefix(type.element, this.settings.format === 's') !== undefined;
  }

  /** A part, or why it cannot be shown. */
  part(value: () => Value, depth: number, isAnonymous = false): string {
    return unlessFailed(() => (isAnonymous ? this.deeper().nested(value(), depth) : this.nested(value(), depth)), (error) => `<error: ${error.message}>`);
  }

  private scalar(value: Value): string {
    const { format } = this.settings;
    return format === undefined || format === 's' ? scalarText(value) : formattedText(value, format, this.settings);
  }

  private function(value: Value): string {
    const address = value.address ?? 0n;
    if (this.settings.format !== undefined && this.settings.format !== 's') return fail("Value can't be converted to integer.");
    return `{${this.typeName(value.type)}} ${functionAddressText(value.around, address, this.settings)}`;
  }

  private reference(value: Value, depth: number, follow: boolean): string {
    const known = unlessFailed(() => this.standard(referred(value), depth), () => undefined);
    if (known !== undefined) return known;
    const synthetic = syntheticPointer(value) !== undefined;
    const place = synthetic ? '' : this.settings.address ? `@${hex(toInteger(value))}` : '';
    if (!follow) return place === '' ? '@<unknown>' : place;
    const target = unlessFailed(() => this.nested(this.settings.object ? (dynamicType(this.names, referred(value)) ?? referred(value)) : referred(value), depth, false), (error) => `<error: ${error.message}>`);
    return place === '' ? target : `${place}: ${target}`;
  }

  private pointer(value: Value, type: PointerType): string {
    const { settings } = this;
    if (settings.format !== undefined && settings.format !== 's') return formattedText(value, settings.format, settings);
    const real = this.settings.object ? unlessFailed(() => dynamicType(this.names, value), () => undefined) : undefined;
    const address = toInteger(real ?? value);
    const target = strip(type.to);
    if (target.kind === 'function') return functionAddressText(value.around, address, settings);
    const place = addressText(value.around, address, settings);
    const prefix = characterPrefix(type.to, settings.format === 's');
    if (prefix === undefined || address === 0n) return place;
    const text = stringAt(value.around, address, target.size, prefix, settings);
    return place === '' ? text : `${place} ${text}`;
  }

  private struct(value: Value, depth: number): string {
    const { plain } = value;
    if (plain.kind !== 'struct') return '';
    if (plain.isIncomplete) return '<incomplete type>';
    const known = this.standard(value, depth);
    if (known !== undefined) return known;
    if (depth > 0 && plain.keyword === 'union' && !this.settings.union) return '{...}';
    return this.structs.text(value, plain, depth);
  }

  /** As the standard library's own printers show it; undefined if it is not of there. */
  private standard(value: Value, depth: number): string | undefined {
    const shape = standardShape(this.names, value, this.settings);
    switch (shape?.kind) {
      case undefined: return undefined;
      case 'text': return shape.text;
      case 'value': return this.nested(shape.value, depth);
      case 'around': return `${shape.before}${this.nested(shape.value, depth)}${shape.after}`;
      case 'parts': return partsText(this, shape, depth);
    }
  }

  /** In a frame's line: without its parts. Undefined if it is not of the standard library. */
  summary(value: Value): string | undefined {
    const shape = unlessFailed(() => standardShape(this.names, referred(value), this.settings), () => undefined);
    if (shape?.kind === 'parts') return unlessFailed(() => hasSome(shape.parts()), () => true) ? `${shape.head}${shape.head === '' ? '' : ' = '}{...}` : shape.head;
    if (shape === undefined || (shape.kind === 'value' && isAggregate(shape.value.type))) return undefined;
    return this.standard(referred(value), 0);
  }

  private array(value: Value, type: ArrayType, depth: number): string {
    const { settings } = this;
    const element = strip(type.element);
    if (type.count === undefined || type.count === 0 || element.size === 0) return this.openArray(value, type);
    const prefix = characterPrefix(type.element, settings.format === 's');
    const isText = prefix !== undefined && (settings.format === undefined || settings.format === 's') && !type.isVector;
    if (isText && value.contents.unknown === undefined) return this.text(value, element.size, prefix);
    return this.elements(value, type, element.size, depth);
  }

  /** An array of unknown length is like a pointer to it. */
  private openArray(value: Value, type: ArrayType): string {
    const address = value.address;
    if (address === undefined) return '{}';
    const prefix = characterPrefix(type.element, this.settings.format === 's');
    const place = hex(address);
    if (prefix === undefined || strip(type.element).size === 0) return place;
    return `${place} ${stringAt(value.around, address, strip(type.element).size, prefix, this.settings)}`;
  }

  private text(value: Value, size: number, prefix: '' | 'L' | 'u' | 'U'): string {
    const { settings } = this;
    const units = unitsOf(value.bytes, size);
    if (settings.nullStop) {
      const end = units.indexOf(0);
      const cut = end < 0 ? units : units.slice(0, end);
      return stringText(cut.slice(0, settings.elements), size, prefix, settings, cut.length > settings.elements);
    }
    // The NUL at the end is not shown, unless what is shown ends before.
    const isTerminated = units.length > 0 && units.at(-1) === 0 && units.length <= settings.elements;
    return stringText(isTerminated ? units.slice(0, -1) : this.enough(units), size, prefix, settings, false);
  }

  /** All of it: where to stop is decided when runs have been counted. If the end is NUL and far away, it stays. */
  private enough(units: readonly number[]): readonly number[] {
    return units.at(-1) === 0 ? units.slice(0, -1) : units;
  }

  private elements(value: Value, type: ArrayType, size: number, depth: number, repeats = this.settings.repeats): string {
    const { settings } = this;
    const count = type.count ?? 0;
    const indent = settings.array ? `\n${' '.repeat(2 + 2 * depth)}` : '';
    let text = '';
    let [i, shown] = [0, 0];
    while (i < count && shown < settings.elements) {
      const at = i;
      const element = value.component(type.element, i * size);
      let next = i + 1;
      if (repeats !== Infinity) while (next < count && sameElement(value, i * size, next * size, size)) next++;
      const index = settings.arrayIndexes ? `[${at + type.dimension.lower}] = ` : '';
      text += `${i === 0 ? '' : settings.array ? ',' : ', '}${indent}${index}${this.part(() => element, depth + 1)}`;
      const same = next - i;
      if (same > repeats) {
        text += ` <repeats ${same} times>`;
        i = next;
        shown += repeats;
      } else {
        i++;
        shown++;
      }
    }
    return `{${text}${i < count ? '...' : ''}${settings.array ? `\n${' '.repeat(2 * depth)}` : ''}}`;
  }
}

function sameElement(array: Value, a: number, b: number, size: number): boolean {
  const { bytes, unknown } = array.contents;
  for (let i = 0; i < size; i++) if (bytes[a + i] !== bytes[b + i] || (unknown?.[a + i] ?? 0) !== (unknown?.[b + i] ?? 0)) return false;
  return true;
}

export function unitsOf(bytes: Uint8Array, size: number): number[] {
  const units: number[] = [];
  for (let i = 0; i + size <= bytes.length; i += size) units.push(size === 1 ? (bytes[i] as number) : Number(fromBytes(bytes.subarray(i, i + size))));
  return units;
}

/** `char *`, plain or qualified, but not under another name. */
function isPlainString(type: Type, pointer: PointerType): boolean {
  if (type.kind === 'typedef') return false;
  let target = pointer.to;
  for (let i = 0; i < 4 && target.kind === 'qualified'; i++) target = target.of;
  return /^(char|wchar_t|char16_t|char32_t)$/.test(target.name ?? '');
}

function isAggregate(type: Type): boolean {
  const { kind } = strip(type);
  return kind === 'struct' || kind === 'array';
}
