import { describe, expect, it } from 'vitest';
import { loadRulesOrThrow } from '../language/load.js';
import { stringAt, TableMachine, type Tables } from '../testing/tableMachine.js';
import { compileRule, type Firing } from './compileRule.js';
import type { MachineBlock, Occurrence } from './machine.js';

const DEFINES = `define Allocated(r) = exists event(., malloc, ., bid) in Trace suchthat (bid == Bid(r))
define Freed(r, r1) = exists event(., free, r1, bid) in Trace suchthat (bid == Bid(r))
`;
const LIVE: MachineBlock = { bid: 1n, kind: 'heap', begin: 0x10000n, size: 16n, allocatedAt: 10n, allocator: 'malloc' };
const FREED: MachineBlock = { bid: 2n, kind: 'heap', begin: 0x20000n, size: 8n, allocatedAt: 20n, allocator: 'malloc', freedAt: 30n, freedBy: 0x20000n, deallocator: 'free' };
const LOCAL: MachineBlock = { bid: 3n, kind: 'stack', begin: 0x30000n, size: 4n, allocatedAt: 5n };

function rule(text: string) {
  return compileRule(loadRulesOrThrow(['a.bug'], () => DEFINES + text).at(-1)!);
}

function read(pointer: bigint, size = 1): Occurrence {
  return { kind: 'read', pointer, size };
}

function fires(condition: string, tables: Tables = { blocks: [LIVE, FREED, LOCAL] }, occurrence = read(LIVE.begin), point = 'deref r, n'): Firing | undefined {
  return rule(`[x] detect <H; F; S; P; G; Trace; ${point}>: ${condition}`).evaluate(new TableMachine(tables), occurrence);
}

function values(firing: Firing | undefined): Record<string, bigint | string> | undefined {
  return firing && Object.fromEntries(firing.variables.map(({ name, value }) => [name, value]));
}

describe('conditions', () => {
  it.each([
    ['Size(r) == 16 && Begin(r) == r && End(r) - Begin(r) == Size(r) && Idx(r) == 0', true],
    ['Allocated(r) && !Freed(r, .)', true],
    ['Time(r) < Now() && Time(Bid(r)) == Time(r)', true],
    ['Allocator(r) == "malloc" && Family(Allocator(r)) == Family("calloc")', true],
    ['Family(Allocator(r)) != Family("operator delete")', true],
    ['Bid(r) in H && !(Bid(r) in F)', true],
    ['IsHeap(r) && !IsStack(r)', true],
    ['FreeTime(r) == FreeTime(r)', false],
    ['!(FreeTime(r) == FreeTime(r))', true],
    ['(7 & 3 | 8) == 11 && 1 << 4 == 16 && -7 / 2 == -3 && 7 % 4 == 3 && ~0 == -1 && (6 ^ 3) == 5 && 16 >> 2 == 4', true],
    ['1 / (n - 1) == 0 || 1 / (n - 1) != 0', false],
    ['Int(0xffffffff) == -1 && Long(0xffffffffffffffff) == -1', true],
    ['!Initialized(r, 0xffffffffffffffff) && !Accessible(r, 0xffffffffffffffff) && Initialized(r, 0)', true],
    ['forall b in H suchthat (Size(b) == 16)', true],
    ['forall b in F suchthat (Size(b) > 8)', false],
    ['exists b in S suchthat (IsStack(b) && Size(b) == 4)', true],
    ['exists b in G', false],
  ])('%s', (condition, expected) => {
    expect(fires(condition) !== undefined).toBe(expected);
  });

  it('what does not exist makes comparisons false', () => {
    expect(fires('Size(r) == Size(r)', undefined, read(0n))).toBeUndefined();
    expect(fires('!(Size(r) == Size(r))', undefined, read(0n))).toBeDefined();
    expect(fires('Bid(r) in H || Bid(r) in F', undefined, read(0n))).toBeUndefined();
  });

  it('binds the pointer of the first free, and where its chain begins', () => {
    const firing = rule('[x] detect <Trace; free r>: Allocated(r) && Freed(r, r1) :VPC(r), VPC(r1)\n message "{r}, {Size(r)} bytes, by {r1} at {FreeTime(r)}"').evaluate(
      new TableMachine({ blocks: [FREED] }),
      { kind: 'free', pointer: 0x20000n, by: 'free' },
    );
    expect(firing?.message).toBe('0x20000, 8 bytes, by 0x20000 at 30');
    expect(firing?.locators).toEqual([
      { text: 'VPC(r)', value: 0x20000n },
      { text: 'VPC(r1)', value: 0x20000n, from: { kind: 'free', time: 30n, pointer: 0x20000n, bid: 2n } },
    ]);
  });

  it('without a message says what the variables are', () => {
    const firing = rule('[x] detect <Trace; free r>: Freed(r, r1) && Allocated(r)').evaluate(new TableMachine({ blocks: [FREED] }), { kind: 'free', pointer: 0x20004n, by: 'free' });
    expect(firing?.message).toBe('free r: r = 0x20004, r1 = 0x20000');
  });

  it('looks further if the first event will not do', () => {
    const events = [1n, 2n, 3n].map((k) => ({ kind: 'write' as const, time: k, pointer: 0x10000n, value: k * 10n }));
    expect(values(fires('exists event(k, write, r, v) in Trace suchthat (v < 25) && k < 2', { events }))).toMatchObject({ k: 1n, v: 10n });
    expect(fires('FindLast(k, write, r, v) && v < 25', { events })).toBeUndefined();
    expect(values(fires('FindLast(k, write, r, v) && v > 25', { events }))).toMatchObject({ k: 3n });
    expect(fires('exists event(., write, a, a) in Trace', { events })).toBeUndefined();
  });

  it('stops at the first match, and asks for no event of a block it knows', () => {
    const events = Array.from({ length: 50 }, (_, i) => ({ kind: 'call' as const, time: BigInt(i), callee: i % 2 === 0 ? 'f' : 'g', args: [BigInt(i)] }));
    const machine = new TableMachine({ events, blocks: [FREED] });
    const compiled = rule('[x] detect <Trace; deref r>: FindLast(k, call, ?f, a) && Freed(r, .)');
    expect(values(compiled.evaluate(machine, read(FREED.begin)))).toMatchObject({ k: 49n, f: 'g', a: 49n });
    expect(machine.questions).toBe(1);
  });

  it('matches functions by name, by set and by variable', () => {
    const events = [{ kind: 'call' as const, time: 1n, callee: 'f', args: [7n] }, { kind: 'ret' as const, time: 2n, callee: 'f', value: 8n }];
    const machine = new TableMachine({ events });
    const at = (text: string) => rule(text).evaluate(machine, { kind: 'ret', callee: 'f', value: 9n });
    expect(values(at('functions Set = e, f\n[x] detect <Trace; ret Set v>: FindLast(., call, Set, a) && FindLast(., ret, Set, b)'))).toEqual({ v: 9n, a: 7n, b: 8n });
    expect(at('[x] detect <Trace; ret f v>: FindLast(., call, g, .)')).toBeUndefined();
    expect(at('[x] detect <Trace; ret . v>: FindLast(., call, ?c, .) && c == "f" && FindLast(., ret, c, .) && Callee() == c')).toBeDefined();
    expect(at('[x] detect <Trace; ret g v>: true')).toBeUndefined();
  });

  it('leaves nothing bound by a negation or an alternative that failed', () => {
    expect(values(fires('!Freed(r, q) && (Freed(r, q) || r != NULL)'))).toEqual({ r: 0x10000n, n: 1n });
  });

  it('finds pointers and frames', () => {
    const tables: Tables = { blocks: [LIVE], pointers: [{ pointer: 0x10004n, bid: 1n, index: 4n }], frames: [{ callee: 'f', slot: 0x100n, target: 0x40n }] };
    expect(values(fires('exists b in H suchthat (exists p -> (b, i) in P)', tables))).toMatchObject({ b: 1n, p: 0x10004n, i: 4n });
    expect(values(fires('exists frame(?f, s, t) in S suchthat (ReturnSlot() == s && t == ReturnAddress())', tables))).toMatchObject({ f: 'f', s: 0x100n, t: 0x40n });
    expect(fires('exists b in H suchthat (!Reachable(b) && (exists . -> (b, 5) in P))', tables)).toBeUndefined();
  });

  it('reads memory', () => {
    const memory = new Map([[0x10000n, 0x61], [0x10001n, 0x62], [0x10002n, 0]]);
    expect(fires('Value(r) == 0x61 && Value(r, 2) == 0x6261 && Length(r) == 2', { memory })).toBeDefined();
    const strings = new Map([...stringAt(0x10000n, 'abc'), ...stringAt(0x10010n, 'abd'), ...stringAt(0x10020n, 'abc')]);
    const holds = (condition: string): boolean => fires(condition, { memory: strings }) !== undefined;
    expect(holds('Compared(r, r + 16) == 3 && Compared(r, r + 32) == 4 && Compared(r, r + 16, 2) == 2')).toBe(true);
    expect(holds('ComparedBytes(r, r + 32, 4) == 4 && ComparedBytes(r, r + 16, 4) == 3 && Searched(r, 0x62) == 2 && Searched(r, 0x78) == 4 && Searched(r, 0x78, 3) == 3')).toBe(true);
    expect(holds('ComparedBytes(r, r + 32, 5) > 0')).toBe(false);
    expect(fires('Value(r, 4) == Value(r, 4)', { memory })).toBeUndefined();
    const whole = new Map([...Array(16).keys()].map((i) => [0x10000n + BigInt(i), i === 1 ? 1 : 0]));
    expect(fires('Block(r) == 256', { memory: whole, blocks: [LIVE] })).toBeDefined();
  });
});

describe('detection points', () => {
  it('deref r is about each byte, deref r, n about the access', () => {
    const tables: Tables = { blocks: [LIVE] };
    const bytes = fires('r >= End(r)', tables, read(0x1000en, 8), 'deref r');
    expect(values(bytes)).toEqual({ r: 0x10010n });
    expect(fires('r >= End(r)', tables, read(0x1000en, 8))).toBeUndefined();
    expect(values(fires('r + n > End(r)', tables, read(0x1000en, 8)))).toEqual({ r: 0x1000en, n: 8n });
  });

  it('are told apart', () => {
    const at = (point: string, occurrence: Occurrence) => fires('true', {}, occurrence, point) !== undefined;
    expect(at('deref_w r', read(0n))).toBe(false);
    expect(at('deref_w r', { kind: 'write', pointer: 0n, size: 1 })).toBe(true);
    expect(at('free r by f', { kind: 'free', pointer: 0n, by: 'free' })).toBe(true);
    expect(at('use branch v', { kind: 'use', use: 'address', value: 0n, undefinedBits: 1n })).toBe(false);
    expect(at('use v', { kind: 'use', use: 'address', value: 0n, undefinedBits: 1n })).toBe(true);
    expect(fires('Origin() - NULL == 0x123', {}, { kind: 'use', use: 'branch', value: 0n, undefinedBits: 1n, from: 0x123n }, 'use v')).toBeDefined();
    expect(at('exit', { kind: 'exit', status: 0n })).toBe(true);
  });

  it('all solutions, each once', () => {
    const blocks = [LIVE, { ...LIVE, bid: 7n, begin: 0x70000n }, FREED];
    const leaks = rule('[x] detect <H; exit>: exists bid in H suchthat (Size(bid) > 1 || Size(bid) > 2)').evaluateAll(new TableMachine({ blocks }), { kind: 'exit', status: 0n });
    expect(leaks.map((firing) => values(firing))).toEqual([{ bid: 1n }, { bid: 7n }]);
  });
});
