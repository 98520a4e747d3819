/** Checked conditions as text again, for explanations: definitions inlined, variables by their names. */
import { assertNever } from '../../base/assert.js';
import type { CheckedVariable, Condition, Field, Pattern, Term } from '../language/core.js';
import { EVENT_FIELDS } from '../language/builtins.js';

type Variables = readonly CheckedVariable[];

export function printTerm(term: Term, variables: Variables): string {
  switch (term.kind) {
    case 'number':
      return term.sort === 'pointer' && term.value === 0n ? 'NULL' : String(term.value);
    case 'function':
      return JSON.stringify(term.name);
    case 'slot':
      return slotName(term.slot, variables);
    case 'apply':
      return `${term.name}(${term.args.map((arg) => printTerm(arg, variables)).join(', ')})`;
    case 'unary':
      return term.operator + printTerm(term.operand, variables);
    case 'binary': {
      const side = (inner: Term) => (inner.kind === 'binary' ? `(${printTerm(inner, variables)})` : printTerm(inner, variables));
      return `${side(term.left)} ${term.operator} ${side(term.right)}`;
    }
    default:
      return assertNever(term);
  }
}

/** Variables of definitions get their slot's number where their name is taken twice. */
function slotName(slot: number, variables: Variables): string {
  const { name } = variables[slot]!;
  return variables.findIndex((other) => other.name === name) === slot ? name : `${name}${slot}`;
}

export function printField(field: Field | undefined, variables: Variables): string {
  switch (field?.kind) {
    case undefined:
    case 'any':
      return '.';
    case 'bind':
    case 'same':
      return slotName(field.slot, variables);
    case 'equal':
      return printTerm(field.term, variables);
    case 'names':
      return field.names.join('|');
    default:
      return assertNever(field!);
  }
}

export function printPattern(pattern: Pattern, variables: Variables): string {
  const written = EVENT_FIELDS[pattern.event]!.map(({ name }) => printField(pattern.fields[name], variables));
  while (written.at(-1) === '.') written.pop();
  return `(${[printField(pattern.time, variables), pattern.event, ...written].join(', ')})`;
}

export function printCondition(condition: Condition, variables: Variables): string {
  const inner = (part: Condition) => (['and', 'or', 'event', 'block', 'pointer', 'frame'].includes(part.kind) && !isFindLast(part) ? `(${printCondition(part, variables)})` : printCondition(part, variables));
  const suchthat = (part: Condition) => (part.kind === 'constant' && part.value ? '' : ` suchthat (${printCondition(part, variables)})`);
  switch (condition.kind) {
    case 'constant':
      return String(condition.value);
    case 'and':
      return condition.parts.map(inner).join(' && ');
    case 'or':
      return condition.parts.map(inner).join(' || ');
    case 'not':
      return `!${condition.part.kind === 'compare' || condition.part.kind === 'member' ? `(${printCondition(condition.part, variables)})` : inner(condition.part)}`;
    case 'compare':
      return `${printTerm(condition.left, variables)} ${condition.operator} ${printTerm(condition.right, variables)}`;
    case 'test':
      return `${condition.name}(${condition.args.map((arg) => printTerm(arg, variables)).join(', ')})`;
    case 'member':
      return `${printTerm(condition.element, variables)} in ${condition.state}`;
    case 'event':
      if (condition.last) return `FindLast${printPattern(condition.pattern, variables)}`;
      return `exists event${printPattern(condition.pattern, variables)} in Trace${suchthat(condition.condition)}`;
    case 'block':
      return `exists ${printField(condition.block, variables)} in ${condition.state}${suchthat(condition.condition)}`;
    case 'pointer':
      return `exists ${printField(condition.pointer, variables)} -> (${printField(condition.block, variables)}, ${printField(condition.index, variables)}) in P${suchthat(condition.condition)}`;
    case 'frame':
      return `exists frame(${[condition.callee, condition.slotAddress, condition.target].map((field) => printField(field, variables)).join(', ')}) in S${suchthat(condition.condition)}`;
    default:
      return assertNever(condition);
  }
}

function isFindLast(condition: Condition): boolean {
  return condition.kind === 'event' && condition.last;
}
