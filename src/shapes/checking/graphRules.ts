/**
 * What a specification says of memory graphs: which pointers are edges, which of their bits are tags, and where in a
 * node pointers to it may point. A type's layout is made once and says all of this by the number of a field.
 */
import type { ShapeField, ShapeType } from '../model.js';

export interface TypeRules {
  /** Where pointers to the node may point, from its start; 0 is always among them. */
  readonly doors: readonly number[];
  /** The fields that are edges; all pointers if undefined. */
  readonly edges?: ReadonlySet<number>;
  /** Bits that are no part of the address, by field. */
  readonly masks: ReadonlyMap<number, number | bigint>;
}

export interface GraphRules {
  readonly types: ReadonlyMap<string, TypeRules>;
  /** Types of variables: their pointers do not count in INDEGREE. */
  readonly roots: ReadonlySet<string>;
}

/** What a field is to the graph. */
export const DATA = 0;
const POINTER = 1;
export const EDGE = 2;

export interface NodeLayout {
  readonly type: ShapeType;
  readonly doors: readonly number[];
  readonly isRoot: boolean;
  readonly masks: ReadonlyMap<number, number | bigint>;
  /** Of a field by its number: DATA, POINTER or EDGE. */
  roleOf(field: number): number;
  fieldOf(field: number): ShapeField | undefined;
}

const NO_DOORS = [0];

export function layoutOf(type: ShapeType, rules: GraphRules): NodeLayout {
  const own = rules.types.get(type.name);
  const masks = own?.masks ?? new Map<number, number | bigint>();
  const role = (field: ShapeField | undefined, index: number): number => {
    if (field === undefined || (field.kind !== 'pointer' && !masks.has(index))) return DATA;
    return own?.edges === undefined || own.edges.has(index) ? EDGE : POINTER;
  };
  const roles = Uint8Array.from([DATA, ...type.fields.map((field) => role(field, field.index))]);
  const { element } = type;
  return {
    type,
    doors: own?.doors ?? NO_DOORS,
    isRoot: rules.roots.has(type.name),
    masks,
    roleOf: (field) => (field < roles.length ? roles[field]! : role(element, field)),
    fieldOf: (field) => type.fields[field - 1] ?? element,
  };
}

/** A pointer without its tag bits; undefined if it can be no address. */
export function withoutTag(value: number | bigint, mask: number | bigint | undefined): number | undefined {
  if (mask === undefined) return typeof value === 'number' ? value : undefined;
  if (typeof value === 'number' && typeof mask === 'number' && value >= 0 && (mask & (mask + 1)) === 0 && mask < 1 << 30) return value - (value % (mask + 1));
  if (typeof value === 'number' && !Number.isInteger(value)) return undefined;
  const bare = Number(BigInt(value) & ~BigInt(mask));
  return Number.isSafeInteger(bare) ? bare : undefined;
}
