/**
 * A checked rule to a detector: where it looks, what must be tracked for it, which cheap check must fail first, and the
 * evaluation itself. `deref r` is about single bytes, as in the paper: an access of eight bytes is looked at byte by
 * byte, and the first one for which the condition holds is r. With `deref r, n` it is looked at once.
 */
import { preconditionOf, type Precondition } from '../analysis/precondition.js';
import { trackersOf, type Tracker } from '../analysis/trackers.js';
import type { Severity } from '../language/ast.js';
import type { Sort } from '../language/builtins.js';
import type { CheckedPoint, CheckedRule } from '../language/core.js';
import { Frame, type RuleValue } from './frame.js';
import { compileCondition } from './goals.js';
import { isAccess, type AbstractMachine, type Access, type MachineEvent, type Occurrence } from './machine.js';
import { compileMessage } from './message.js';
import { compileTerm } from './terms.js';

interface BoundVariable {
  readonly name: string;
  readonly sort: Sort;
  readonly value: RuleValue;
  /** The event that gave it its value: for `r1` of a double free, the first free. */
  readonly event?: MachineEvent;
}

export interface FiredLocator {
  /** `VPC(r1)`. */
  readonly text: string;
  readonly value: bigint;
  /** The chain leads back from here; undefined for the detection point itself. */
  readonly from?: MachineEvent;
}

export interface Firing {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly point: CheckedPoint;
  /** What the rule itself names, in the order of its text; what was not bound on the way is missing. */
  readonly variables: readonly BoundVariable[];
  readonly locators: readonly FiredLocator[];
}

export interface CompiledPoint {
  readonly point: CheckedPoint;
  readonly precondition: Precondition;
}

export interface CompiledRule {
  readonly rule: CheckedRule;
  readonly points: readonly CompiledPoint[];
  readonly trackers: readonly Tracker[];
  /** The first solution. Does not ask whether the precondition holds: it follows from the condition. */
  evaluate(machine: AbstractMachine, occurrence: Occurrence): Firing | undefined;
  /** All of them, each once: every leaked block. */
  evaluateAll(machine: AbstractMachine, occurrence: Occurrence): Firing[];
}

export function compileRule(rule: CheckedRule): CompiledRule {
  const goal = compileCondition(rule.condition);
  const describe = describer(rule);
  const search = (machine: AbstractMachine, occurrence: Occurrence, found: (firing: Firing) => boolean) => {
    for (const point of rule.points) {
      for (const frame of framesOf(rule, point, machine, occurrence)) {
        if (goal(frame, () => found(describe(frame, point)))) return;
      }
    }
  };
  return {
    rule,
    points: rule.points.map((point) => ({ point, precondition: preconditionOf(rule, point) })),
    trackers: trackersOf(rule),
    evaluate: (machine, occurrence) => {
      let first: Firing | undefined;
      search(machine, occurrence, (firing) => {
        first = firing;
        return true;
      });
      return first;
    },
    evaluateAll: (machine, occurrence) => {
      const firings = new Map<string, Firing>();
      search(machine, occurrence, (firing) => {
        const key = firing.variables.map(({ name, value }) => `${name}=${value}`).join();
        if (!firings.has(key)) firings.set(key, firing);
        return false;
      });
      return [...firings.values()];
    },
  };
}

function describer(rule: CheckedRule): (frame: Frame, point: CheckedPoint) => Firing {
  const message = compileMessage(rule);
  const locators = rule.locators.map(({ text, term }) => ({ text, code: compileTerm(term), slot: term.kind === 'slot' ? term.slot : undefined }));
  return (frame, point) => {
    const variables = rule.variables.flatMap(({ name, sort, visible }, slot): BoundVariable[] => {
      const value = frame.values[slot];
      const event = frame.origins[slot];
      return visible && value !== undefined ? [{ name, sort, value, ...(event !== undefined && { event }) }] : [];
    });
    const chains = locators.flatMap(({ text, code, slot }): FiredLocator[] => {
      const value = code(frame);
      const from = slot === undefined ? undefined : frame.origins[slot];
      return typeof value === 'bigint' ? [{ text, value, ...(from !== undefined && { from }) }] : [];
    });
    return { rule: rule.name, severity: rule.severity, message: message(frame), point, variables, locators: chains };
  };
}

/** One for each byte of an access if the rule is about bytes; none if the point is another. */
function framesOf(rule: CheckedRule, point: CheckedPoint, machine: AbstractMachine, occurrence: Occurrence): Iterable<Frame> {
  if (!matches(point, occurrence)) return [];
  const frame = (values: readonly (RuleValue | undefined)[]) => {
    const made = new Frame(machine, rule.variables.length);
    if (occurrence.kind === 'use') {
      made.undefinedBits = occurrence.undefinedBits;
      made.undefinedFrom = occurrence.from;
    }
    if (occurrence.kind === 'call' || occurrence.kind === 'ret') made.callee = occurrence.callee;
    point.slots.forEach((slot, i) => {
      const value = values[i];
      if (slot !== undefined && value !== undefined) made.bind(slot, value);
    });
    return made;
  };
  if (!isAccess(occurrence)) return [frame(valuesOf(occurrence))];
  const { pointer, size } = occurrence;
  if (point.slots[1] !== undefined) return [frame([pointer, BigInt(size)])];
  return byteFrames(pointer, size, (address) => frame([address]));
}

function* byteFrames(pointer: bigint, size: number, frame: (address: bigint) => Frame): Generator<Frame> {
  for (let i = 0n; i < size; i++) yield frame(pointer + i);
}

function valuesOf(occurrence: Exclude<Occurrence, Access>): readonly RuleValue[] {
  switch (occurrence.kind) {
    case 'free':
      return [occurrence.pointer, occurrence.by];
    case 'call':
      return occurrence.args;
    case 'exit':
      return [occurrence.status];
    default:
      return [occurrence.value];
  }
}

export function matches(point: CheckedPoint, occurrence: Occurrence): boolean {
  switch (occurrence.kind) {
    case 'read':
      return point.kind === 'deref' || point.kind === 'deref_r';
    case 'write':
      return point.kind === 'deref' || point.kind === 'deref_w';
    case 'call':
    case 'ret':
      return point.kind === occurrence.kind && (point.callees === undefined || point.callees.includes(occurrence.callee));
    case 'use':
      return point.kind === 'use' && (point.use === undefined || point.use === occurrence.use);
    default:
      return point.kind === occurrence.kind;
  }
}
