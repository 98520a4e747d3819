/**
 * Values: names to slots, sorts of operators and built-in functions. A mistake is reported and the value goes on as
 * `any`.
 */
import type { BinaryOperator, Expression } from './ast.js';
import { BUILTINS, builtin, fits, isBuiltin, narrower, type Builtin, type Sort } from './builtins.js';
import type { ArithmeticOperator, Term } from './core.js';
import { nearest, type RulePlace, type RuleProblem } from './problems.js';
import type { Flow, Scope, SlotInfo } from './scope.js';
import { printExpression } from './printer.js';

const UNKNOWN: Term = { kind: 'number', value: 0n, sort: 'any' };
const LOGICAL: readonly BinaryOperator[] = ['||', '&&', '==', '!=', '<', '<=', '>', '>='];

export class TermChecker {
  constructor(
    readonly problems: RuleProblem[],
    readonly slots: SlotInfo[],
    readonly definitions: ReadonlySet<string>,
  ) {}

  report(place: RulePlace, message: string, hint?: string): Term {
    this.problems.push({ place, message, ...(hint !== undefined && { hint }) });
    return UNKNOWN;
  }

  /** `loose`: in messages and chains a variable may be one that only some ways bind. */
  term(expression: Expression, scope: Scope, flow: Flow, loose = false): Term {
    const { place } = expression;
    switch (expression.kind) {
      case 'number':
        return { kind: 'number', value: expression.value, sort: 'number' };
      case 'null':
        return { kind: 'number', value: 0n, sort: 'pointer' };
      case 'text':
        return { kind: 'function', name: expression.text, sort: 'function' };
      case 'wildcard':
        return this.report(place, 'a wildcard has no value', 'it can only be matched, in event(…), FindLast(…) or an argument of a definition');
      case 'name':
        return this.variable(expression.name, place, scope, flow, loose);
      case 'apply':
        return this.apply(expression.name, expression.args, place, scope, flow, loose);
      case 'unary':
        if (expression.operator === '!') return this.conditionAsValue(expression);
        return { kind: 'unary', operator: expression.operator, operand: this.wanted(expression.operand, ['number', 'value'], scope, flow, loose), sort: 'number' };
      case 'binary':
        if (LOGICAL.includes(expression.operator)) return this.conditionAsValue(expression);
        return this.arithmetic(expression.operator as ArithmeticOperator, expression.left, expression.right, place, scope, flow, loose);
      default:
        return this.conditionAsValue(expression);
    }
  }

  private conditionAsValue(expression: Expression): Term {
    return this.report(expression.place, `found the condition ${printExpression(expression)} where a value is expected`, 'comparisons give true or false and cannot be computed with');
  }

  private variable(name: string, place: RulePlace, scope: Scope, flow: Flow, loose: boolean): Term {
    const meaning = scope.get(name);
    if (meaning?.kind === 'term') return meaning.term;
    if (meaning?.kind === 'wildcard') return this.report(place, `${name} is a wildcard here, but ${scope.definition ?? 'the rule'} needs its value`, 'give it a variable');
    if (meaning?.kind === 'functions') return this.report(place, `${name} is a set of functions`, 'such sets stand only in call and ret');
    const bound = loose ? flow.possible : flow.certain;
    if (meaning === undefined || !bound.has(meaning.slot)) return this.unbound(name, place, scope, flow);
    return { kind: 'slot', slot: meaning.slot, sort: this.slots[meaning.slot]!.sort };
  }

  private unbound(name: string, place: RulePlace, scope: Scope, flow: Flow): Term {
    const meaning = scope.get(name);
    if (meaning?.kind === 'slot' && flow.possible.has(meaning.slot)) {
      return this.report(place, `${name} has a value in only one of the alternatives`, "use it within the alternative that binds it, or bind it on both sides of '||'");
    }
    if (this.definitions.has(name) || isBuiltin(name)) return this.report(place, `${name} needs arguments`, `write ${name}(…)`);
    const known = [...scope.names()].filter((other) => other !== name);
    const meant = nearest(name, known);
    return this.report(
      place,
      `nothing gives ${name} a value here`,
      meant === undefined ? 'variables get their values from the detection point or from a pattern before: event(…), FindLast(…), r -> (bid, i)' : `did you mean ${meant}?`,
    );
  }

  apply(name: string, args: readonly Expression[], place: RulePlace, scope: Scope, flow: Flow, loose: boolean): Term {
    const table = builtin(name);
    if (table === undefined || !isBuiltin(name)) {
      if (this.definitions.has(name)) return this.report(place, `${name} is a condition, not a value`);
      return this.unknownName(name, place);
    }
    return { kind: 'apply', name, args: this.builtinArguments(name, table, args, place, scope, flow, loose), sort: table.result };
  }

  builtinArguments(name: string, table: Builtin, args: readonly Expression[], place: RulePlace, scope: Scope, flow: Flow, loose = false): Term[] {
    const most = table.parameters.length;
    const least = most - (table.optional ?? 0);
    if (args.length < least || args.length > most) {
      this.report(place, `${name} takes ${least === most ? most : `${least} or ${most}`} argument${most === 1 ? '' : 's'}, found ${args.length}`, `${name}: ${table.says}`);
      return [];
    }
    return args.map((arg, i) => this.wanted(arg, table.parameters[i]!, scope, flow, loose));
  }

  unknownName(name: string, place: RulePlace): Term {
    const meant = nearest(name, [...this.definitions, ...Object.keys(BUILTINS), 'FindLast']);
    return this.report(place, `unknown name ${name}`, meant === undefined ? `define it: define ${name}(…) = …` : `did you mean ${meant}?`);
  }

  private wanted(expression: Expression, sorts: readonly Sort[], scope: Scope, flow: Flow, loose: boolean): Term {
    const term = this.term(expression, scope, flow, loose);
    const fitting = sorts.find((sort) => fits(term.sort, sort));
    if (fitting === undefined) return this.report(expression.place, `found ${article(term.sort)}, expected ${sorts.map(article).join(' or ')}`, sortHint(term, sorts[0]!));
    return term.sort === 'any' || term.sort === 'value' ? term : { ...term, sort: narrower(term.sort, fitting) };
  }

  private arithmetic(operator: ArithmeticOperator, leftSide: Expression, rightSide: Expression, place: RulePlace, scope: Scope, flow: Flow, loose: boolean): Term {
    const left = this.term(leftSide, scope, flow, loose);
    const right = this.term(rightSide, scope, flow, loose);
    const sort = arithmeticSort(operator, left.sort, right.sort);
    if (sort === undefined) return this.report(place, `${article(left.sort)} ${operator} ${article(right.sort)} has no meaning`, arithmeticHint(operator, left.sort, right.sort));
    return { kind: 'binary', operator, left, right, sort };
  }
}

export function article(sort: Sort): string {
  const names: Readonly<Record<Sort, string>> = {
    pointer: 'a pointer', number: 'a number', block: 'a block id', time: 'a time', boolean: 'a condition', function: 'a function', value: 'a value', any: 'anything',
  };
  return names[sort];
}

export function sortHint(term: Term, wanted: Sort): string | undefined {
  if (wanted === 'pointer' && term.kind === 'number' && term.value === 0n) return 'the null pointer is written NULL';
  if (wanted === 'block' && term.sort === 'pointer') return 'Bid(r) is the block of r';
  if (wanted === 'pointer' && term.sort === 'block') return 'Begin(bid) is the first byte of a block';
  if (wanted === 'number' && term.sort === 'pointer') return "Idx(r) is r's offset in its block";
  return undefined;
}

function arithmeticHint(operator: string, left: Sort, right: Sort): string | undefined {
  if (operator === '+' && left === 'pointer' && right === 'pointer') return 'two pointers can be subtracted, not added';
  if (left === 'block' || right === 'block') return 'block ids can be compared and masked with &; Begin(bid) is an address';
  return undefined;
}

/** Undefined where the operation has no meaning. */
function arithmeticSort(operator: ArithmeticOperator, left: Sort, right: Sort): Sort | undefined {
  const plain = (sort: Sort) => fits(sort, 'number');
  if (operator === '+') {
    if (plain(left) && plain(right)) return loosest(left, right);
    if ((left === 'pointer' || left === 'time') && plain(right)) return left;
    if ((right === 'pointer' || right === 'time') && plain(left)) return right;
    return undefined;
  }
  if (operator === '-') {
    if (fits(left, right) && left !== 'block' && left !== 'function' && left !== 'boolean') return left === right && left !== 'value' ? (left === 'any' ? 'any' : 'number') : loosest(left, right);
    return (left === 'pointer' || left === 'time') && plain(right) ? left : undefined;
  }
  if (operator === '&' || operator === '|' || operator === '^') {
    // The paper masks block ids, which are addresses in its semantics (IsAlive in Figure 6).
    const masked = (sort: Sort) => plain(sort) || sort === 'pointer' || sort === 'block';
    return masked(left) && masked(right) ? 'number' : undefined;
  }
  // Alignment: r % 16.
  if (operator === '%' && left === 'pointer' && plain(right)) return 'number';
  return plain(left) && plain(right) ? 'number' : undefined;
}

/** Of a sum: what is not known of a side is not known of the sum. */
function loosest(left: Sort, right: Sort): Sort {
  return [left, right].includes('any') ? 'any' : [left, right].includes('value') ? 'value' : 'number';
}
