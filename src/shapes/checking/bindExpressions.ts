/**
 * Expressions of a specification made into nodes, values and conditions. A chain like `X.left->pos[2].x` is followed
 * step by step: a name goes on until it is a field; a step after a pointer goes to what the pointer leads to.
 */
import { assertNever } from '../../base/assert.js';
import { nearest, RuleSyntaxError } from '../../rules/language/problems.js';
import { isStandardAttribute, type Expression, type MemberName, type ShapePlace } from '../language/ast.js';
import { isCondition } from '../language/walk.js';
import type { ShapeField } from '../model.js';
import type { Known, ProgramNames } from './programNames.js';
import type { BoundVariable, EdgeFilter, FieldChoice, Formula, Term, Vertex } from './terms.js';

type Resolved =
  | { readonly kind: 'node'; readonly vertex: Vertex; readonly type?: Known }
  /** The beginning of a name: `pos` of `pos.x`; with an index that is computed, `child[*]`. */
  | { readonly kind: 'partial'; readonly vertex: Vertex; readonly type?: Known; readonly name: string; readonly index?: Term }
  | { readonly kind: 'field'; readonly vertex: Vertex; readonly choice: FieldChoice; readonly field?: ShapeField; readonly from?: Known; readonly tagged: boolean }
  | { readonly kind: 'term'; readonly term: Term };

export interface AttributeName {
  readonly type: string;
  readonly name: string;
  readonly index: number;
}

export class ExpressionBinder {
  constructor(
    private readonly names: ProgramNames,
    private readonly attributes: readonly AttributeName[],
    private readonly variables: readonly BoundVariable[],
    private readonly rangeVariable?: string,
  ) {}

  formula(expression: Expression): Formula {
    switch (expression.kind) {
      case 'boolean':
        return { kind: 'constant', value: expression.value };
      case 'and':
      case 'or':
        return { kind: expression.kind, left: this.formula(expression.left), right: this.formula(expression.right) };
      case 'not':
        return { kind: 'not', of: this.formula(expression.of) };
      case 'compare':
        return this.comparison(expression);
      case 'connect':
        return {
          kind: expression.path ? 'path' : 'edge', from: this.vertex(expression.from), to: this.vertex(expression.to), negated: expression.negated,
          ...(expression.through !== undefined && { through: this.throughNames(expression.through, expression.place) }),
        };
      case 'member':
        return this.nodeTest(expression);
      default:
        return fail(expression.place, 'found a value, expected a condition');
    }
  }

  term(expression: Expression): Term {
    switch (expression.kind) {
      case 'number':
        return { kind: 'value', value: expression.value };
      case 'text':
        return { kind: 'text', text: expression.text };
      case 'null':
        return { kind: 'value', value: 0 };
      case 'boolean':
        return { kind: 'value', value: expression.value ? 1 : 0 };
      case 'negative':
      case 'absolute':
        return { kind: expression.kind, of: this.term(expression.of) };
      case 'arithmetic':
        return { kind: 'arithmetic', operator: expression.operator, left: this.term(expression.left), right: this.term(expression.right) };
      case 'choose':
        return { kind: 'choose', test: this.formula(expression.test), yes: this.term(expression.yes), no: this.term(expression.no) };
      case 'call':
        return { kind: 'call', name: expression.name, of: expression.of.map((argument) => this.term(argument)) };
      case 'address':
        return this.address(expression.of);
      case 'compare':
      case 'connect':
      case 'and':
      case 'or':
      case 'not':
        return { kind: 'choose', test: this.formula(expression), yes: { kind: 'value', value: 1 }, no: { kind: 'value', value: 0 } };
      default:
        return termOf(this.resolve(expression), expression.place);
    }
  }

  private comparison(expression: Expression & { kind: 'compare' }): Formula {
    const { operator } = expression;
    const equality = operator === '==' || operator === '!=';
    for (const [truth, other] of [[expression.right, expression.left], [expression.left, expression.right]] as const) {
      if (truth.kind !== 'boolean' || !equality) continue;
      const wanted = truth.value === (operator === '==');
      if (isCondition(other)) return wanted ? this.formula(other) : { kind: 'not', of: this.formula(other) };
      return { kind: 'compare', operator: wanted ? '!=' : '==', left: this.term(other), right: { kind: 'value', value: 0 } };
    }
    return (equality ? this.identity(expression) : undefined) ?? { kind: 'compare', operator, left: this.term(expression.left), right: this.term(expression.right) };
  }

  /** Comparisons with a node compare nodes, not addresses: a pointer into an embedded member is one to the node. */
  private identity({ operator, left, right, place }: Expression & { kind: 'compare' }): Formula | undefined {
    const sides = [left, right].map((side) => (isChain(side) ? this.resolve(side) : undefined));
    const negated = operator === '!=';
    if (sides.some((side) => side?.kind === 'node')) {
      const vertices = sides.map((side) => (side?.kind === 'node' ? side.vertex : side?.kind === 'field' ? this.pointee(side, place).vertex : undefined));
      const [a, b] = vertices;
      return a === undefined || b === undefined ? undefined : { kind: 'same', left: a, right: b, negated };
    }
    // A tagged pointer that is NULL has its tag still.
    const tagged = sides.find((side) => side?.kind === 'field' && side.tagged);
    if (tagged?.kind === 'field' && (left.kind === 'null' || right.kind === 'null')) {
      return { kind: 'compare', operator, left: { kind: 'field', vertex: tagged.vertex, field: tagged.choice, bare: true }, right: { kind: 'value', value: 0 } };
    }
    return undefined;
  }

  private nodeTest(expression: Expression & { kind: 'member' }): Formula {
    const { name } = expression;
    if (!isStandardAttribute(name) || name === 'INDEGREE' || name === 'OUTDEGREE') return fail(expression.place, 'found a value, expected a condition', 'compare it with something');
    const vertex = this.vertex(expression.base);
    const isNone = (incoming: boolean, none: boolean): Formula => ({ kind: 'compare', operator: none ? '==' : '!=', left: { kind: 'degree', vertex, incoming }, right: { kind: 'value', value: 0 } });
    switch (name) {
      case 'ISROOT':
        return isNone(true, true);
      case 'ISLEAF':
        return isNone(false, true);
      case 'EXTERNAL':
        return { kind: 'or', left: isNone(false, true), right: isNone(true, true) };
      case 'INTERNAL':
        return { kind: 'and', left: isNone(true, false), right: isNone(false, false) };
      default:
        return assertNever(name);
    }
  }

  /** A node: a variable, or what a pointer leads to. The variable of a root is its own node here. */
  private vertex(expression: Expression): Vertex {
    if (expression.kind === 'name') {
      const variable = this.variables.findIndex(({ name }) => name === expression.name);
      if (variable >= 0) return { kind: 'variable', variable };
    }
    const resolved = this.resolve(expression);
    if (resolved.kind === 'node') return resolved.vertex;
    if (resolved.kind === 'field') return this.pointee(resolved, expression.place).vertex;
    return fail(expression.place, 'found a value, expected a node', 'a node is a variable, or what a pointer leads to');
  }

  private resolve(expression: Expression): Resolved {
    switch (expression.kind) {
      case 'name':
        return this.name(expression.name, expression.place);
      case 'member':
        return this.member(expression);
      case 'index':
        return this.indexed(expression);
      case 'container':
        return this.container(expression);
      case 'at':
        return this.at(expression);
      default:
        return { kind: 'term', term: this.term(expression) };
    }
  }

  private name(name: string, place: ShapePlace): Resolved {
    if (name === this.rangeVariable) return { kind: 'term', term: { kind: 'index' } };
    const variable = this.variables.findIndex((candidate) => candidate.name === name);
    if (variable >= 0) return this.variable(variable);
    const value = this.names.constant(name);
    if (value === undefined) fail(place, `there is no variable or constant ${name}`, hintFor(name, this.variables.map((candidate) => candidate.name)));
    return { kind: 'term', term: { kind: 'value', value } };
  }

  /** A root that is a pointer stands for what it holds, as in C. */
  private variable(variable: number): Resolved {
    const { type: name } = this.variables[variable]!;
    const type = this.names.type(name);
    const vertex: Vertex = { kind: 'variable', variable };
    const fields = type?.shape?.fields;
    const isPointer = fields === undefined || (fields.length === 1 && fields[0]!.kind === 'pointer');
    if (this.names.roots.has(name) && isPointer) return this.field(vertex, type, { kind: 'fixed', index: 1 }, fields?.[0]);
    return { kind: 'node', vertex, ...(type !== undefined && { type }) };
  }

  private field(vertex: Vertex, from: Known | undefined, choice: FieldChoice, field: ShapeField | undefined): Resolved {
    const tagged = field !== undefined && from !== undefined && [...from.tags.keys()].some((name) => name === field.name || name === String(field.index));
    return { kind: 'field', vertex, choice, tagged, ...(field !== undefined && { field }), ...(from !== undefined && { from }) };
  }

  private pointee({ vertex, choice, field, from, tagged }: Resolved & { kind: 'field' }, place?: ShapePlace): Resolved & { kind: 'node' } {
    if (place !== undefined && field !== undefined && field.kind !== 'pointer' && !tagged) fail(place, `${field.name === '' ? `field ${field.index}` : field.name} is no pointer`, 'if it holds one, T TAG field 0; says so');
    const declared = this.names.meant(field?.pointee);
    if (declared !== undefined) return { kind: 'node', vertex: { kind: 'pointee', vertex, field: choice, type: declared }, type: this.names.type(declared)! };
    const nodeTypes = this.names.types.filter((name) => !this.names.roots.has(name));
    const guessed = nodeTypes.length === 1 ? this.names.type(nodeTypes[0]!) : from;
    const only = guessed !== undefined && this.names.types.length === 1;
    return { kind: 'node', vertex: { kind: 'pointee', vertex, field: choice }, ...(only && { type: guessed }) };
  }

  private asNode(resolved: Resolved, place: ShapePlace): Resolved & { kind: 'node' } {
    if (resolved.kind === 'node') return resolved;
    if (resolved.kind === 'field') return this.pointee(resolved, place);
    return fail(place, 'found a value, expected a node before this');
  }

  private member(expression: Expression & { kind: 'member' }): Resolved {
    const { name, place } = expression;
    if (isStandardAttribute(name)) return { kind: 'term', term: this.standard(expression, name) };
    const base = this.resolve(expression.base);
    if (base.kind === 'partial') return this.named(base.vertex, base.type, `${base.name}.${name}`, base.index, place);
    const node = this.asNode(base, place);
    const attribute = this.attributes.find((candidate) => candidate.name === name && (node.type === undefined || candidate.type === node.type.name));
    if (attribute !== undefined) return { kind: 'term', term: { kind: 'attribute', vertex: node.vertex, attribute: attribute.index } };
    return this.named(node.vertex, node.type, name, undefined, place);
  }

  private standard(expression: Expression & { kind: 'member' }, name: string): Term {
    if (!name.endsWith('DEGREE')) return this.term({ kind: 'not', of: { kind: 'not', of: expression, place: expression.place }, place: expression.place });
    const through = expression.of === undefined ? undefined : this.throughTypes(expression.of, expression.place);
    return { kind: 'degree', vertex: this.vertex(expression.base), incoming: name === 'INDEGREE', ...(through !== undefined && { through }) };
  }

  /** One more step of a field's name. */
  private named(vertex: Vertex, type: Known | undefined, name: string, index: Term | undefined, place: ShapePlace): Resolved {
    if (type === undefined) return this.namedAnywhere(vertex, name, index, place);
    const found = this.names.field(type, name.replace('[*]', '[0]'));
    if (found.kind === 'partial') return { kind: 'partial', vertex, type, name, ...(index !== undefined && { index }) };
    if (found.kind === 'field') return this.field(vertex, type, index === undefined ? { kind: 'fixed', index: found.index } : this.computed(type, name, index, found.index), found.field);
    if (type.shape === undefined) return fail(place, `nothing is known of the fields of ${type.name}`, 'use their numbers, X[2], or a program with debug information');
    return fail(place, `${type.name} has no field ${name}`, hintFor(name, type.shape.fields.map((field) => field.name)));
  }

  private computed(type: Known, name: string, index: Term, first: number): FieldChoice {
    const at = (i: number): number | undefined => {
      const found = this.names.field(type, name.replace('[*]', `[${i}]`));
      return found.kind === 'field' ? found.index : undefined;
    };
    const stride = (at(1) ?? first + 1) - first;
    let last = first;
    for (let i = 1; at(i) !== undefined; i++) last = at(i)!;
    return { kind: 'computed', base: first, stride, index, first, last };
  }

  /** What a pointer leads to is not known: the field is looked for in every type when a node is there. */
  private namedAnywhere(vertex: Vertex, name: string, index: Term | undefined, place: ShapePlace): Resolved {
    if (index !== undefined) fail(place, `what type ${name} belongs to is not known`, 'container_of(pointer, type, member) says it');
    const byType = new Map<string, number>();
    let field: ShapeField | undefined;
    let isPartial = false;
    for (const type of this.names.types) {
      const found = this.names.field(this.names.type(type)!, name);
      isPartial ||= found.kind === 'partial';
      if (found.kind !== 'field') continue;
      byType.set(type, found.index);
      field ??= found.field;
    }
    if (byType.size === 0 && isPartial) return { kind: 'partial', vertex, name };
    if (byType.size === 0) fail(place, `no type of this file has a field ${name}`, 'members of members are reached through container_of(pointer, type, member)');
    return this.field(vertex, undefined, { kind: 'named', byType }, field);
  }

  private indexed(expression: Expression & { kind: 'index' }): Resolved {
    const { place } = expression;
    const base = this.resolve(expression.base);
    const index = this.term(expression.index);
    if (base.kind === 'partial') {
      const constant = index.kind === 'value';
      if (!constant && base.index !== undefined) fail(place, 'only one index of a field can be computed');
      return this.named(base.vertex, base.type, `${base.name}[${constant ? index.value : '*'}]`, constant ? base.index : index, place);
    }
    const node = this.asNode(base, place);
    const { shape } = node.type ?? {};
    if (index.kind !== 'value') {
      const choice: FieldChoice = { kind: 'computed', base: 0, stride: 1, index, first: 1, last: Number.POSITIVE_INFINITY };
      return this.field(node.vertex, node.type, choice, shape?.element ?? shape?.fields[0]);
    }
    const number = Number(index.value);
    if (number < 1) fail(place, `there is no field ${number}`, 'fields are counted from 1');
    if (shape !== undefined && shape.element === undefined && number > shape.fields.length) fail(place, `${node.type!.name} has ${shape.fields.length} fields, and no field ${number}`);
    return this.field(node.vertex, node.type, { kind: 'fixed', index: number }, shape?.fields[number - 1] ?? shape?.element);
  }

  private container({ pointer, type: name, member, place }: Expression & { kind: 'container' }): Resolved {
    const resolved = this.resolve(pointer);
    if (resolved.kind !== 'field') return fail(place, 'found no field of a node as the pointer of container_of');
    const type = this.names.type(name);
    const offset = type && this.names.offset(type, member);
    if (type === undefined || offset === undefined) return fail(place, type === undefined ? `there is no type ${name}` : `${name} has no member ${member}`);
    return { kind: 'node', vertex: { kind: 'container', vertex: resolved.vertex, field: resolved.choice, offset, type: name }, type };
  }

  private at({ type: name, address, place }: Expression & { kind: 'at' }): Resolved {
    const type = this.names.type(name);
    if (type === undefined) return fail(place, `there is no type ${name}`, hintFor(name, this.names.types));
    return { kind: 'node', vertex: { kind: 'at', address: this.term(address), type: name }, type };
  }

  private address(of: Expression): Term {
    if (of.kind === 'name' && this.names.roots.has(of.name)) return { kind: 'address', vertex: this.vertex(of), offset: 0 };
    const resolved = this.resolve(of);
    if (resolved.kind === 'node') return { kind: 'address', vertex: resolved.vertex, offset: 0 };
    if (resolved.kind === 'partial' && resolved.index === undefined && resolved.type !== undefined) return { kind: 'address', vertex: resolved.vertex, offset: this.names.offset(resolved.type, resolved.name) ?? 0 };
    if (resolved.kind === 'field' && resolved.choice.kind === 'fixed' && resolved.field !== undefined) return { kind: 'address', vertex: resolved.vertex, offset: resolved.field.offset };
    return fail(of.place, 'the address of this is not known');
  }

  private throughNames(names: readonly string[], place: ShapePlace): EdgeFilter {
    const filter = new Map<string, ReadonlySet<number>>();
    const used = new Set<string>();
    for (const type of this.names.types) {
      const known = this.names.type(type)!;
      const fields = new Set<number>();
      for (const name of names) {
        const found = this.names.field(known, name);
        if (found.kind !== 'field') continue;
        fields.add(found.index);
        used.add(name);
      }
      filter.set(type, fields);
    }
    const unused = names.find((name) => !used.has(name));
    if (unused !== undefined) fail(place, `no type of this file has a field ${unused}`);
    return filter;
  }

  private throughTypes(of: readonly MemberName[], place: ShapePlace): EdgeFilter {
    const filter = new Map<string, ReadonlySet<number> | undefined>();
    for (const { type, member } of of) {
      const known = this.names.type(type);
      if (known === undefined) fail(place, `there is no type ${type}`, hintFor(type, this.names.types));
      if (member === undefined) {
        filter.set(type, undefined);
        continue;
      }
      const found = this.names.field(known!, member);
      if (found.kind !== 'field') return fail(place, `${type} has no field ${member}`);
      filter.set(type, new Set([...(filter.get(type) ?? []), found.index]));
    }
    return filter;
  }
}

function isChain(expression: Expression): boolean {
  return expression.kind === 'name' || expression.kind === 'member' || expression.kind === 'index' || expression.kind === 'container' || expression.kind === 'at';
}

function termOf(resolved: Resolved, place: ShapePlace): Term {
  switch (resolved.kind) {
    case 'term':
      return resolved.term;
    case 'field':
      return { kind: 'field', vertex: resolved.vertex, field: resolved.choice, bare: false };
    case 'node':
      return { kind: 'address', vertex: resolved.vertex, offset: 0 };
    default:
      return fail(place, `${resolved.name} is a structure of its own`, 'name one of its members');
  }
}

function hintFor(name: string, candidates: Iterable<string>): string | undefined {
  const meant = nearest(name, candidates);
  return meant === undefined ? undefined : `did you mean ${meant}?`;
}

function fail(place: ShapePlace, message: string, hint?: string): never {
  throw new RuleSyntaxError({ place, message, ...(hint !== undefined && { hint }) });
}
