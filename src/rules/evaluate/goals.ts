/**
 * Conditions as goals: a goal tries its solutions one after the other and calls `then` for each with the slots bound;
 * the first `then` that answers true ends the search. So `Freed(r, r1) && r1 != r` looks at the next free if the first
 * will not do, and a caller that always answers false sees every solution (all leaked blocks).
 */
import { assertNever } from '../../base/assert.js';
import type { BlockState, ComparisonOperator, Condition, Field, Term } from '../language/core.js';
import type { Frame, RuleValue } from './frame.js';
import type { AbstractMachine, EventQuery, MachineBlock, MachineEvent } from './machine.js';
import { blockOfEvent, boundSlots, fieldsOf, initializedByte, knownValue, slotsBoundIn } from '../analysis/shapes.js';
import { blockCode, compileTerm, type TermCode } from './terms.js';

type Goal = (frame: Frame, then: () => boolean) => boolean;

const yes = () => true;
const MOST_BYTES = 1n << 32n;

export function compileCondition(condition: Condition): Goal {
  const initialized = initializedByte(condition);
  if (initialized !== undefined) return test((frame, [pointer]) => typeof pointer === 'bigint' && frame.machine.isInitialized(pointer, 1n), [initialized]);
  switch (condition.kind) {
    case 'constant':
      return (_frame, then) => condition.value && then();
    case 'and':
      return condition.parts.map(compileCondition).reduceRight((rest, first) => (frame, then) => first(frame, () => rest(frame, then)));
    case 'or': {
      const goals = condition.parts.map(compileCondition);
      return (frame, then) => goals.some((goal) => goal(frame, then));
    }
    case 'not':
      return negation(condition.part);
    case 'compare':
      return comparison(condition.operator, compileTerm(condition.left), compileTerm(condition.right));
    case 'test':
      return builtinTest(condition);
    case 'member': {
      const blockOf = blockCode(condition.element);
      return (frame, then) => inState(blockOf(frame), condition.state) && then();
    }
    case 'event':
      return events(condition);
    case 'block':
      return blocks(condition);
    case 'pointer':
      return pointers(condition);
    case 'frame':
      return frames(condition);
    default:
      return assertNever(condition);
  }
}

function negation(part: Condition): Goal {
  const goal = compileCondition(part);
  const bound = slotsBoundIn(part);
  return (frame, then) => {
    if (goal(frame, yes)) {
      frame.unbind(bound);
      return false;
    }
    return then();
  };
}

function comparison(operator: ComparisonOperator, left: TermCode, right: TermCode): Goal {
  return (frame, then) => {
    const a = left(frame);
    const b = right(frame);
    return a !== undefined && b !== undefined && typeof a === typeof b && compare(operator, a, b) && then();
  };
}

function compare<T extends RuleValue | number>(operator: ComparisonOperator, a: T, b: T): boolean {
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      return assertNever(operator);
  }
}

function test(predicate: (frame: Frame, values: readonly (RuleValue | undefined)[]) => boolean, args: readonly Term[]): Goal {
  const codes = args.map(compileTerm);
  return (frame, then) => predicate(frame, codes.map((code) => code(frame))) && then();
}

function builtinTest({ name, args }: Condition & { kind: 'test' }): Goal {
  const range = (ask: (machine: AbstractMachine, pointer: bigint, bytes: bigint) => boolean) =>
    test(({ machine }, [pointer, bytes = 1n]) => {
      if (typeof pointer !== 'bigint' || typeof bytes !== 'bigint') return false;
      // A negative length that became a size is no range that anybody could look through.
      return bytes <= 0n || (bytes <= MOST_BYTES && ask(machine, pointer, bytes));
    }, args);
  const ofBlock = (ask: (block: MachineBlock, machine: AbstractMachine) => boolean): Goal => {
    const blockOf = blockCode(args[0]!);
    return (frame, then) => {
      const block = blockOf(frame);
      return block !== undefined && ask(block, frame.machine) && then();
    };
  };
  switch (name) {
    case 'Initialized':
      return range((machine, pointer, bytes) => machine.isInitialized(pointer, bytes));
    case 'Accessible':
      return range((machine, pointer, bytes) => machine.isAccessible(pointer, bytes));
    case 'Defined':
      return (frame, then) => frame.undefinedBits === 0n && then();
    case 'IsHeap':
      return ofBlock(({ kind }) => kind === 'heap');
    case 'IsStack':
      return ofBlock(({ kind }) => kind === 'stack');
    case 'IsGlobal':
      return ofBlock(({ kind }) => kind === 'global');
    case 'Reachable':
      return ofBlock(({ bid }, machine) => machine.isReachable(bid));
    default:
      return () => false;
  }
}

export function inState(block: MachineBlock | undefined, state: BlockState): boolean {
  if (block === undefined) return false;
  if (state === 'F') return block.freedAt !== undefined;
  const kinds = { H: 'heap', S: 'stack', G: 'global' } as const;
  return block.kind === kinds[state] && block.freedAt === undefined;
}

type FieldMatch = (frame: Frame, value: RuleValue | undefined, origin?: MachineEvent) => boolean;

/** Matches one field, binding its slot; the caller unbinds. */
function fieldMatch(field: Field): FieldMatch {
  switch (field.kind) {
    case 'any':
      return yes;
    case 'bind':
      return (frame, value, origin) => {
        if (value === undefined) return false;
        frame.bind(field.slot, value, origin);
        return true;
      };
    case 'same':
      return (frame, value) => value !== undefined && frame.values[field.slot] === value;
    case 'equal': {
      const code = compileTerm(field.term);
      return (frame, value) => value !== undefined && code(frame) === value;
    }
    case 'names':
      return (_frame, value) => typeof value === 'string' && field.names.includes(value);
    default:
      return assertNever(field);
  }
}

/** Tries one candidate: its fields, then the condition, then the rest. Leaves slots bound only if all succeeded. */
function candidate<C>(fields: readonly { readonly field: Field; readonly get: (candidate: C) => RuleValue | undefined }[], inner: Goal) {
  const matches = fields.map(({ field, get }) => ({ match: fieldMatch(field), get }));
  const bound = boundSlots(fields.map(({ field }) => field));
  return {
    matches: (frame: Frame, element: C, origin?: MachineEvent) => {
      const matched = matches.every(({ match, get }) => match(frame, get(element), origin));
      if (!matched) frame.unbind(bound);
      return matched;
    },
    solve: (frame: Frame, then: () => boolean) => {
      const solved = inner(frame, then);
      if (!solved) frame.unbind(bound);
      return solved;
    },
  };
}

function events(condition: Condition & { kind: 'event' }): Goal {
  const { pattern, last } = condition;
  const fields = [{ field: pattern.time, get: (event: MachineEvent): RuleValue => event.time }];
  for (const [name, field] of Object.entries(pattern.fields)) fields.push({ field, get: (event) => eventField(event, name) as RuleValue });
  const attempt = candidate(fields, compileCondition(condition.condition));
  const search = searchOf(condition);
  return (frame, then) => {
    let solved = false;
    const visit = (event: MachineEvent) => {
      if (!attempt.matches(frame, event, event)) return false;
      solved = attempt.solve(frame, then);
      return solved || last;
    };
    search(frame, visit);
    return solved;
  };
}

function eventField(event: MachineEvent, name: string): RuleValue | undefined {
  if (event.kind === 'call' && name.startsWith('arg')) return event.args[Number(name.slice(3))];
  // A value that was made where it was written comes from nowhere.
  if (event.kind === 'write' && name === 'origin') return event.origin ?? 0n;
  return (event as unknown as Record<string, RuleValue | undefined>)[name];
}

/**
 * Where the events come from: the block itself if the condition says which, else the machine, with what is known to
 * narrow the search.
 */
function searchOf({ pattern, condition }: Condition & { kind: 'event' }): (frame: Frame, visit: (event: MachineEvent) => boolean) => void {
  const ofBlock = blockOfEvent(pattern, condition);
  if (ofBlock !== undefined) {
    const bidCode = compileTerm(ofBlock);
    return (frame, visit) => {
      const bid = bidCode(frame);
      const event = typeof bid === 'bigint' ? blockEvent(frame.machine.block(bid), pattern.event === 'malloc') : undefined;
      if (event !== undefined) visit(event);
    };
  }
  const pointer = knownValue(pattern, 'pointer', condition);
  const pointerCode = pointer === undefined ? undefined : compileTerm(pointer);
  const callee = pattern.fields['callee'];
  const named = callee?.kind === 'names' ? { callees: callee.names } : {};
  return (frame, visit) => {
    const known = pointerCode?.(frame);
    const query: EventQuery = { kind: pattern.event, ...named, ...(typeof known === 'bigint' && { pointer: known }) };
    frame.machine.events(query, visit);
  };
}

function blockEvent(block: MachineBlock | undefined, malloc: boolean): MachineEvent | undefined {
  if (block?.kind !== 'heap') return undefined;
  if (malloc) return { kind: 'malloc', time: block.allocatedAt, size: block.size, bid: block.bid };
  if (block.freedAt === undefined) return undefined;
  return { kind: 'free', time: block.freedAt, pointer: block.freedBy ?? block.begin, bid: block.bid };
}

function blocks(condition: Condition & { kind: 'block' }): Goal {
  const attempt = candidate<MachineBlock>([{ field: condition.block, get: ({ bid }) => bid }], compileCondition(condition.condition));
  const { block: field, state } = condition;
  const code = field.kind === 'equal' ? compileTerm(field.term) : undefined;
  return (frame, then) => {
    if (code !== undefined) {
      const bid = code(frame);
      return typeof bid === 'bigint' && inState(frame.machine.block(bid), state) && attempt.solve(frame, then);
    }
    for (const block of frame.machine.blocks(state)) {
      if (attempt.matches(frame, block) && attempt.solve(frame, then)) return true;
    }
    return false;
  };
}

function pointers(condition: Condition & { kind: 'pointer' }): Goal {
  const { pointer, block, index } = condition;
  const attempt = candidate<{ pointer: bigint; bid: bigint; index: bigint }>(
    [{ field: pointer, get: (entry) => entry.pointer }, { field: block, get: (entry) => entry.bid }, { field: index, get: (entry) => entry.index }],
    compileCondition(condition.condition),
  );
  const code = block.kind === 'equal' ? compileTerm(block.term) : undefined;
  return (frame, then) => {
    const bid = code?.(frame);
    if (code !== undefined && typeof bid !== 'bigint') return false;
    return frame.machine.pointers(typeof bid === 'bigint' ? bid : undefined, (entry) => attempt.matches(frame, entry) && attempt.solve(frame, then));
  };
}

function frames(condition: Condition & { kind: 'frame' }): Goal {
  const [callee, slotAddress, target] = fieldsOf(condition);
  const attempt = candidate<{ callee: string; slot: bigint; target: bigint }>(
    [{ field: callee!, get: (frame) => frame.callee }, { field: slotAddress!, get: (frame) => frame.slot }, { field: target!, get: (frame) => frame.target }],
    compileCondition(condition.condition),
  );
  return (frame, then) => {
    for (const entry of frame.machine.frames()) if (attempt.matches(frame, entry) && attempt.solve(frame, then)) return true;
    return false;
  };
}
