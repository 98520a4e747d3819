/**
 * What is generated for a rule, readable: where it is woven in, which check guards it, what is tracked, and the
 * detector as a small program, line by line as the evaluator goes through it. For `culprit rules compile FILE --emit`.
 */
import { assertNever } from '../../base/assert.js';
import type { CheckedRule, CheckedVariable, Condition } from '../language/core.js';
import { preconditionOf, type Precondition } from './precondition.js';
import { printCondition, printField, printPattern, printTerm } from './printCore.js';
import { blockOfEvent, initializedByte } from './shapes.js';
import { trackersOf, type Tracker } from './trackers.js';

export function emitRules(rules: readonly CheckedRule[]): string {
  const total = rules.reduce((sum, rule) => sum + detectorLines(rule).length, 0);
  const count = `${rules.length} rule${rules.length === 1 ? '' : 's'}, ${rules.reduce((sum, { lines }) => sum + lines, 0)} lines, to ${total} lines of detectors`;
  return `${[...rules.map(emitRule), count].join('\n\n')}\n`;
}

function emitRule(rule: CheckedRule): string {
  const { place } = rule;
  const detector = detectorLines(rule);
  return [
    `rule ${rule.name} (${place.file}:${place.line}), ${rule.severity}${rule.enabled ? '' : ', off by default'}: ${rule.lines} lines of rules, ${detector.length} of detector`,
    `  trackers: ${trackersOf(rule).map(printTracker).join(', ') || 'none'}`,
    ...rule.points.flatMap((point) => [`  at ${point.text}: ${printPrecondition(preconditionOf(rule, point))}`]),
    ...detector.map((line) => `    ${line}`),
  ].join('\n');
}

export function printTracker({ kind, functions }: Tracker): string {
  return functions === undefined ? kind : `${kind}(${functions.join(', ')})`;
}

function printPrecondition(precondition: Precondition): string {
  if (precondition.kind === 'always') return `always, ${precondition.because}`;
  const all = precondition.blocks.length === 3;
  return `only if ${precondition.checks.join(' or ') || 'never'}${all ? '' : ` (${precondition.blocks.join(', ')} blocks)`}, because ${precondition.because}`;
}

function detectorLines(rule: CheckedRule): string[] {
  const { variables } = rule;
  const parameters = [...new Set(rule.points.flatMap((point) => point.slots))].flatMap((slot) => (slot === undefined ? [] : [variables[slot]!.name]));
  const report = `report ${rule.name}${rule.locators.map(({ text }) => ` ${text}`).join('')}`;
  return [`detector ${rule.name}(${parameters.join(', ')}) {`, ...lines(rule.condition, variables, [report]).map(indented), '}'];
}

function indented(line: string): string {
  return `  ${line}`;
}

/** Code that runs `then` for each way the condition is true. */
function lines(condition: Condition, variables: readonly CheckedVariable[], then: readonly string[]): string[] {
  const enclosed = (head: string, body: Condition) => [`${head} {`, ...lines(body, variables, then).map(indented), '}'];
  const field = (one: Parameters<typeof printField>[0]) => printField(one, variables);
  const initialized = initializedByte(condition);
  if (initialized !== undefined) return when(`initialized[${printTerm(initialized, variables)}]`, then);
  switch (condition.kind) {
    case 'constant':
      return condition.value ? [...then] : [];
    case 'and':
      return condition.parts.reduceRight<readonly string[]>((rest, part) => lines(part, variables, rest), then) as string[];
    case 'or':
      return isSimple(condition) ? when(printCondition(condition, variables), then) : condition.parts.flatMap((part) => lines(part, variables, then));
    case 'not':
      if (isSimple(condition)) return when(printCondition(condition, variables), then);
      return ['unless {', ...lines(condition.part, variables, ['found']).map(indented), '} then {', ...then.map(indented), '}'];
    case 'compare':
    case 'test':
    case 'member':
      return when(printCondition(condition, variables), then);
    case 'event': {
      const block = blockOfEvent(condition.pattern, condition.condition);
      const { event } = condition.pattern;
      if (block !== undefined) return enclosed(`with event${printPattern(condition.pattern, variables)} of heapBlocks[${printTerm(block, variables)}].${event === 'malloc' ? 'allocated' : 'freed'}`, withoutKnown(condition));
      return enclosed(`${condition.last ? 'with the last' : 'for each'} ${event} event${printPattern(condition.pattern, variables)} backward`, condition.condition);
    }
    case 'block':
      return enclosed(`for each ${field(condition.block)} in ${condition.state}`, condition.condition);
    case 'pointer':
      return enclosed(`for each pointer ${field(condition.pointer)} to (${field(condition.block)}, ${field(condition.index)})`, condition.condition);
    case 'frame':
      return enclosed(`for each frame(${[condition.callee, condition.slotAddress, condition.target].map(field).join(', ')})`, condition.condition);
    default:
      return assertNever(condition);
  }
}

/** Without what finding the block has already answered. */
function withoutKnown({ pattern, condition }: Condition & { kind: 'event' }): Condition {
  const { bid } = pattern.fields;
  const parts = condition.kind === 'and' ? condition.parts : [condition];
  const isKnown = (part: Condition) => part.kind === 'compare' && part.operator === '==' && [part.left, part.right].some((side) => side.kind === 'slot' && bid?.kind === 'bind' && side.slot === bid.slot);
  const known = parts.findIndex(isKnown);
  return { kind: 'and', parts: [{ kind: 'constant', value: true }, ...parts.filter((_, i) => i !== known)] };
}

function when(test: string, then: readonly string[]): string[] {
  return [`if (${test}) {`, ...then.map(indented), '}'];
}

/** Without searches inside. */
function isSimple(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.every(isSimple);
    case 'not':
      return isSimple(condition.part);
    case 'compare':
    case 'test':
    case 'member':
    case 'constant':
      return true;
    default:
      return false;
  }
}
