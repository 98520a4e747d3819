/**
 * What has to be observed for a rule: only that is switched on (Section 4.2 of the paper). Blocks answer malloc and
 * free events of a known block, and the map of initialised bytes answers whether a byte was written, so most rules need
 * no list of events at all.
 */
import type { BlockState, CheckedRule, Condition, Term } from '../language/core.js';
import { kindsOf, subjectOf } from './precondition.js';
import { blockOfEvent, initializedByte, partsOf, termsOf } from './shapes.js';

export type TrackerKind =
  | 'heapBlocks' | 'stackBlocks' | 'globalBlocks'
  | 'initializedBytes' | 'definedValues'
  | 'mallocEvents' | 'freeEvents' | 'writeEvents' | 'branchEvents'
  | 'calls' | 'returns'
  | 'pointerMap' | 'reachability' | 'returnAddresses';

export interface Tracker {
  readonly kind: TrackerKind;
  /** Of calls and returns: which functions; undefined for all of them. */
  readonly functions?: readonly string[];
}

const EVENT_TRACKERS = { malloc: 'mallocEvents', free: 'freeEvents', write: 'writeEvents', branch: 'branchEvents', call: 'calls', ret: 'returns' } as const;
const STATE_TRACKERS: Readonly<Record<BlockState, readonly TrackerKind[]>> = { H: ['heapBlocks'], F: ['heapBlocks'], S: ['stackBlocks'], G: ['globalBlocks'] };

export function trackersOf(rule: CheckedRule): readonly Tracker[] {
  const set = new TrackerSet();
  for (const point of rule.points) {
    if (point.kind === 'call') set.add('calls', point.callees);
    else if (point.kind === 'ret') set.add('returns', point.callees);
    else if (point.kind === 'free') set.add('heapBlocks');
  }
  visitCondition(rule.condition, set);
  if (!concernsHeap(rule)) set.remove('heapBlocks');
  return set.list();
}

/** Not if every point's pointer can only belong to blocks of other kinds. */
function concernsHeap(rule: CheckedRule): boolean {
  return rule.points.some((point) => !point.kind.startsWith('deref') || kindsOf(rule.condition, subjectOf(point)).includes('heap'));
}

/** What several rules need together. */
export function joinTrackers(lists: Iterable<readonly Tracker[]>): readonly Tracker[] {
  const set = new TrackerSet();
  for (const list of lists) for (const { kind, functions } of list) set.add(kind, functions);
  return set.list();
}

class TrackerSet {
  /** Undefined: all functions. */
  private readonly kinds = new Map<TrackerKind, Set<string> | undefined>();

  add(kind: TrackerKind, functions?: readonly string[]): void {
    const known = this.kinds.get(kind);
    if (functions === undefined || (this.kinds.has(kind) && known === undefined)) this.kinds.set(kind, undefined);
    else this.kinds.set(kind, new Set([...(known ?? []), ...functions]));
  }

  remove(kind: TrackerKind): void {
    this.kinds.delete(kind);
  }

  list(): Tracker[] {
    return [...this.kinds].map(([kind, functions]) => (functions === undefined ? { kind } : { kind, functions: [...functions].sort() })).sort((a, b) => (a.kind < b.kind ? -1 : 1));
  }
}

function visitCondition(condition: Condition, set: TrackerSet): void {
  termsOf(condition).forEach((term) => visitTerm(term, set));
  if (initializedByte(condition) !== undefined) return set.add('initializedBytes');
  switch (condition.kind) {
    case 'event': {
      const { pattern } = condition;
      const { callee } = pattern.fields;
      if (blockOfEvent(pattern, condition.condition) !== undefined) set.add('heapBlocks');
      else set.add(EVENT_TRACKERS[pattern.event], callee?.kind === 'names' ? callee.names : undefined);
      break;
    }
    case 'block':
    case 'member':
      for (const kind of STATE_TRACKERS[condition.state]) set.add(kind);
      break;
    case 'pointer':
      set.add('pointerMap');
      break;
    case 'frame':
      set.add('returnAddresses');
      break;
    case 'test':
      visitTest(condition.name, set);
      break;
    default:
  }
  partsOf(condition).forEach((part) => visitCondition(part, set));
}

function visitTest(name: string, set: TrackerSet): void {
  const kinds: Readonly<Record<string, TrackerKind>> = {
    Initialized: 'initializedBytes', Defined: 'definedValues', IsHeap: 'heapBlocks', IsStack: 'stackBlocks', IsGlobal: 'globalBlocks', Reachable: 'reachability', Accessible: 'heapBlocks',
  };
  const kind = kinds[name];
  if (kind !== undefined) set.add(kind);
}

function visitTerm(term: Term, set: TrackerSet): void {
  if (term.kind === 'unary') visitTerm(term.operand, set);
  if (term.kind === 'binary') [term.left, term.right].forEach((side) => visitTerm(side, set));
  if (term.kind !== 'apply') return;
  term.args.forEach((arg) => visitTerm(arg, set));
  if (term.name === 'ReturnSlot' || term.name === 'ReturnAddress') set.add('returnAddresses');
  else if (['Bid', 'Idx', 'Begin', 'End', 'Size', 'Time', 'FreeTime', 'Allocator', 'Deallocator', 'Block'].includes(term.name)) set.add('heapBlocks');
}
