/**
 * What names of a specification are in a program: types, their fields by name (through embedded members, too), the
 * rules for the graph. Without debug information types are unknown, and only numbers of fields can be used.
 */
import type { Item } from '../language/ast.js';
import type { FieldValue, ProgramTypes, ShapeField, ShapeType } from '../model.js';
import type { GraphRules, TypeRules } from './graphRules.js';

export interface Known {
  readonly name: string;
  /** Undefined if the program says nothing about it. */
  readonly shape?: ShapeType;
  readonly embedded: readonly string[];
  /** What the file calls fields, and what the program does. */
  readonly aliases: readonly (readonly [ours: string, program: string])[];
  readonly tags: ReadonlyMap<string, number | bigint>;
  readonly edges?: readonly string[];
}

/** How far a name of a field has come: a field, the beginning of some, or none. */
type FieldSearch =
  | { readonly kind: 'field'; readonly index: number; readonly field?: ShapeField }
  | { readonly kind: 'partial' }
  | { readonly kind: 'none' };

export class ProgramNames {
  private readonly known = new Map<string, Known>();
  private readonly constants = new Map<string, FieldValue>();
  private readonly programNames = new Map<string, string>();
  readonly roots: ReadonlySet<string>;

  constructor(items: readonly Item[], private readonly program: ProgramTypes) {
    this.roots = new Set(items.flatMap((item) => (item.kind === 'root' ? [item.name] : [])));
    for (const item of items) {
      if (item.kind === 'constant') this.constants.set(item.name, item.value);
      if (item.kind === 'type') this.programNames.set(item.type, item.program);
    }
    for (const name of namesOfTypes(items)) this.known.set(name, this.describe(name, items));
  }

  get types(): readonly string[] {
    return [...this.known.keys()];
  }

  type(name: string): Known | undefined {
    return this.known.get(name);
  }

  constant(name: string): FieldValue | undefined {
    return this.constants.get(name) ?? this.program.constant(name);
  }

  get call(): ProgramTypes['call'] {
    return this.program.call?.bind(this.program);
  }

  /** A type of the specification by its name or by that of the program. */
  meant(programName: string | undefined): string | undefined {
    if (programName === undefined) return undefined;
    return this.known.has(programName) ? programName : [...this.programNames].find(([, program]) => program === programName)?.[0];
  }

  /** `key`, `child[2]`, `link.next`, or `next` of the embedded member `link`. */
  field(type: Known, asked: string): FieldSearch {
    const name = translated(type, asked);
    for (const prefix of ['', ...type.embedded.map((member) => `${translated(type, member)}.`)]) {
      const found = fieldOf(type.shape, prefix + name);
      if (found.kind !== 'none') return found;
    }
    return { kind: 'none' };
  }

  /** Where a member begins in a type. */
  offset(type: Known, asked: string): number | undefined {
    const member = translated(type, asked);
    const told = this.program.offsetOf(this.programNames.get(type.name) ?? type.name, member);
    if (told !== undefined) return told;
    const inside = type.shape?.fields.filter(({ name }) => name === member || name.startsWith(`${member}.`) || name.startsWith(`${member}[`)) ?? [];
    return inside.length === 0 ? undefined : Math.min(...inside.map(({ offset }) => offset));
  }

  rules(): GraphRules {
    return { types: new Map([...this.known].map(([name, type]) => [name, this.typeRules(type)])), roots: this.roots };
  }

  private typeRules(type: Known): TypeRules {
    const index = (name: string): number => {
      const found = this.field(type, name);
      return found.kind === 'field' ? found.index : Number(name);
    };
    return {
      doors: [0, ...type.embedded.map((member) => this.offset(type, member) ?? 0).filter((offset) => offset !== 0)],
      ...(type.edges !== undefined && { edges: new Set(type.edges.map(index)) }),
      masks: new Map([...type.tags].map(([name, mask]) => [index(name), mask])),
    };
  }

  private describe(name: string, items: readonly Item[]): Known {
    const shape = this.program.type(this.programNames.get(name) ?? name);
    const structure = items.find((item) => item.kind === 'structure' && item.type === name);
    const edges = structure?.kind === 'structure' && typeof structure.edges === 'object' ? structure.edges : undefined;
    return {
      name,
      ...(shape !== undefined && { shape }),
      embedded: items.flatMap((item) => (item.kind === 'embed' && item.type === name ? item.members : [])),
      aliases: items.flatMap((item) => (item.kind === 'names' && item.type === name ? item.names : [])),
      tags: new Map(items.flatMap((item) => (item.kind === 'tag' && item.type === name ? [[item.member, item.mask] as const] : []))),
      ...(edges !== undefined && { edges }),
    };
  }
}

export function namesOfTypes(items: readonly Item[]): Set<string> {
  const names = new Set<string>();
  for (const item of items) {
    if (item.kind === 'structure' || item.kind === 'array' || item.kind === 'attribute' || item.kind === 'type') names.add(item.type);
    if (item.kind === 'constraint') for (const { type } of item.variables) names.add(type);
    if (item.kind === 'root') names.add(item.name);
  }
  return names;
}

/** `next`, `link.next` and `link` if `link` is an alias, too. */
function translated(type: Known, name: string): string {
  for (const [ours, program] of type.aliases) {
    if (name === ours) return program;
    if (name.startsWith(`${ours}.`) || name.startsWith(`${ours}[`)) return program + name.slice(ours.length);
  }
  return name;
}

function fieldOf(shape: ShapeType | undefined, name: string): FieldSearch {
  if (/^\d+$/.test(name)) return { kind: 'field', index: Number(name), ...fieldAt(shape, Number(name)) };
  const field = shape?.fields.find((candidate) => candidate.name === name);
  if (field !== undefined) return { kind: 'field', index: field.index, field };
  const begins = shape?.fields.some((candidate) => candidate.name.startsWith(`${name}.`) || candidate.name.startsWith(`${name}[`)) ?? false;
  return begins ? { kind: 'partial' } : { kind: 'none' };
}

function fieldAt(shape: ShapeType | undefined, index: number): { field?: ShapeField } {
  const field = shape?.fields[index - 1] ?? shape?.element;
  return field === undefined ? {} : { field };
}
