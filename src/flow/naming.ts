/**
 * What people call a place: the variable, field or element of the visible frame whose storage it is, or that a variable
 * points to. What the source line itself says comes first (`attrs->php`), because that is what its author had in mind.
 */
import { strip } from '../dwarf/types.js';
import { childrenOf } from '../debugger/values/tree/children.js';
import { unlessFailed } from '../debugger/values/expressionError.js';
import type { Expressions } from '../debugger/values/expressions.js';
import { argumentsOf, localsOf, type NamedValue } from '../debugger/values/frameVariables.js';
import { placesOf } from '../debugger/values/places.js';
import { referred, valueAt } from '../debugger/values/references.js';
import { toInteger } from '../debugger/values/scalars.js';
import { fromBytes, type Value } from '../debugger/values/value.js';
import { type Place, slotAt } from './copies/place.js';

export interface NamedPlace {
  /** An expression that means it in the frame. */
  readonly name: string;
  /** For its type. */
  readonly value: Value;
}

/** Words of a line that are expressions without effect: names, fields, elements. */
const LVALUES = /(?<![\w.>"'])\*?\s*[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*|\[[\w\s+\-*.>]*\])*/g;
const KEYWORDS = /^\*?\s*(if|else|while|for|do|return|switch|case|break|continue|sizeof|struct|union|enum|const|static|void|int|char|long|short|unsigned|signed|float|double|auto|new|delete|this|nullptr|NULL)$/;
const EFFECTS = /\+\+|--|=/;
/** Pointers that are looked behind. */
const MOST_POINTERS = 200;
/** Of what one of them leads to. */
const MOST_MEMBERS = 32;
const DEEPEST = 2;
/** Storage is named as it is, also that of the C++ library. */
const RAW = { raw: true };
/** Bytes after a pointer that may be of the array that it points to. */
const LONGEST_ARRAY = 1 << 20;

export class Naming {
  private listed: readonly NamedValue[] | undefined;

  constructor(
    private readonly expressions: Expressions,
    /** The text of the line. */
    private readonly line: string,
    /** Places are single bytes of what is to be named. */
    private readonly byBytes = false,
  ) {}

  /** `value`: what is there; of registers, debug information is not always right about them. */
  nameOf(place: Place, value: bigint): NamedPlace | undefined {
    if (place.kind === 'register') return this.inRegister(place, value);
    const found = this.inLine(place) ?? this.inVariables(place) ?? this.inGlobal(place) ?? this.behindPointers(place);
    return found === undefined ? undefined : { ...found, name: plainly(found.name) };
  }

  private get variables(): readonly NamedValue[] {
    this.listed ??= [...localsOf(this.expressions), ...argumentsOf(this.expressions)].filter(({ isHidden }) => !isHidden);
    return this.listed;
  }

  private inRegister({ offset, size }: { readonly offset: number; readonly size: number }, expected: bigint): NamedPlace | undefined {
    const register = slotAt(offset)?.name;
    return this.variables.find(({ value }) => unlessFailed(() => {
      if (register === undefined || !placesOf(value).registers.includes(register) || value.size > size) return false;
      return fromBytes(value.bytes) === BigInt.asUintN(value.size * 8, expected);
    }, () => false));
  }

  private inLine(place: Place & { kind: 'memory' }): NamedPlace | undefined {
    let nearest: { readonly distance: number; readonly found: NamedPlace } | undefined;
    for (const name of lvaluesIn(this.line)) {
      const value = unlessFailed(() => this.expressions.evaluate(name), () => undefined);
      if (value === undefined) continue;
      const own = this.within(value, name, place);
      if (own !== undefined) return own;
      const element = this.element(value, name, place);
      if (element !== undefined && element.distance < (nearest?.distance ?? Infinity)) nearest = element;
    }
    return nearest?.found;
  }

  /** What the line has a pointer to may be an array. */
  private element(value: Value, name: string, place: Place & { kind: 'memory' }): { readonly distance: number; readonly found: NamedPlace } | undefined {
    return unlessFailed(() => {
      const pointer = referred(value);
      const { plain } = pointer;
      if (plain.kind !== 'pointer' || pointer.isOptimisedOut || strip(plain.to).kind === 'void' || strip(plain.to).kind === 'function') return undefined;
      const { size, kind } = strip(plain.to);
      const start = toInteger(pointer);
      // What a pointer is moved on from was stored to a moment ago.
      const behind = new RegExp(`(?<!\\w)${name.replace(/[^\w]/g, '\\$&')}\\s*\\+\\+`).test(this.line) ? size : 0;
      const distance = place.address - Number(start);
      if (size === 0 || distance < -behind || distance >= LONGEST_ARRAY || !this.isSameObject(start, place)) return undefined;
      const index = Math.floor(distance / size);
      const element = index !== 0 ? `${name}[${index}]` : kind === 'struct' ? `(*${name})` : `*${name}`;
      const found = this.within(valueAt(pointer, plain.to, start + BigInt(index * size)), element, place);
      return found === undefined || (found.value.size !== place.size && !this.byBytes) ? undefined : { distance, found };
    }, () => undefined);
  }

  /** What lies in two variables of the program is no element of one array. */
  private isSameObject(start: bigint, { address }: Place & { kind: 'memory' }): boolean {
    const { around } = this.expressions;
    return around.symbolAt(start)?.symbol.address === around.symbolAt(BigInt(address))?.symbol.address;
  }

  private inVariables(place: Place & { kind: 'memory' }): NamedPlace | undefined {
    return first(this.variables, ({ name, value }) => this.within(value, name, place));
  }

  private inGlobal(place: Place & { kind: 'memory' }): NamedPlace | undefined {
    const symbol = this.expressions.around.symbolAt(BigInt(place.address))?.symbol;
    if (symbol === undefined || symbol.kind === 'code') return undefined;
    const value = unlessFailed(() => this.expressions.evaluate(symbol.name), () => undefined);
    return value === undefined ? undefined : this.within(value, symbol.name, place);
  }

  /** What variables point to, and what that points to. */
  private behindPointers(place: Place & { kind: 'memory' }): NamedPlace | undefined {
    let level = this.variables.map(({ name, value }): NamedPlace => ({ name, value }));
    let left = MOST_POINTERS;
    for (let depth = 0; depth < DEEPEST; depth++) {
      const next: NamedPlace[] = [];
      for (const { name, value } of level) {
        if (left-- <= 0) return undefined;
        for (const child of this.pointedBy(value, name)) {
          const found = this.within(child.value, child.name, place);
          if (found !== undefined) return found;
          next.push(child);
        }
      }
      level = next;
    }
    return undefined;
  }

  /** Members that a pointer leads to, or its target. */
  private pointedBy(value: Value, name: string): NamedPlace[] {
    return unlessFailed(() => {
      const { plain } = value;
      if (plain.kind !== 'pointer' || value.isOptimisedOut || toInteger(value) === 0n) return [];
      if (strip(plain.to).kind === 'void' || strip(plain.to).kind === 'function') return [];
      const children = childrenOf(this.expressions, value, name, RAW)?.list(0, MOST_MEMBERS) ?? [];
      return children.flatMap(({ expression, value: own }) => unlessFailed(() => (expression === undefined ? [] : [{ name: expression, value: own() }]), () => []));
    }, () => []);
  }

  /** The part of a value that is the place. */
  private within(value: Value, name: string, place: Place & { kind: 'memory' }): NamedPlace | undefined {
    return unlessFailed(() => this.part(value, name, place), () => undefined);
  }

  private part(value: Value, name: string, place: Place & { kind: 'memory' }): NamedPlace | undefined {
    if (value.plain.kind === 'reference' && Number(value.address ?? -1n) !== place.address) return this.part(referred(value), name, place);
    const start = value.address === undefined ? undefined : Number(value.address);
    if (start === undefined || place.address < start || place.address + place.size > start + Math.max(value.size, place.size) || place.address >= start + value.size) return undefined;
    const { plain } = value;
    if (plain.kind !== 'struct' && plain.kind !== 'array') return { name, value };
    const children = childrenOf(this.expressions, value, name, RAW);
    const elementSize = plain.kind === 'array' ? Math.max(1, strip(plain.element).size) : 0;
    const candidates = (plain.kind === 'array' ? children?.list(Math.floor((place.address - start) / elementSize), 1) : children?.list()) ?? [];
    return first(candidates, ({ expression, value: own }) => (expression === undefined ? undefined : this.within(own(), expression, place))) ?? { name, value };
  }
}

/** Also the pointers that the line goes through with a star. */
function lvaluesIn(line: string): string[] {
  const words = [...line.replace(/"(\\.|[^"\\])*"/g, '""').matchAll(LVALUES)].map(([text]) => text.trim()).filter((name) => !KEYWORDS.test(name) && !EFFECTS.test(name));
  return words.flatMap((name) => (name.startsWith('*') ? [name, name.slice(1).trim()] : [name]));
}

/** `p->x[2]` for `((*p).x)[2]`. */
function plainly(name: string): string {
  const shorter = name.replace(/\(\*([A-Za-z_][\w>.[\]-]*)\)\./g, '$1->').replace(/(?<!\w)\(([A-Za-z_][\w>.[\]-]*)\)(?=\[|\.|->)/g, '$1');
  return shorter === name ? name : plainly(shorter);
}

function first<T, R>(list: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of list) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
