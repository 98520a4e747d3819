/** A specification together with a program: what `terms.ts` describes, or everything that is wrong with it. */
import { RuleSyntaxError, type RuleProblem } from '../../rules/language/problems.js';
import type { AttributeItem, ConstraintItem, Expression, Item } from '../language/ast.js';
import { parseValue } from '../language/parser.js';
import { printRule } from '../language/printer.js';
import { childrenOf, namesIn, quantifiersOf } from '../language/walk.js';
import type { ProgramTypes } from '../model.js';
import { ExpressionBinder, type AttributeName } from './bindExpressions.js';
import { ProgramNames } from './programNames.js';
import type { BoundAttribute, BoundConstraint, BoundSpecification, BoundVariable, Formula, Term, Vertex } from './terms.js';

/** A program of which nothing is known. */
const UNKNOWN_PROGRAM: ProgramTypes = { type: () => undefined, constant: () => undefined, offsetOf: () => undefined };

interface BoundShapes {
  readonly specification: BoundSpecification;
  readonly problems: readonly RuleProblem[];
}

export function bindShapes(items: readonly Item[], program: ProgramTypes = UNKNOWN_PROGRAM): BoundShapes {
  const problems: RuleProblem[] = [];
  const names = new ProgramNames(items, program);
  const attributeItems = items.filter((item) => item.kind === 'attribute');
  const attributeNames = attributeItems.map(({ type, name }, index) => ({ type, name, index }));
  const attempt = <T>(bind: () => T): T[] => {
    try {
      return [bind()];
    } catch (error) {
      if (!(error instanceof RuleSyntaxError)) throw error;
      problems.push(error.problem);
      return [];
    }
  };
  for (const item of items) attempt(() => checkStructure(item, names));
  const attributes = attributeItems.flatMap((item, index) => attempt(() => bindAttribute(item, index, names, attributeNames)));
  const constraints = items.filter((item) => item.kind === 'constraint').flatMap((item, index) => attempt(() => bindConstraint(item, index, names, attributeNames)));
  const { call } = names;
  return { specification: { constraints, attributes, rules: names.rules(), types: names.types, ...(call !== undefined && { call }) }, problems };
}

/** Numbers of fields that are others in the program would make all numbers mean something else. */
function checkStructure(item: Item, names: ProgramNames): void {
  const fail = (message: string): never => {
    throw new RuleSyntaxError({ place: item.place, message });
  };
  if (item.kind === 'structure') {
    const type = names.type(item.type)!;
    const fields = type.shape?.fields;
    if (fields !== undefined && item.fields !== undefined && type.shape?.element === undefined && fields.length !== item.fields) fail(`${item.type} has ${fields.length} fields in the program, not ${item.fields}`);
    const unknown = typeof item.edges === 'object' && fields !== undefined ? item.edges.find((name) => names.field(type, name).kind !== 'field') : undefined;
    if (unknown !== undefined) fail(`${item.type} has no field ${unknown}`);
  }
  if (item.kind === 'embed' || item.kind === 'tag') {
    const type = names.type(item.type);
    if (type === undefined) return fail(`no constraint is about ${item.type}`);
    const members = item.kind === 'embed' ? item.members : [item.member];
    const unknown = members.find((member) => type.shape !== undefined && names.offset(type, member) === undefined && names.field(type, member).kind !== 'field');
    if (unknown !== undefined) fail(`${item.type} has no member ${unknown}`);
  }
}

function bindAttribute(item: AttributeItem, index: number, names: ProgramNames, attributes: readonly AttributeName[]): BoundAttribute {
  const binder = new ExpressionBinder(names, attributes, [{ name: item.variable, type: item.type }]);
  const terminal = item.terminal && binder.term(item.terminal);
  if ([item.guard, item.terminal, item.otherwise].some((part) => part !== undefined && asksForPaths(part))) {
    throw new RuleSyntaxError({ place: item.place, message: `the rule of ${item.name} asks for a path`, hint: 'an attribute is made of what pointers of the node lead to' });
  }
  return {
    index, type: item.type, name: item.name,
    ofNull: item.ofNull ?? oneLess(terminal),
    ...(item.guard !== undefined && { guard: binder.formula(item.guard) }),
    ...(terminal !== undefined && { terminal }),
    otherwise: binder.term(item.otherwise),
  };
}

function asksForPaths(expression: Expression): boolean {
  return (expression.kind === 'connect' && expression.path) || childrenOf(expression).some(asksForPaths);
}

/**
 * What NULL has if the file does not say: one less than a leaf, if that is a number. So heights count from -1 where
 * leaves have 0 (Example 5), and numbers of nodes from 0 where leaves have 1.
 */
function oneLess(terminal: Term | undefined): number {
  return terminal?.kind === 'value' && typeof terminal.value === 'number' ? terminal.value - 1 : 0;
}

function bindConstraint(item: ConstraintItem, index: number, names: ProgramNames, attributes: readonly AttributeName[]): BoundConstraint {
  const { all, some } = quantifiersOf(item);
  const used = namesIn(item.body, namesIn(item.guard, namesIn(item.range?.from, namesIn(item.range?.to))));
  const typeOf = (name: string): BoundVariable => ({ name, type: item.variables.find((variable) => variable.name === name)!.type });
  const roots = [...names.roots].filter((name) => used.has(name) && !item.variables.some((variable) => variable.name === name)).map((name) => ({ name, type: name }));
  const variables = [...all.map(typeOf), ...roots, ...some.map(typeOf)];
  const binder = new ExpressionBinder(names, attributes, variables, item.range?.variable);
  const guard = item.guard && binder.formula(item.guard);
  const body = binder.formula(item.body);
  return {
    index, name: item.name, ...(item.message !== undefined && { message: item.message }), messageParts: bindMessage(item.message ?? '', item, binder),
    variables, universal: all.length + roots.length,
    ...(item.range !== undefined && { range: { from: binder.term(item.range.from), to: binder.term(item.range.to) } }),
    ...(guard !== undefined && { guard: isAcyclicity(guard, body) ? { ...guard, kind: 'edge' } : guard }),
    body, line: item.place.line, text: printRule(item),
  };
}

/** `{X.key}` stands for its value; two braces for one. */
function bindMessage(text: string, { place, variables }: ConstraintItem, binder: ExpressionBinder): (string | Term)[] {
  const names = new Set(variables.map(({ name }) => name));
  return text.split(/(\{\{|\}\}|\{[^{}]*\})/).filter((part) => part !== '').map((part) => {
    if (part === '{{' || part === '}}') return part[0]!;
    return part.startsWith('{') ? binder.term(parseValue(part.slice(1, -1), place, names)) : part;
  });
}

/**
 * `X ->> Y => Y /->> X`: there is no cycle. It is asked of edges rather than of paths: a cycle has both, and of paths
 * there are as many as pairs of nodes.
 */
export function isAcyclicity(guard: Formula, body: Formula): guard is Formula & { kind: 'edge' | 'path' } {
  if ((guard.kind !== 'path' && guard.kind !== 'edge') || guard.negated || body.kind !== 'path' || !body.negated) return false;
  const variable = (vertex: Vertex) => (vertex.kind === 'variable' ? vertex.variable : -1);
  const [from, to] = [variable(guard.from), variable(guard.to)];
  return from >= 0 && to >= 0 && from === variable(body.to) && to === variable(body.from) && sameFilter(guard, body);
}

function sameFilter(a: Formula & { kind: 'edge' | 'path' }, b: Formula & { kind: 'edge' | 'path' }): boolean {
  const key = ({ through }: typeof a) => (through === undefined ? '' : JSON.stringify([...through].map(([type, fields]) => [type, [...(fields ?? [])]])));
  return key(a) === key(b);
}
