/**
 * Conditions of rules to core conditions: definitions inlined, patterns to fields, and for every slot whether it has a
 * value where it is used. Whatever a true condition has bound is known to what follows it (`Freed(r, r1) && r1 != r`)
 * and to messages and chains; what is bound under `!` or `forall` is not.
 */
import { assertNever } from '../../base/assert.js';
import type { Binder, DefineItem, EventPattern, Expression, StateName } from './ast.js';
import { builtin, EVENT_FIELDS, fits, isBuiltin, narrower, type Sort } from './builtins.js';
import type { ComparisonOperator, Condition, Field, Pattern } from './core.js';
import type { RulePlace } from './problems.js';
import { bind, join, Scope, type Flow } from './scope.js';
import { article, sortHint, type TermChecker } from './termChecker.js';

interface Checked {
  readonly condition: Condition;
  readonly flow: Flow;
}

/** Uses of definitions in one rule. */
const MOST_INLINED = 2000;
const TRUE: Condition = { kind: 'constant', value: true };

export class ConditionChecker {
  /** Of the state, with the place that first needed it. */
  readonly usedStates = new Map<StateName, RulePlace>();
  readonly usedDefinitions = new Set<string>();
  private readonly inlining: string[] = [];
  private inlined = 0;

  constructor(
    readonly terms: TermChecker,
    private readonly definitions: ReadonlyMap<string, DefineItem>,
    private readonly functionSets: ReadonlyMap<string, readonly string[]>,
  ) {}

  check(expression: Expression, scope: Scope, flow: Flow): Checked {
    switch (expression.kind) {
      case 'boolean':
        return { condition: { kind: 'constant', value: expression.value }, flow };
      case 'unary': {
        if (expression.operator !== '!') break;
        const { condition } = this.check(expression.operand, scope, flow);
        return { condition: { kind: 'not', part: condition }, flow };
      }
      case 'binary':
        if (expression.operator === '&&') return this.and(expression.left, expression.right, scope, flow);
        if (expression.operator === '||') return this.or(expression.left, expression.right, scope, flow);
        return this.comparison(expression, scope, flow);
      case 'apply':
        return this.apply(expression.name, expression.args, expression.place, scope, flow);
      case 'member': {
        this.uses(expression.state, expression.place);
        const element = this.terms.term(expression.element, scope, flow);
        this.expectSort(element, 'block', expression.element.place);
        return { condition: { kind: 'member', element, state: expression.state as 'H' }, flow };
      }
      case 'findLast': {
        this.uses('Trace', expression.place);
        const { pattern, after } = this.pattern(expression.pattern, scope, flow);
        return { condition: { kind: 'event', last: true, pattern, condition: TRUE }, flow: after };
      }
      case 'quantified':
        return this.quantified(expression.quantifier, expression.binder, expression.condition, scope, flow);
      default:
    }
    const term = this.terms.term(expression, scope, flow);
    if (term.sort !== 'any') this.terms.report(expression.place, `found ${article(term.sort)}, expected a condition`, 'compare it with something');
    return { condition: TRUE, flow };
  }

  private and(left: Expression, right: Expression, scope: Scope, flow: Flow): Checked {
    const first = this.check(left, scope, flow);
    const second = this.check(right, scope, first.flow);
    return { condition: { kind: 'and', parts: [...partsOf(first.condition, 'and'), ...partsOf(second.condition, 'and')] }, flow: second.flow };
  }

  private or(left: Expression, right: Expression, scope: Scope, flow: Flow): Checked {
    const first = this.check(left, scope, flow);
    const second = this.check(right, scope, flow);
    return { condition: { kind: 'or', parts: [...partsOf(first.condition, 'or'), ...partsOf(second.condition, 'or')] }, flow: join(first.flow, second.flow) };
  }

  private comparison(expression: Expression & { kind: 'binary' }, scope: Scope, flow: Flow): Checked {
    const operator = expression.operator as ComparisonOperator;
    if (!['==', '!=', '<', '<=', '>', '>='].includes(operator)) {
      const term = this.terms.term(expression, scope, flow);
      this.terms.report(expression.place, `found ${article(term.sort)}, expected a condition`, 'compare it with something');
      return { condition: TRUE, flow };
    }
    const left = this.terms.term(expression.left, scope, flow);
    const right = this.terms.term(expression.right, scope, flow);
    const ordered = operator !== '==' && operator !== '!=';
    // A time that is written down: Time(bid) > 1000.
    const writtenTime = (left.sort === 'time' && right.kind === 'number') || (right.sort === 'time' && left.kind === 'number');
    if (!writtenTime && !fits(left.sort, right.sort)) this.terms.report(expression.place, `${article(left.sort)} cannot be compared with ${article(right.sort)}`, sortHint(right, left.sort) ?? sortHint(left, right.sort));
    else if (ordered && ['block', 'function', 'boolean'].includes(narrower(left.sort, right.sort))) this.terms.report(expression.place, `${article(left.sort)} can only be compared with == and !=`);
    return { condition: { kind: 'compare', operator, left, right }, flow };
  }

  private apply(name: string, args: readonly Expression[], place: RulePlace, scope: Scope, flow: Flow): Checked {
    const define = this.definitions.get(name);
    if (define !== undefined) return this.inline(define, args, place, scope, flow);
    const table = builtin(name);
    if (table === undefined || !isBuiltin(name)) {
      this.terms.unknownName(name, place);
      return { condition: TRUE, flow };
    }
    const terms = this.terms.builtinArguments(name, table, args, place, scope, flow);
    if (table.result !== 'boolean') this.terms.report(place, `${name}(…) is ${article(table.result)}, expected a condition`, 'compare it with something');
    return { condition: { kind: 'test', name, args: terms }, flow };
  }

  private inline(define: DefineItem, args: readonly Expression[], place: RulePlace, scope: Scope, flow: Flow): Checked {
    if (args.length !== define.parameters.length) {
      const count = define.parameters.length;
      this.terms.report(place, `${define.name} takes ${count} argument${count === 1 ? '' : 's'}, found ${args.length}`, `it is defined in ${define.place.file}:${define.place.line}`);
      return { condition: TRUE, flow };
    }
    if (this.inlining.includes(define.name)) {
      this.terms.report(place, `${define.name} is defined by itself`, 'definitions are inlined and cannot recur');
      return { condition: TRUE, flow };
    }
    if (++this.inlined > MOST_INLINED) {
      this.terms.report(place, 'this becomes too large with all definitions in place', 'definitions that use others twice grow quickly');
      return { condition: TRUE, flow };
    }
    this.usedDefinitions.add(define.name);
    const inner = new Scope(this.terms.slots, define.name);
    define.parameters.forEach(({ name }, i) => {
      if (name !== undefined) this.passArgument(name, args[i]!, inner, scope, flow);
    });
    this.inlining.push(define.name);
    const body = this.check(define.body, inner, flow);
    this.inlining.pop();
    return body;
  }

  private passArgument(parameter: string, arg: Expression, inner: Scope, scope: Scope, flow: Flow): void {
    if (arg.kind === 'wildcard') inner.set(parameter, { kind: 'wildcard' });
    else if (arg.kind === 'name') inner.set(parameter, scope.variable(arg.name));
    else inner.set(parameter, { kind: 'term', term: this.terms.term(arg, scope, flow) });
  }

  private quantified(quantifier: 'exists' | 'forall', binder: Binder, body: Expression | undefined, scope: Scope, flow: Flow): Checked {
    const universal = quantifier === 'forall';
    if (universal && body === undefined) this.terms.report(binder.place, "'forall' needs 'suchthat'", 'forall bid in H suchthat (condition)');
    const bound = this.binder(binder, scope, flow);
    const inner = body === undefined ? { condition: TRUE, flow: bound.after } : this.check(body, scope, bound.after);
    if (!universal) return { condition: bound.make(inner.condition), flow: inner.flow };
    return { condition: { kind: 'not', part: bound.make({ kind: 'not', part: inner.condition }) }, flow };
  }

  private binder(binder: Binder, scope: Scope, flow: Flow): { make: (condition: Condition) => Condition; after: Flow } {
    switch (binder.kind) {
      case 'event': {
        this.uses('Trace', binder.place);
        const { pattern, after } = this.pattern(binder.pattern, scope, flow);
        return { make: (condition) => ({ kind: 'event', last: false, pattern, condition }), after };
      }
      case 'block': {
        this.uses(binder.state, binder.place);
        const fields = new Fields(this, scope, flow);
        const block = fields.field(binder.block, 'block');
        return { make: (condition) => ({ kind: 'block', state: binder.state, block, condition }), after: fields.after() };
      }
      case 'pointer': {
        this.uses('P', binder.place);
        const fields = new Fields(this, scope, flow);
        const pointer = fields.field(binder.pointer, 'pointer');
        const block = fields.field(binder.block, 'block');
        const index = fields.field(binder.index, 'number');
        return { make: (condition) => ({ kind: 'pointer', pointer, block, index, condition }), after: fields.after() };
      }
      case 'frame':
        return this.frame(binder.fields, binder.place, scope, flow);
      default:
        return assertNever(binder);
    }
  }

  private frame(written: readonly Expression[], place: RulePlace, scope: Scope, flow: Flow): { make: (condition: Condition) => Condition; after: Flow } {
    this.uses('S', place);
    if (written.length > 3) this.terms.report(place, `a frame has 3 fields, found ${written.length}`, 'frame(function, slot of the return address, return address)');
    const fields = new Fields(this, scope, flow);
    const any: Field = { kind: 'any' };
    const [callee, slotAddress, target] = (['function', 'pointer', 'pointer'] as const).map((sort, i) => (written[i] === undefined ? any : fields.field(written[i], sort)));
    return { make: (condition) => ({ kind: 'frame', callee: callee!, slotAddress: slotAddress!, target: target!, condition }), after: fields.after() };
  }

  private pattern(written: EventPattern, scope: Scope, flow: Flow): { pattern: Pattern; after: Flow } {
    const table = EVENT_FIELDS[written.event]!;
    if (written.fields.length > table.length) {
      this.terms.report(written.place, `${written.event} events have ${table.length} fields after their kind, found ${written.fields.length}`, `event(time, ${[written.event, ...table.map(({ name }) => name)].join(', ')})`);
    }
    const matcher = new Fields(this, scope, flow);
    const time = matcher.field(written.time, 'time');
    const fields: Record<string, Field> = {};
    written.fields.slice(0, table.length).forEach((field, i) => {
      const { name, sort } = table[i]!;
      const matched = matcher.field(field, sort);
      if (matched.kind !== 'any') fields[name] = matched;
    });
    return { pattern: { event: written.event, time, fields }, after: matcher.after() };
  }

  /** The functions that a name in a call or return stands for: a set, or itself. */
  callees(name: string): readonly string[] {
    return this.functionSets.get(name) ?? [name];
  }

  expectSort(term: { readonly sort: Sort }, wanted: Sort, place: RulePlace): void {
    if (!fits(term.sort, wanted)) this.terms.report(place, `found ${article(term.sort)}, expected ${article(wanted)}`, sortHint(term as Parameters<typeof sortHint>[0], wanted));
  }

  private uses(state: StateName, place: RulePlace): void {
    if (!this.usedStates.has(state)) this.usedStates.set(state, place);
  }
}

/** The fields of one pattern, from left to right. */
class Fields {
  private readonly bound = new Set<number>();

  constructor(
    private readonly checker: ConditionChecker,
    private readonly scope: Scope,
    private readonly flow: Flow,
  ) {}

  after(): Flow {
    return bind(this.flow, this.bound);
  }

  field(expression: Expression, sort: Sort): Field {
    if (expression.kind === 'wildcard') return { kind: 'any' };
    if (sort === 'function') {
      const names = this.functionNames(expression);
      if (names !== undefined) return { kind: 'names', names };
    }
    const meaning = expression.kind === 'name' ? this.scope.variable(expression.name) : undefined;
    if (meaning?.kind === 'wildcard') return { kind: 'any' };
    if (meaning?.kind === 'slot' && !this.flow.certain.has(meaning.slot)) return this.bindOrCompare(meaning.slot, sort);
    const term = this.checker.terms.term(expression, this.scope, this.flow);
    this.checker.expectSort(term, sort, expression.place);
    return { kind: 'equal', term };
  }

  private bindOrCompare(slot: number, sort: Sort): Field {
    if (this.bound.has(slot)) return { kind: 'same', slot };
    this.bound.add(slot);
    const info = this.checker.terms.slots[slot]!;
    info.sort = narrower(info.sort, sort);
    return { kind: 'bind', slot };
  }

  /**
   * Where a function stands, a plain name is the function's, unless it is a variable that the rule already knows, or
   * written `?f`.
   */
  private functionNames(expression: Expression): readonly string[] | undefined {
    if (expression.kind === 'text') return [expression.text];
    if (expression.kind !== 'name' || expression.fresh || this.scope.get(expression.name) !== undefined) return undefined;
    return this.checker.callees(expression.name);
  }
}

function partsOf(condition: Condition, kind: 'and' | 'or'): readonly Condition[] {
  return condition.kind === kind ? condition.parts : [condition];
}
