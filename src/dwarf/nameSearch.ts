/**
 * Which units may have an entry of some name: those that mention its string. Looking for bytes is a hundred times
 * faster than reading entries, so the first question about a large program need not wait until all of it is indexed. It
 * works only where entries have their names in their own units: not with link-time optimisation, dwz, type units or
 * split files.
 */
import { SPEC } from './abbreviations.js';
import type { DebugInfo } from './debugInfo.js';
import { AT, FORM, TAG } from './dwarfConstants.js';
import type { Unit } from './unit.js';

const LESS = 0x3c;
/** A name that ends more strings than this is not worth looking for. */
const MOST_STRINGS = 12;
/** The third is what units themselves have. */
const NAME_FORMS: ReadonlySet<number> = new Set([FORM.STRING, FORM.STRP, FORM.LINE_STRP]);
const LOCAL_FORMS: ReadonlySet<number> = new Set([FORM.REF1, FORM.REF2, FORM.REF4, FORM.REF8, FORM.REF_UDATA]);

export class NameSearch {
  private readonly strings: Uint8Array;

  private constructor(
    private readonly info: DebugInfo,
    private readonly entries: Uint8Array,
  ) {
    this.strings = info.reader('.debug_str')?.bytes ?? new Uint8Array(0);
  }

  /** Undefined if units depend on each other. */
  static of(info: DebugInfo): NameSearch | undefined {
    const entries = info.reader('.debug_info')?.bytes;
    if (entries === undefined || info.reader('.debug_types') !== undefined) return undefined;
    const tables = new Set<Unit['abbreviations']>();
    for (const unit of info.units) {
      if (unit.isTypeUnit || unit.offsetSize !== 4) return undefined;
      const { abbreviations } = unit;
      if (tables.has(abbreviations)) continue;
      if (!isSelfContained(abbreviations)) return undefined;
      tables.add(abbreviations);
    }
    return new NameSearch(info, entries);
  }

  /** In the order of the file. `name` is without scopes. Undefined if it is in too many strings. */
  unitsNaming(name: string): Unit[] | undefined {
    const text = new TextEncoder().encode(name.replace(/<.*/s, ''));
    if (text.length === 0) return undefined;
    const units = new Set<Unit>();
    const places = namePlaces(this.strings, text, MOST_STRINGS);
    if (places === undefined) return undefined;
    for (const place of places) this.addUnits(units, offsetBytes(place), () => true);
    this.addUnits(units, text, (at) => isEnd(this.entries[at + text.length]));
    return [...units].sort((a, b) => a.offset - b.offset);
  }

  private addUnits(units: Set<Unit>, pattern: Uint8Array, isMeant: (at: number) => boolean): void {
    for (let at = indexOf(this.entries, pattern, 0); at >= 0; ) {
      const unit = isMeant(at) ? this.info.unitAt(at) : undefined;
      if (unit !== undefined) units.add(unit);
      at = indexOf(this.entries, pattern, unit === undefined ? at + 1 : unit.end);
    }
  }
}

/** Names are strings, and what entries complete is in the same unit. */
function isSelfContained({ specs, tags }: Unit['abbreviations']): boolean {
  if (tags.some((tag) => tag === TAG.IMPORTED_UNIT || tag === TAG.PARTIAL_UNIT || tag === TAG.SKELETON_UNIT)) return false;
  for (let i = 0; i < specs.length; i += SPEC) {
    const [attribute, form] = [specs[i] as number, specs[i + 1] as number];
    if (attribute === AT.DWO_NAME || attribute === AT.GNU_DWO_NAME) return false;
    if (attribute === AT.NAME && !NAME_FORMS.has(form)) return false;
    if ((attribute === AT.SPECIFICATION || attribute === AT.ABSTRACT_ORIGIN) && !LOCAL_FORMS.has(form)) return false;
  }
  return true;
}

/** Where the text is at the end of a string, or before template arguments: linkers let strings share their ends. */
function namePlaces(strings: Uint8Array, text: Uint8Array, most: number): number[] | undefined {
  const places: number[] = [];
  for (let at = indexOf(strings, text, 0); at >= 0; at = indexOf(strings, text, at + 1)) {
    if (!isEnd(strings[at + text.length])) continue;
    places.push(at);
    if (places.length > most) return undefined;
  }
  return places;
}

function isEnd(byte: number | undefined): boolean {
  return byte === undefined || byte === 0 || byte === LESS;
}

function offsetBytes(offset: number): Uint8Array {
  return new Uint8Array([offset & 0xff, (offset >>> 8) & 0xff, (offset >>> 16) & 0xff, offset >>> 24]);
}

/**
 * Where a pattern is, from `start` on; -1 if nowhere. One of its bytes is looked for natively; zeros are everywhere, so
 * another one.
 */
function indexOf(bytes: Uint8Array, pattern: Uint8Array, start: number): number {
  const key = Math.max(0, pattern.findIndex((byte) => byte !== 0));
  const wanted = pattern[key] as number;
  for (let at = bytes.indexOf(wanted, start + key); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
    let i = 0;
    while (i < pattern.length && bytes[at - key + i] === pattern[i]) i++;
    if (i === pattern.length) return at - key;
  }
  return -1;
}
