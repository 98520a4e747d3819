/**
 * Types for a specification without a program: the fields that its constraints name, and which of them must be
 * pointers. Good enough to make an example; a program's own types say more.
 */
import { isStandardAttribute, type Expression, type Item } from '../language/ast.js';
import { childrenOf } from '../language/walk.js';
import type { ProgramTypes, ShapeField, ShapeType } from '../model.js';

/** What is known of a field: that it is a pointer, and perhaps to what. */
interface Use {
  isPointer: boolean;
  pointee?: string;
}

export function synthesizeProgram(items: readonly Item[]): ProgramTypes & { readonly types: readonly ShapeType[]; readonly numbers: readonly number[] } {
  const uses = new Uses(items);
  const types = uses.types();
  const byName = new Map(types.map((type) => [type.name, type]));
  const programNames = new Map(items.flatMap((item) => (item.kind === 'type' ? [[item.program, item.type] as const] : [])));
  const constants = new Map<string, number>();
  return {
    types,
    numbers: [...new Set(items.flatMap(numbersIn))],
    type: (name) => byName.get(programNames.get(name) ?? name),
    // Constants that are not known are different numbers.
    constant: (name) => {
      if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) return undefined;
      if (!constants.has(name)) constants.set(name, constants.size);
      return constants.get(name);
    },
    offsetOf: (type, path) => byName.get(programNames.get(type) ?? type)?.fields.find(({ name }) => name === path || name.startsWith(`${path}.`))?.offset,
  };
}

/** Numbers that a specification compares with are worth trying. */
function numbersIn(item: Item): number[] {
  const inside = (expression: Expression): number[] => [
    ...(expression.kind === 'number' && typeof expression.value === 'number' ? [expression.value] : []),
    ...childrenOf(expression).flatMap(inside),
  ];
  return item.kind === 'constraint' ? [item.guard, item.body].flatMap((part) => (part === undefined ? [] : inside(part))) : [];
}

class Uses {
  private readonly fields = new Map<string, Map<string, Use>>();
  private readonly attributes: ReadonlySet<string>;
  private variables = new Map<string, string>();

  constructor(private readonly items: readonly Item[]) {
    this.attributes = new Set(items.flatMap((item) => (item.kind === 'attribute' ? [item.name] : [])));
    for (const item of items) this.declare(item);
    // Twice: what a pointer leads to is known best when all fields are.
    for (let round = 0; round < 2; round++) for (const item of items) this.read(item);
  }

  types(): ShapeType[] {
    const aliases = new Map(this.items.flatMap((item) => (item.kind === 'names' ? item.names.map(([ours, program]) => [`${item.type} ${ours}`, program] as const) : [])));
    return [...this.fields].map(([name, uses]) => {
      const named = [...uses].filter(([field]) => ![...uses.keys()].some((other) => other.startsWith(`${field}.`) || other.startsWith(`${field}[`)));
      const fields = named.map(([field, use], i): ShapeField => ({
        index: i + 1, name: aliases.get(`${name} ${field}`) ?? (/^\d+$/.test(field) ? '' : field), offset: 8 * i, bytes: 8,
        kind: use.isPointer ? 'pointer' : 'signed', ...(use.pointee !== undefined && { pointee: use.pointee }),
      }));
      return { name, bytes: 8 * fields.length, fields };
    });
  }

  private of(type: string): Map<string, Use> {
    let fields = this.fields.get(type);
    if (fields === undefined) this.fields.set(type, (fields = new Map()));
    return fields;
  }

  private use(type: string, field: string): Use {
    const fields = this.of(type);
    let use = fields.get(field);
    if (use === undefined) fields.set(field, (use = { isPointer: false }));
    return use;
  }

  private declare(item: Item): void {
    if (item.kind === 'root') this.use(item.name, item.name).isPointer = true;
    if (item.kind === 'constraint') for (const { type } of item.variables) this.of(type);
    if (item.kind === 'structure') {
      for (let i = 1; i <= (item.fields ?? 0); i++) {
        const use = this.use(item.type, String(i));
        if (typeof item.edges === 'number' && i > item.fields! - item.edges) Object.assign(use, { isPointer: true, pointee: item.type });
      }
      if (typeof item.edges === 'object') for (const name of item.edges) Object.assign(this.use(item.type, name), { isPointer: true, pointee: item.type });
    }
    if (item.kind === 'tag') this.use(item.type, item.member).isPointer = true;
  }

  private read(item: Item): void {
    if (item.kind === 'attribute') {
      this.variables = new Map([[item.variable, item.type]]);
      for (const part of [item.guard, item.terminal, item.otherwise]) if (part !== undefined) this.expression(part);
    }
    if (item.kind !== 'constraint') return;
    this.variables = new Map(item.variables.map(({ name, type }) => [name, type]));
    for (const part of [item.range?.from, item.range?.to, item.guard, item.body]) if (part !== undefined) this.expression(part);
  }

  private expression(expression: Expression): void {
    if (expression.kind === 'member') for (const { type, member } of expression.of ?? []) if (member !== undefined) Object.assign(this.use(type, member), { isPointer: true });
    if (expression.kind === 'compare') this.equated(expression.left, expression.right);
    if (expression.kind === 'member' || expression.kind === 'index') this.chain(expression);
    for (const child of childrenOf(expression)) this.expression(child);
  }

  /** What is compared with a node or with NULL is a pointer. */
  private equated(left: Expression, right: Expression): void {
    for (const [side, other] of [[left, right], [right, left]] as const) {
      const use = side.kind === 'member' || side.kind === 'index' ? this.chain(side)?.use : undefined;
      if (use === undefined) continue;
      const pointee = other.kind === 'name' ? this.variables.get(other.name) : undefined;
      if (pointee !== undefined) Object.assign(use, { isPointer: true, pointee });
      else if (other.kind === 'null' || other.kind === 'address') use.isPointer = true;
    }
  }

  /** The type and the field that a chain like `X.link.next->key` ends at. */
  private chain(expression: Expression): { type: string; path: string; use?: Use } | undefined {
    if (expression.kind === 'name') {
      const type = this.variables.get(expression.name);
      return type === undefined ? undefined : { type, path: '' };
    }
    if (expression.kind !== 'member' && expression.kind !== 'index') return undefined;
    const base = this.chain(expression.base);
    if (base === undefined) return undefined;
    if (expression.kind === 'index') return this.indexed(base, expression.index);
    const isAttribute = isStandardAttribute(expression.name) || this.attributes.has(expression.name);
    const leads = base.path !== '' && (expression.arrow === true || isAttribute);
    const type = leads ? this.lead(base, expression.name) : base.type;
    if (isAttribute) return undefined;
    const path = leads || base.path === '' ? expression.name : `${base.path}.${expression.name}`;
    if (!leads && base.path !== '') this.of(type).delete(base.path);
    return this.ended(type, path);
  }

  private indexed(base: { type: string; path: string }, index: Expression): { type: string; path: string; use?: Use } {
    if (base.path === '') return this.ended(base.type, index.kind === 'number' ? String(index.value) : '1');
    const isField = /^\d+$/.test(base.path);
    if (isField) return this.ended(this.lead(base, ''), index.kind === 'number' ? String(index.value) : '1');
    this.of(base.type).delete(base.path);
    for (let i = 0; index.kind !== 'number' && i < 3; i++) this.use(base.type, `${base.path}[${i}]`);
    return this.ended(base.type, `${base.path}[${index.kind === 'number' ? index.value : 0}]`);
  }

  private ended(type: string, path: string): { type: string; path: string; use: Use } {
    return { type, path, use: this.use(type, path) };
  }

  /** A field is followed to something that has a field of a name: it is a pointer to that. */
  private lead({ type, path }: { type: string; path: string }, name: string): string {
    const use = this.use(type, path);
    use.isPointer = true;
    const own = this.of(type);
    const has = (fields: Map<string, Use>) => [...fields.keys()].some((field) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`));
    const other = has(own) ? undefined : [...this.fields].find(([, fields]) => has(fields))?.[0];
    use.pointee ??= other ?? type;
    if (/\[\d+\]$/.test(path)) for (const [field, sibling] of own) if (field.startsWith(path.replace(/\d+\]$/, ''))) Object.assign(sibling, { isPointer: true, pointee: use.pointee });
    return use.pointee;
  }
}
