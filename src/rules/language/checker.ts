/**
 * A whole file's worth of items to checked rules: names are unique, definitions make sense by themselves, each rule
 * names the states it uses, its points give the same variables, and its chains and messages speak only of what the
 * condition binds.
 */
import type { DefineItem, FunctionsItem, Item, Point, RuleItem, StateName } from './ast.js';
import { isBuiltin, type Sort } from './builtins.js';
import { ConditionChecker } from './conditionChecker.js';
import type { CheckedPoint, CheckedRule, Term } from './core.js';
import { printExpression, printPoint, printRule } from './printer.js';
import { uniqueProblems, type RulePlace, type RuleProblem } from './problems.js';
import { Scope, type Flow, type SlotInfo } from './scope.js';
import { TermChecker } from './termChecker.js';

interface CheckedRules {
  readonly rules: readonly CheckedRule[];
  readonly problems: readonly RuleProblem[];
}

export interface CheckOptions {
  /** Replaces `functions NAME = …` of the files: how the user says which function is meant. */
  readonly functions?: ReadonlyMap<string, readonly string[]>;
}

const EMPTY: Flow = { certain: new Set(), possible: new Set() };

export function checkRules(items: readonly Item[], options: CheckOptions = {}): CheckedRules {
  const problems: RuleProblem[] = [];
  const definitions = collect<DefineItem>(items, 'define', problems);
  const sets = collect<FunctionsItem>(items, 'functions', problems);
  const ruleItems = collect<RuleItem>(items, 'rule', problems);
  const functions = new Map<string, readonly string[]>([...sets.values()].map(({ name, members }) => [name, members]));
  for (const [name, members] of options.functions ?? []) functions.set(name, members);
  const context: Context = { definitions, functions, problems };
  for (const define of definitions.values()) checkDefinition(define, context);
  // A broken definition would be reported again at each of its uses.
  if (problems.length > 0) return { rules: [], problems };
  return { rules: [...ruleItems.values()].map((rule) => checkRule(rule, context)), problems: uniqueProblems(problems) };
}

interface Context {
  readonly definitions: ReadonlyMap<string, DefineItem>;
  readonly functions: ReadonlyMap<string, readonly string[]>;
  readonly problems: RuleProblem[];
}

function collect<I extends Item & { name: string }>(items: readonly Item[], kind: I['kind'], problems: RuleProblem[]): Map<string, I> {
  const found = new Map<string, I>();
  for (const item of items) {
    if (item.kind !== kind) continue;
    const named = item as I;
    const before = found.get(named.name);
    if (before !== undefined) problems.push(twice(named, before.place));
    else if (kind === 'define' && isBuiltin(named.name)) problems.push({ place: named.place, message: `${named.name} is built in`, hint: 'choose another name' });
    else found.set(named.name, named);
  }
  return found;
}

function twice({ name, place }: { name: string; place: RulePlace }, before: RulePlace): RuleProblem {
  return { place, message: `${name} is already defined in ${before.file}:${before.line}`, hint: 'give one of them another name' };
}

/** With parameters that may be anything: finds unknown names and wrong arities even if no rule uses it. */
function checkDefinition(define: DefineItem, { definitions, functions, problems }: Context): void {
  const slots: SlotInfo[] = [];
  const terms = new TermChecker(problems, slots, new Set(definitions.keys()));
  const scope = new Scope(slots, define.name);
  const parameters = new Set<number>();
  for (const { name, place } of define.parameters) {
    if (name === undefined) continue;
    if (scope.get(name) !== undefined) terms.report(place, `${define.name} has two parameters called ${name}`);
    const meaning = scope.variable(name);
    if (meaning.kind === 'slot') parameters.add(meaning.slot);
  }
  new ConditionChecker(terms, definitions, functions).check(define.body, scope, { certain: parameters, possible: parameters });
}

function checkRule(rule: RuleItem, { definitions, functions, problems }: Context): CheckedRule {
  const slots: SlotInfo[] = [];
  const terms = new TermChecker(problems, slots, new Set(definitions.keys()));
  const conditions = new ConditionChecker(terms, definitions, functions);
  const scope = new Scope(slots);
  const { points, flow } = checkPoints(rule, scope, slots, conditions);
  const { condition, flow: after } = conditions.check(rule.condition, scope, flow);
  checkStates(rule, conditions.usedStates, problems);
  const locators = rule.locators.map(({ value }) => ({ text: `VPC(${printExpression(value)})`, term: terms.term(value, scope, after, true) }));
  const message = rule.message === undefined ? plainMessage(rule, slots, after) : rule.message.parts.map((part): string | Term => (typeof part === 'string' ? part : terms.term(part, scope, after, true)));
  return {
    name: rule.name,
    place: rule.place,
    severity: rule.severity ?? 'error',
    enabled: rule.enabled ?? true,
    ...(rule.help !== undefined && { help: rule.help }),
    states: rule.states,
    points,
    condition,
    locators,
    message,
    variables: slots,
    lines: rule.lines + conditions.usedDefinitions.size,
    text: printRule(rule),
  };
}

/** For rules without one: the point, and the values of what the rule names. */
function plainMessage(rule: RuleItem, slots: readonly SlotInfo[], { possible }: Flow): (string | Term)[] {
  const parts: (string | Term)[] = [rule.points.map(printPoint).join(' | ')];
  slots.forEach(({ name, visible, sort }, slot) => {
    if (visible && possible.has(slot)) parts.push(`${parts.length === 1 ? ': ' : ', '}${name} = `, { kind: 'slot', slot, sort });
  });
  return parts;
}

/** All alternatives have to give the same variables: the condition could not rely on them otherwise. */
function checkPoints(rule: RuleItem, scope: Scope, slots: SlotInfo[], conditions: ConditionChecker): { points: CheckedPoint[]; flow: Flow } {
  const points: CheckedPoint[] = [];
  let names: string | undefined;
  const bound = new Set<number>();
  for (const point of rule.points) {
    const own = point.variables.flatMap(({ name }) => (name === undefined ? [] : [name]));
    if (new Set(own).size < own.length) conditions.terms.report(point.place, `this detection point has two variables of the same name`);
    const sorted = [...own].sort().join(', ');
    if (names !== undefined && names !== sorted) conditions.terms.report(point.place, `detection points joined by '|' must have the same variables: found ${sorted || 'none'}, expected ${names || 'none'}`);
    names ??= sorted;
    points.push(checkPoint(point, scope, slots, conditions, bound));
  }
  return { points, flow: bound.size === 0 ? EMPTY : { certain: bound, possible: bound } };
}

function checkPoint(point: Point, scope: Scope, slots: SlotInfo[], conditions: ConditionChecker, bound: Set<number>): CheckedPoint {
  const sorts = pointSorts(point);
  const most = point.kind === 'call' ? 6 : sorts.length;
  if (point.variables.length > most) conditions.terms.report(point.place, `${point.kind} has at most ${most} variable${most === 1 ? '' : 's'}, found ${point.variables.length}`);
  const places = point.variables.map(({ name }, i): number | undefined => {
    if (name === undefined) return undefined;
    const meaning = scope.variable(name);
    if (meaning.kind !== 'slot') return undefined;
    const info = slots[meaning.slot]!;
    // `deref r | call f(r)`: a pointer here and any value there.
    info.sort = info.sort === 'any' || info.sort === sorts[i] ? (sorts[i] ?? 'value') : 'value';
    bound.add(meaning.slot);
    return meaning.slot;
  });
  const callees = point.callee === undefined ? undefined : conditions.callees(point.callee);
  return { kind: point.kind, ...(callees !== undefined && { callees }), ...(point.use !== undefined && { use: point.use }), slots: places, text: printPoint(point) };
}

function pointSorts(point: Point): readonly Sort[] {
  switch (point.kind) {
    case 'free':
      return ['pointer', 'function'];
    case 'deref':
    case 'deref_r':
    case 'deref_w':
      return ['pointer', 'number'];
    case 'call':
      return point.variables.map(() => 'value');
    default:
      return ['value'];
  }
}

function checkStates(rule: RuleItem, used: ReadonlyMap<StateName, RulePlace>, problems: RuleProblem[]): void {
  for (const [state, place] of used) {
    if (rule.states.includes(state)) continue;
    const states = [...rule.states, state].join('; ');
    problems.push({ place: rule.place, message: `${rule.name} uses ${state} (${place.file}:${place.line}) but does not name it`, hint: `write detect <${states}; ${rule.points.map(printPoint).join(' | ')}>` });
  }
}
