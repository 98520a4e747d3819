import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRule } from '../evaluate/compileRule.js';
import type { AbstractMachine, BlockKind, MachineBlock, Occurrence } from '../evaluate/machine.js';
import { loadRulesOrThrow } from '../language/load.js';
import { TableMachine } from '../testing/tableMachine.js';
import { preconditionOf, type Check, type Precondition } from './precondition.js';
import { trackersOf } from './trackers.js';
import { printTracker } from './emit.js';

const DEFINES = `define Allocated(r) = exists event(., malloc, ., bid) in Trace suchthat (bid == Bid(r))
define Freed(r, r1) = exists event(., free, r1, bid) in Trace suchthat (bid == Bid(r))
`;

function checked(condition: string, point: string) {
  return loadRulesOrThrow(['a.bug'], () => `${DEFINES}[x] detect <H; F; S; P; G; Trace; ${point}>: ${condition}`)[0]!;
}

function precondition(condition: string, point = 'deref r, n'): Precondition {
  const rule = checked(condition, point);
  return preconditionOf(rule, rule.points[0]!);
}

/** Checks and kinds of blocks in short, or why there are none. */
function shown(found: Precondition): string {
  if (found.kind === 'always') return found.rare ? 'rare' : 'always';
  return found.checks.join(' ') + (found.blocks.length === 3 ? '' : ` of ${found.blocks.join(' ')}`);
}

describe('what is proved', () => {
  it.each([
    ['r == NULL', 'null'],
    ['r - NULL < 4096', 'null'],
    ['r - NULL < 8192', 'always'],
    ['Allocated(r) && Freed(r, r1)', 'freed of heap'],
    ['Allocated(r) && !Freed(r, .) && (r < Begin(r) || r >= End(r))', 'outOfBounds of heap'],
    ['Idx(r) + n > Size(r)', 'outOfBounds'],
    ['Idx(r) + n >= Size(r)', 'always'],
    ['End(r) - r < n', 'outOfBounds'],
    ['r - Begin(Bid(r)) < 0', 'outOfBounds'],
    ['r > End(r)', 'outOfBounds'],
    ['r >= End(r) - 1', 'always'],
    ['r == End(r)', 'outOfBounds'],
    ['Idx(r) == -1', 'outOfBounds'],
    ['exists event(., malloc, s, bid) in Trace suchthat (bid == Bid(r) && r >= End(bid))', 'outOfBounds of heap'],
    ['Bid(r) in F && IsStack(r)', 'freed of stack'],
    ['FreeTime(r) + 5 < Now()', 'freed'],
    ['!FindLast(., write, r, .)', 'uninitialized'],
    ['!Initialized(r, n) && Bid(r) in F', 'freed of heap stack'],
    ['!Initialized(r, 4)', 'always'],
    ['r == NULL || !Initialized(r)', 'null uninitialized'],
    ['r == NULL || n == 8', 'always'],
    ['!(r != NULL && n == n)', 'always'],
    ['!(r != NULL || n == n)', 'null'],
    ['!(r < End(r))', 'always'],
    ['!Allocated(r)', 'always'],
    ['r != Begin(r)', 'always'],
    ['!Accessible(r, n)', 'null freed outOfBounds notABlock'],
    ['false', ''],
    ['exists b in H suchthat (r == NULL)', 'null'],
    ['forall b in H suchthat (r == NULL)', 'always'],
  ])('at deref r, n: %s', (condition, expected) => {
    expect(shown(precondition(condition))).toBe(expected);
  });

  it.each([
    ['r != NULL && (!Allocated(r) || r != Begin(r))', 'notABlock notBlockBegin'],
    ['!(Idx(r) == 0)', 'notABlock notBlockBegin'],
    ['Allocated(r) && Freed(r, r1)', 'freed of heap'],
    ['!(Bid(r) in H)', 'freed notABlock'],
    ['Size(r) > 5', 'rare'],
  ])('at free r: %s', (condition, expected) => {
    expect(shown(precondition(condition, 'free r'))).toBe(expected);
  });

  it('at the others', () => {
    expect(shown(precondition('!Defined(v)', 'use v'))).toBe('undefinedValue');
    expect(shown(precondition('Value(ReturnSlot(), 8) != ReturnAddress()', 'ret . v'))).toBe('returnAddressChanged');
    expect(shown(precondition('p == NULL', 'call f(p)'))).toBe('rare');
    expect(shown(precondition('!FindLast(., write, r, .)', 'deref_w r'))).toBe('always');
    expect(precondition('n == 8')).toMatchObject({ kind: 'always', because: 'nothing in the condition says that a check of deref r, n fails' });
  });
});

describe('trackers', () => {
  it.each([
    ['Allocated(r) && Freed(r, r1)', 'deref r', 'heapBlocks'],
    ['r == NULL', 'deref r', ''],
    ['!FindLast(., write, r, .)', 'deref_r r', 'initializedBytes'],
    ['FindLast(., write, r, v) && v == 0', 'deref r', 'writeEvents'],
    ['exists bid in H suchthat (FindLast(k, call, ts, .) && Time(bid) > k)', 'ret ts v', 'calls(ts), heapBlocks, returns(ts)'],
    ['FindLast(., call, ?f, .)', 'call g(x)', 'calls'],
    ['IsStack(r) && r >= End(r)', 'deref r', 'stackBlocks'],
    ['FindLast(., branch, v) && exists event(k, malloc, ., .) in Trace', 'exit', 'branchEvents, mallocEvents'],
    ['exists b in H suchthat (!(exists . -> (b, .) in P) && !Reachable(b))', 'exit', 'heapBlocks, pointerMap, reachability'],
  ])('%s at %s', (condition, point, expected) => {
    expect(trackersOf(checked(condition, point)).map(printTracker).join(', ')).toBe(expected);
  });
});

const atoms = ['r == NULL', 'r < Begin(r)', 'r >= End(r)', 'r + n > End(r)', 'Idx(r) + n > Size(r) + 3', 'Idx(r) < 0', 'Bid(r) in F', 'Bid(r) in H', 'Allocated(r)', 'Freed(r, .)', 'n == 4', 'r != Begin(r)', 'IsHeap(r)', 'IsStack(r)', 'Initialized(r, n)', 'FindLast(., write, r, .)', 'FreeTime(r) > Time(r)', 'Accessible(r, n)', 'r == End(r)', 'Size(r) < 5', 'r - NULL < 100'];
const { condition: conditions } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...atoms),
    tie('condition').map((inner) => `!(${inner})`),
    fc.tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition')).map(([left, operator, right]) => `(${left} ${operator} ${right})`),
  ),
}));
const blocks: fc.Arbitrary<MachineBlock> = fc
  .record({ kind: fc.constantFrom<BlockKind[]>('heap', 'stack', 'global'), size: fc.bigInt(1n, 9n), freed: fc.boolean() })
  .map(({ kind, size, freed }) => ({ bid: 1n, kind, begin: 0x10000n, size, allocatedAt: 1n, ...(freed && kind !== 'global' && { freedAt: 2n, freedBy: 0x10000n }) }));

/** Whether a check fails, straight from its meaning. */
function failing(check: Check, machine: AbstractMachine, occurrence: Occurrence & { pointer: bigint }): boolean {
  const { pointer } = occurrence;
  const size = 'size' in occurrence ? BigInt(occurrence.size) : 1n;
  const block = machine.blockOf(pointer);
  switch (check) {
    case 'null':
      return pointer < 4096n;
    case 'freed':
      return block?.freedAt !== undefined;
    case 'outOfBounds':
      return block !== undefined && (pointer < block.begin || pointer + size > block.begin + block.size);
    case 'notABlock':
      return occurrence.kind === 'free' ? block?.kind !== 'heap' : !machine.isAccessible(pointer, size);
    case 'notBlockBegin':
      return block !== undefined && pointer !== block.begin;
    default:
      return !machine.isInitialized(pointer, size);
  }
}

it('a rule fires only where one of its checks fails', () => {
  let guarded = 0;
  fc.assert(
    fc.property(conditions, fc.constantFrom('deref r, n', 'free r'), blocks, fc.bigInt(-3n, 12n), fc.constantFrom(1, 2, 4), fc.integer({ min: 0, max: 15 }), fc.boolean(), (condition, point, block, offset, size, written, wild) => {
      const text = point === 'free r' ? condition.replaceAll(/\bn\b/g, '1') : condition;
      const compiled = compileRule(checked(text, point));
      const found = compiled.points[0]!.precondition;
      if (found.kind === 'always') return;
      guarded++;
      const machine = new TableMachine({ blocks: [block], initialized: (address) => ((written >> Number(address & 3n)) & 1) === 1 });
      const pointer = wild ? offset + 3n : block.begin + offset;
      const occurrence = point === 'free r' ? { kind: 'free' as const, pointer, by: 'free' } : { kind: 'read' as const, pointer, size };
      if (compiled.evaluate(machine, occurrence) === undefined) return;
      const fails = found.checks.filter((check) => failing(check, machine, occurrence));
      expect(fails, `${text} at ${point}, checks ${found.checks.join(' ')}`).not.toEqual([]);
      const belongs = machine.blockOf(pointer);
      if (belongs !== undefined) expect(found.blocks, text).toContain(belongs.kind);
    }),
    { numRuns: process.env['CULPRIT_LONG'] === '1' ? 200_000 : 1000 },
  );
  expect(guarded).toBeGreaterThan(100);
});
