import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { MachineBlock, Occurrence } from '../../src/rules/evaluate/machine.js';
import { emitRuleFiles, listRules } from '../../src/rules/testing/ruleFiles.js';
import { stringAt, TableMachine, type Tables } from '../../src/rules/testing/tableMachine.js';
import { readRuleFile, shippedRules } from './shippedRules.js';

const FILES = readdirSync('rules').filter((name) => name.endsWith('.bug'));
const RULES = shippedRules('all.bug');

const HEAP: MachineBlock = { bid: 1n, kind: 'heap', begin: 0x10000n, size: 16n, allocatedAt: 10n, allocator: 'malloc' };
const FREED: MachineBlock = { bid: 2n, kind: 'heap', begin: 0x20000n, size: 8n, allocatedAt: 20n, allocator: 'malloc', freedAt: 30n, freedBy: 0x20000n, deallocator: 'free' };
const LOCAL: MachineBlock = { bid: 3n, kind: 'stack', begin: 0x30000n, size: 4n, allocatedAt: 5n };
const GONE: MachineBlock = { bid: 4n, kind: 'stack', begin: 0x40000n, size: 4n, allocatedAt: 5n, freedAt: 8n };
const GLOBAL: MachineBlock = { bid: 5n, kind: 'global', begin: 0x50000n, size: 4n, allocatedAt: 0n };
const NEW: MachineBlock = { bid: 6n, kind: 'heap', begin: 0x60000n, size: 4n, allocatedAt: 40n, allocator: 'operator new' };
const STATE: Tables = {
  blocks: [HEAP, FREED, LOCAL, GONE, GLOBAL, NEW],
  memory: new Map([...stringAt(0x10000n, 'abc'), ...stringAt(0x60000n, 'xy')]),
  initialized: (address) => address !== 0x10008n,
  frames: [{ callee: 'f', slot: 0x7000n, target: 0x401000n }],
  pointers: [{ pointer: 0x60000n, bid: 6n, index: 0n }],
  events: [{ kind: 'call', time: 15n, callee: 'ts', args: [] }],
};

const read = (pointer: bigint, size = 1): Occurrence => ({ kind: 'read', pointer, size });
const write = (pointer: bigint, size = 1): Occurrence => ({ kind: 'write', pointer, size });
const free = (pointer: bigint, by = 'free'): Occurrence => ({ kind: 'free', pointer, by });
const call = (callee: string, ...args: bigint[]): Occurrence => ({ kind: 'call', callee, args });
const ret = (callee: string): Occurrence => ({ kind: 'ret', callee, value: 0n });
const use = (kind: 'branch' | 'address' | 'syscall', undefinedBits: bigint, from?: bigint): Occurrence => ({ kind: 'use', use: kind, value: 0n, undefinedBits, ...(from !== undefined && { from }) });
const exit: Occurrence = { kind: 'exit', status: 0n };
const memory = (...bytes: [bigint, number][]): Tables => ({ ...STATE, memory: new Map(bytes) });
const returnSlot = (...bytes: number[]) => memory(...bytes.map((byte, i): [bigint, number] => [0x7000n + BigInt(i), byte]));
const marks = (live: number, freed: number) => ({ ...memory([0x10000n, live], [0x20000n, freed]), blocks: [HEAP, FREED] });
const globalString = (text: string): Tables => ({ ...STATE, memory: new Map([...stringAt(0x50000n, text), ...stringAt(0x60000n, 'xy')]) });
const heapString = (text: string): Tables => ({ ...STATE, memory: new Map(stringAt(0x10000n, text)) });
const printed = (value: bigint): Occurrence => ({ kind: 'ret', callee: 'sprintf', value });
const FORMATTING: Tables = { ...STATE, events: [{ kind: 'call', time: 15n, callee: 'sprintf', args: [0x50000n, 0x60000n] }] };

/** "abc", "abd" and "abc", of which one byte was never written. */
const threeStrings = (unwritten: bigint): Tables => ({
  ...STATE, memory: new Map([...stringAt(0x10000n, 'abc'), ...stringAt(0x10010n, 'abd'), ...stringAt(0x10020n, 'abc')]), initialized: (address) => address !== unwritten,
});

type Case = Occurrence | readonly [Occurrence, Tables];
interface Expectation {
  readonly buggy: readonly Case[];
  readonly clean: readonly Case[];
  /** Of the first buggy case. */
  readonly message?: string;
}

const ADDRESS = [0x00, 0x10, 0x40, 0, 0, 0, 0, 0];

const EXPECTED: Readonly<Record<string, Expectation>> = {
  'unmatched.free': { buggy: [free(0x10004n), free(0x30000n), free(0x99999n), free(0x50000n), free(0x20001n)], clean: [free(0x10000n), free(0n), free(0x20000n), read(0x10004n)], message: 'free of 0x10004, which is not the begin of a heap block' },
  'double.free': { buggy: [free(0x20000n), free(0x20004n)], clean: [free(0x10000n), free(0x99999n), free(0x40000n), read(0x20000n)], message: '0x20000 is freed twice: its block of 8 bytes was freed at time 30 with 0x20000' },
  'dangling.pointer.deref': { buggy: [read(0x20002n, 4), write(0x20000n), read(0x20010n)], clean: [read(0x10000n), read(0x40000n), read(0n)], message: 'access to 0x20002, byte 2 of a block of 8 bytes that was freed at time 30' },
  'null.pointer.deref': { buggy: [read(0n, 8), write(24n)], clean: [read(0x10000n), read(4096n)], message: 'access through a null pointer, at NULL' },
  'heap.buffer.overflow': { buggy: [read(0x1000en, 4), write(0x10010n), write(0xffffn), read(0x60004n)], clean: [read(0x1000cn, 4), read(0x20010n), read(0x30004n), read(0x99999n)], message: 'access to 0x10010, which is byte 16 of a heap block of 16 bytes' },
  'uninitialized.read': { buggy: [read(0x10008n), read(0x10004n, 8)], clean: [read(0x10000n, 8), write(0x10008n), [read(0x20000n), { ...STATE, initialized: () => false }], [read(0x10010n), { ...STATE, initialized: () => false }]], message: 'byte 8 of a block of 16 bytes is read, but was never written' },
  'possible.leak': { buggy: [exit], clean: [[exit, { ...STATE, blocks: [FREED, LOCAL, GLOBAL] }]] },
  'definite.leak': { buggy: [exit], clean: [[exit, { ...STATE, blocks: [NEW, FREED] }]], message: '16 bytes that malloc allocated at time 10 are lost: no pointer leads to them' },
  'indirect.leak': { buggy: [exit], clean: [[exit, { ...STATE, reachable: [6n] }], [exit, { ...STATE, blocks: [HEAP] }]] },
  'leak.in.ts': { buggy: [ret('ts')], clean: [ret('other'), [ret('ts'), { ...STATE, blocks: [HEAP] }]], message: '4 bytes that operator new allocated at time 40, inside of the transaction that began at 15, outlive it' },
  'gc.bug': { buggy: [[ret('gc'), marks(2, 0)], [ret('gc'), marks(1, 1)]], clean: [[ret('gc'), marks(1, 0)], [ret('f'), marks(2, 0)]] },
  'mismatched.free': { buggy: [free(0x60000n), free(0x10000n, 'operator delete')], clean: [free(0x10000n), free(0x60000n, 'operator delete'), free(0x30000n)], message: 'free frees a block of 4 bytes that operator new allocated' },
  'overlapping.memcpy': { buggy: [call('memcpy', 0x10004n, 0x10000n, 5n), call('mempcpy', 0x10000n, 0x10004n, 5n)], clean: [call('memcpy', 0x10004n, 0x10000n, 4n), call('memcpy', 8n, 8n, 4n), call('memmove', 0x10004n, 0x10000n, 5n), call('memcpy', 1n, 2n, 0n)], message: 'memcpy copies 5 bytes from 0x10000 to 0x10004, which overlap' },
  'overlapping.strcpy': { buggy: [call('strcpy', 0x10003n, 0x10000n), call('stpcpy', 0xffffn, 0x10000n)], clean: [call('strcpy', 0x10004n, 0x10000n), call('strcpy', 0xfffcn, 0x10000n)] },
  'overlapping.strncpy': { buggy: [call('strncpy', 0x10002n, 0x10000n, 3n), call('strncpy', 0xfffen, 0x10000n, 10n)], clean: [call('strncpy', 0x10004n, 0x10000n, 10n), call('strncpy', 0x10003n, 0x10000n, 3n)] },
  'overlapping.strcat': { buggy: [call('strcat', 0x10000n, 0x10002n)], clean: [call('strcat', 0x10000n, 0x60000n)] },
  'stack.buffer.overflow': { buggy: [write(0x30004n), read(0x2ffffn)], clean: [write(0x30003n), write(0x40004n), write(0x10010n), write(0x50004n)] },
  'use.after.return': { buggy: [read(0x40000n), write(0x40009n)], clean: [read(0x30000n), read(0x20000n)] },
  'return.address.smash': { buggy: [[ret('f'), returnSlot(0x41, ...ADDRESS.slice(1))]], clean: [[ret('f'), returnSlot(...ADDRESS)]], message: 'the return address at 0x7000 was overwritten: it was 0x401000 and is 0x401041' },
  'return.address.write': { buggy: [write(0x7007n), write(0x6ffen, 4)], clean: [write(0x7008n), read(0x7000n), write(0x6ffcn, 4)], message: 'write to 0x7007, where f keeps its return address' },
  'global.buffer.overflow': { buggy: [write(0x50004n), read(0x4ffffn)], clean: [write(0x50000n, 4), write(0x30004n)] },
  'global.read.overflow': { buggy: [call('read', 0n, 0x50000n, 5n), call('strncpy', 0x50001n, 0x10000n, 4n)], clean: [call('read', 0n, 0x50000n, 4n), call('read', 0n, 0x10000n, 99n), call('pread', 0n, 0x99999n, 5n)] },
  'global.string.overflow': { buggy: [call('strcpy', 0x50001n, 0x10000n), call('stpcpy', 0x50002n, 0x10000n)], clean: [call('strcpy', 0x50000n, 0x10000n), call('strcpy', 0x30001n, 0x10000n)] },
  'global.strings.overflow': { buggy: [[call('strcat', 0x50000n, 0x60000n), globalString('ab')]], clean: [[call('strcat', 0x50000n, 0x60000n), globalString('a')]] },
  'global.format.overflow': { buggy: [[printed(4n), FORMATTING]], clean: [[printed(3n), FORMATTING], printed(4n)] },
  'uninitialized.branch': { buggy: [use('branch', 1n), use('branch', 1n, 0x10004n)], clean: [use('branch', 0n), use('address', 1n)] },
  'uninitialized.address': { buggy: [use('address', 1n)], clean: [use('address', 0n), use('syscall', 1n)] },
  'uninitialized.syscall': { buggy: [use('syscall', 4n)], clean: [use('syscall', 0n), use('branch', 1n)] },
  'uninitialized.output': { buggy: [call('write', 1n, 0x10000n, 9n)], clean: [call('write', 1n, 0x10000n, 8n), call('read', 1n, 0x10000n, 9n)] },
  'uninitialized.string': {
    buggy: [[call('strlen', 0x10000n), { ...STATE, initialized: (address) => address !== 0x10003n }], [call('strcpy', 0x60000n, 0x10000n), threeStrings(0x10002n)], [call('strcat', 0x10000n, 0x10010n), threeStrings(0x10002n)]],
    clean: [call('strlen', 0x10000n), call('strlen', 0n), call('strcmp', 0x10000n, 5n), [call('strcpy', 0x10000n, 0x60000n), threeStrings(0x10002n)]],
  },
  'uninitialized.part': { buggy: [[call('strnlen', 0x10000n, 3n), threeStrings(0x10002n)], [call('strncpy', 0x60000n, 0x10000n, 9n), threeStrings(0x10003n)]], clean: [[call('strnlen', 0x10000n, 2n), threeStrings(0x10002n)], [call('strnlen', 0x10000n, 9n), threeStrings(0x10004n)], call('strnlen', 0n, 9n)] },
  'uninitialized.search': { buggy: [[call('strchr', 0x10000n, 0x63n), threeStrings(0x10002n)], [call('strchr', 0x10000n, 0x78n), threeStrings(0x10003n)]], clean: [[call('strchr', 0x10000n, 0x62n), threeStrings(0x10002n)], call('strchr', 0n, 0x62n)] },
  'uninitialized.comparison': { buggy: [[call('strcmp', 0x10000n, 0x10010n), threeStrings(0x10012n)], [call('strcmp', 0x10000n, 0x10020n), threeStrings(0x10003n)]], clean: [[call('strcmp', 0x10000n, 0x10010n), threeStrings(0x10013n)], call('strcmp', 0n, 0x10000n)] },
  'uninitialized.bounded.comparison': { buggy: [[call('strncmp', 0x10000n, 0x10020n, 3n), threeStrings(0x10022n)]], clean: [[call('strncmp', 0x10000n, 0x10020n, 2n), threeStrings(0x10022n)], [call('strncmp', 0x10000n, 0x10010n, 9n), threeStrings(0x10013n)]] },
  'uninitialized.memcmp': { buggy: [[call('memcmp', 0x10000n, 0x10020n, 4n), threeStrings(0x10003n)]], clean: [[call('memcmp', 0x10000n, 0x10020n, 3n), threeStrings(0x10003n)], [call('memcmp', 0x10000n, 0x10010n, 4n), threeStrings(0x10003n)], call('memcmp', 0n, 0n, 0n)] },
  'libc.null.string': { buggy: [call('strlen', 0n), call('strcmp', 0n, 5n)], clean: [call('strlen', 0x10000n), call('free', 0n)], message: 'strlen is given a string that is NULL' },
  'libc.null.second.string': { buggy: [call('strcpy', 5n, 0n)], clean: [call('strcpy', 0n, 5n)] },
  'libc.string.unterminated': {
    buggy: [[call('strlen', 0x10008n), heapString('a'.repeat(16))], [call('strcpy', 0x99999n, 0x10000n), heapString('a'.repeat(20))], [call('strlen', 0x50000n), globalString('a'.repeat(40))]],
    clean: [[call('strlen', 0x10008n), heapString('a'.repeat(15))], [call('strcpy', 0x10000n, 0x99999n), heapString('a'.repeat(20))], call('strlen', 0x99999n)],
    message: 'strlen is given a string at 0x10008 that does not end within its block, which ends after 8 bytes',
  },
  'libc.string.part': {
    buggy: [[call('strnlen', 0x10008n, 9n), heapString('a'.repeat(16))], [call('strncpy', 0x99999n, 0x10000n, 0xffffffffffffffffn), heapString('a'.repeat(20))]],
    clean: [[call('strnlen', 0x10008n, 8n), heapString('a'.repeat(16))], [call('strnlen', 0x10008n, 99n), heapString('a'.repeat(15))], [call('strncpy', 0x10000n, 0x99999n, 20n), heapString('a'.repeat(20))]],
  },
  'libc.null.buffer': { buggy: [call('memset', 0n, 0n, 4n)], clean: [call('memset', 0n, 0n, 0n), call('memset', 0x10000n, 0n, 4n)] },
  'libc.null.source': { buggy: [call('memcpy', 0x10000n, 0n, 4n)], clean: [call('memcpy', 0x10000n, 0n, 0n)] },
  'libc.null.stream': { buggy: [call('fclose', 0n)], clean: [call('fclose', 0x10000n), call('fflush', 0n)] },
  'libc.block.too.small': { buggy: [call('memset', 0x10008n, 0n, 9n), call('memcpy', 0x30000n, 0x10000n, 5n)], clean: [call('memset', 0x10008n, 0n, 8n), call('memset', 0x99999n, 0n, 800n), call('memset', 0x10010n, 0n, 0n)] },
  'libc.source.too.small': { buggy: [call('memcpy', 0x99999n, 0x30001n, 4n)], clean: [call('memcpy', 0x99999n, 0x30000n, 4n)] },
  'libc.negative.size': { buggy: [call('malloc', 0xffffffffffffffffn)], clean: [call('malloc', 0x7fffffffffffffffn)], message: 'malloc is given a size of -1 bytes: a negative number that became a size' },
  'libc.memset.swapped': { buggy: [call('memset', 0x10000n, 16n, 0n)], clean: [call('memset', 0x10000n, 0n, 0n), call('memset', 0x10000n, 16n, 1n)] },
  'libc.alignment': { buggy: [call('aligned_alloc', 24n, 48n), call('posix_memalign', 0x10000n, 0n, 8n)], clean: [call('aligned_alloc', 32n, 64n), call('memalign', 1n, 1n)] },
  'libc.character': { buggy: [call('isalpha', 0xfffffff0n), call('toupper', 256n)], clean: [call('isalpha', 0xffffffffn), call('isalpha', 255n), call('isalpha', 0n)] },
};

describe.each([...RULES.keys()])('%s', (name) => {
  const compiled = RULES.get(name)!;
  const expected = EXPECTED[name];
  const evaluate = (one: Case) => ('kind' in one ? compiled.evaluate(new TableMachine(STATE), one) : compiled.evaluate(new TableMachine(one[1]), one[0]));

  it('fires where it should and nowhere else', () => {
    expect(expected, 'has no entry in the table').toBeDefined();
    expected!.buggy.forEach((one, i) => expect(evaluate(one), `buggy ${i}`).toBeDefined());
    expected!.clean.forEach((one, i) => expect(evaluate(one), `clean ${i}`).toBeUndefined());
  });

  it('says what happened', () => {
    const message = evaluate(expected!.buggy[0]!)?.message;
    expect(message).not.toContain('<unknown>');
    expect(message).not.toMatch(/^rule /);
    if (expected?.message !== undefined) expect(message).toBe(expected.message);
  });
});

it.each(FILES)('%s loads by itself', (file) => {
  const text = emitRuleFiles([`rules/${file}`], readRuleFile);
  expect(text).toMatch(/\d+ rules?, \d+ lines, to \d+ lines of detectors\n$/);
});

it('every file is in all.bug', () => {
  const rules = FILES.flatMap((file) => [...shippedRules(file).keys()]);
  expect(new Set(rules)).toEqual(new Set(RULES.keys()));
});

it('no rule that is on by default has to look at every access', () => {
  const always = [...RULES.values()].filter(({ rule, points }) => rule.enabled && points.some(({ precondition }) => precondition.kind === 'always' && !precondition.rare));
  expect(always.map(({ rule }) => rule.name)).toEqual([]);
});

it('the rules of Figure 2 need the trackers that the paper says', () => {
  const trackers = (name: string) => RULES.get(name)!.trackers.map(({ kind }) => kind);
  expect(trackers('double.free')).toEqual(['heapBlocks']);
  expect(trackers('null.pointer.deref')).toEqual([]);
  expect(trackers('uninitialized.read')).toEqual(['heapBlocks', 'initializedBytes']);
});

it('shows what is generated', () => {
  expect(emitRuleFiles(['rules/heap.bug'], readRuleFile)).toContain(`rule double.free (rules/heap.bug:10), error: 6 lines of rules, 7 of detector
  trackers: heapBlocks
  at free r: only if freed (heap blocks), because exists event(., free, r1, bid3) in Trace suchthat (bid3 == Bid(r)) means freed
    detector double.free(r) {
      with event(., malloc, ., bid) of heapBlocks[Bid(r)].allocated {
        with event(., free, r1, bid3) of heapBlocks[Bid(r)].freed {
          report double.free VPC(r) VPC(r1)
        }
      }
    }
`);
});

it('lists them', () => {
  const listed = listRules([...RULES.values()]).split('\n');
  expect(listed).toHaveLength(RULES.size + 1);
  expect(listed[0]).toMatch(/^unmatched\.free +error +on +free r by f$/);
  expect(listed.find((line) => line.startsWith('gc.bug'))).toMatch(/ error +off  ret gc v$/);
});
