/**
 * Shapes of conditions that have a direct answer. The trace of the paper is a long list that is searched; a machine
 * that knows its blocks and which bytes are initialised answers most searches at once. The evaluator, the trackers and
 * the proofs all go by these.
 */
import type { Condition, Field, Pattern, Term } from '../language/core.js';

/** `FindLast(_, write, r, _)`, `exists event(_, write, r) in Trace`: the byte at r is initialised. The answer is r. */
export function initializedByte(condition: Condition): Term | undefined {
  if (condition.kind !== 'event' || condition.pattern.event !== 'write') return undefined;
  const { pattern } = condition;
  const { pointer, ...others } = pattern.fields;
  if (pointer?.kind !== 'equal' || Object.keys(others).length > 0 || pattern.time.kind !== 'any') return undefined;
  return condition.condition.kind === 'constant' && condition.condition.value ? pointer.term : undefined;
}

/**
 * The block that a malloc or free event is about, if the condition says so: `exists event(., malloc, ., bid) in Trace
 * suchthat (bid == Bid(r))` has Bid(r), and so has the event with Bid(r) as its field.
 */
export function blockOfEvent(pattern: Pattern, condition: Condition): Term | undefined {
  if (pattern.event !== 'malloc' && pattern.event !== 'free') return undefined;
  return knownValue(pattern, 'bid', condition);
}

/** What a field must be equal to, given in the pattern or by `field == term` in the condition. */
export function knownValue(pattern: Pattern, name: string, condition: Condition): Term | undefined {
  const field = pattern.fields[name];
  if (field?.kind === 'equal') return field.term;
  if (field?.kind !== 'bind') return undefined;
  const bound = new Set(boundSlots([pattern.time, ...Object.values(pattern.fields)]));
  const conjuncts = condition.kind === 'and' ? condition.parts : [condition];
  for (const conjunct of conjuncts) {
    if (conjunct.kind !== 'compare' || conjunct.operator !== '==') continue;
    for (const [one, other] of [[conjunct.left, conjunct.right], [conjunct.right, conjunct.left]] as const) {
      if (one.kind === 'slot' && one.slot === field.slot && slotsOf(other).every((slot) => !bound.has(slot))) return other;
    }
  }
  return undefined;
}

export function boundSlots(fields: readonly Field[]): number[] {
  return fields.flatMap((field) => (field.kind === 'bind' ? [field.slot] : []));
}

export function slotsOf(term: Term): number[] {
  switch (term.kind) {
    case 'slot':
      return [term.slot];
    case 'unary':
      return slotsOf(term.operand);
    case 'binary':
      return [...slotsOf(term.left), ...slotsOf(term.right)];
    case 'apply':
      return term.args.flatMap(slotsOf);
    default:
      return [];
  }
}

/** Fields of whatever a quantifier ranges over. */
export function fieldsOf(condition: Condition): readonly Field[] {
  switch (condition.kind) {
    case 'event':
      return [condition.pattern.time, ...Object.values(condition.pattern.fields)];
    case 'block':
      return [condition.block];
    case 'pointer':
      return [condition.pointer, condition.block, condition.index];
    case 'frame':
      return [condition.callee, condition.slotAddress, condition.target];
    default:
      return [];
  }
}

/** Conditions directly inside another. */
export function partsOf(condition: Condition): readonly Condition[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts;
    case 'not':
      return [condition.part];
    case 'event':
    case 'block':
    case 'pointer':
    case 'frame':
      return [condition.condition];
    default:
      return [];
  }
}

/** Terms of a condition itself, not of what is inside it. */
export function termsOf(condition: Condition): readonly Term[] {
  const matched = fieldsOf(condition).flatMap((field) => (field.kind === 'equal' ? [field.term] : []));
  switch (condition.kind) {
    case 'compare':
      return [condition.left, condition.right];
    case 'test':
      return condition.args;
    case 'member':
      return [condition.element];
    default:
      return matched;
  }
}

/** All slots that patterns within bind. */
export function slotsBoundIn(condition: Condition): number[] {
  return [...boundSlots(fieldsOf(condition)), ...partsOf(condition).flatMap(slotsBoundIn)];
}
