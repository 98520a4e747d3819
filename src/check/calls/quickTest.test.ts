import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RuleSet } from '../../rules/evaluate/ruleSet.js';
import { compileRuleFiles } from '../../rules/testing/ruleFiles.js';
import { TableMachine } from '../../rules/testing/tableMachine.js';
import { CallRules } from './callRules.js';
import { type CallAtHand, NO_VALUE, UNKNOWN } from './quickTest.js';

const ROOT = new URL('../../../', import.meta.url);
const FILES = ['rules/overlap.bug', 'rules/libc.bug', 'rules/uninitialized.bug'];
const UNWRITTEN = 0x10008;
const rules = new CallRules(new RuleSet(compileRuleFiles(FILES, (path) => readFileSync(new URL(path, ROOT), 'utf8'))));

const BLOCK = { bid: 0n, kind: 'heap' as const, begin: 0x10000n, size: 40n, allocatedAt: 1n, allocator: 'malloc' };
/** Every block owns as much around it as the model says. */
const NEAR = 1000;

function callOf(args: readonly bigint[], memory: ReadonlyMap<bigint, number>): CallAtHand {
  const isNear = (address: number): boolean => address >= Number(BLOCK.begin) - NEAR && address < Number(BLOCK.begin + BLOCK.size) + NEAR;
  return {
    argument: (n) => (args[n]! > Number.MAX_SAFE_INTEGER ? UNKNOWN : Number(args[n])),
    intArgument: (n) => Number(BigInt.asIntN(32, args[n]!)),
    blockBegin: (address) => (isNear(address) ? Number(BLOCK.begin) : NO_VALUE),
    blockEnd: (address) => (isNear(address) ? Number(BLOCK.begin + BLOCK.size) : NO_VALUE),
    stringLength: (address) => [...Array(60).keys()].find((i) => memory.get(BigInt(address + i)) === 0) ?? UNKNOWN,
    searchedBytes: (address, wanted, most) => scanned(most, (i) => memory.get(BigInt(address + i)), (byte) => byte === 0 || byte === (wanted & 0xff)),
    comparedBytes: (one, other, most, areStrings) => scanned(most, (i) => pair(memory, one + i, other + i), ([a, b]) => a !== b || (areStrings && a === 0)),
    isWritten: (address, length) => UNWRITTEN < address || UNWRITTEN >= address + length,
  };
}

/** UNKNOWN where there is no memory any more. */
function scanned<T>(most: number, at: (i: number) => T | undefined, isLast: (found: T) => boolean): number {
  for (let i = 0; ; i++) {
    if (i >= most) return i;
    const found = at(i);
    if (found === undefined) return UNKNOWN;
    if (isLast(found)) return i + 1;
  }
}

function pair(memory: ReadonlyMap<bigint, number>, one: number, other: number): readonly [number, number] | undefined {
  const [a, b] = [memory.get(BigInt(one)), memory.get(BigInt(other))];
  return a === undefined || b === undefined ? undefined : [a, b];
}

const number = fc.oneof(
  fc.bigInt(0xffe0n, 0x10050n), fc.bigInt(0n, 60n), fc.constantFrom(0n, 4095n, 4096n, (1n << 53n) - 1n, 1n << 53n, (1n << 63n) - 1n, 1n << 63n, (1n << 64n) - 1n),
);

it.each(['memcpy', 'memmove', 'memset', 'memcmp', 'strcpy', 'strncpy', 'strcat', 'malloc', 'calloc', 'realloc', 'aligned_alloc', 'strlen', 'strnlen', 'strchr', 'strcmp', 'strncmp', 'isalpha', 'write', 'puts'])('a call of %s that looks right breaks no rule', (callee) => {
  const test = rules.quickTest(callee)!;
  fc.assert(
    fc.property(fc.tuple(number, number, number), fc.array(fc.integer({ min: 0xffe0, max: 0x10050 }), { minLength: 3, maxLength: 20 }), (args, zeros) => {
      const memory = new Map([...Array(0x90).keys()].map((i): [bigint, number] => [BigInt(0xffd0 + i), zeros.includes(0xffd0 + i) ? 0 : 65]));
      const machine = new TableMachine({ blocks: [BLOCK], memory, initialized: (address) => address !== BigInt(UNWRITTEN) });
      const all = [...args, 0n, 0n, 0n];
      const fires = rules.at('call', callee).some((rule) => rule.evaluate(machine, { kind: 'call', callee, args: all }) !== undefined);
      if (fires) expect(test(callOf(all, memory))).toBe(true);
    }),
    { numRuns: 400 },
  );
});

it('most calls look right', () => {
  const usual = callOf([0x10000n, 0x10020n, 8n], new Map());
  expect(rules.quickTest('memcpy')!(usual)).toBe(false);
  expect(rules.quickTest('malloc')!(usual)).toBe(false);
  for (const character of [65n, 0xffff_ffffn, 0xffff_ffff_ffff_ffffn]) expect(rules.quickTest('isalpha')!(callOf([character], new Map()))).toBe(false);
  expect(rules.quickTest('isalpha')!(callOf([0xffff_ff80n], new Map()))).toBe(true);
  expect(rules.quickTest('aligned_alloc')!(callOf([64n, 640n], new Map()))).toBe(false);
  expect(rules.quickTest('aligned_alloc')!(callOf([48n, 640n], new Map()))).toBe(true);
  expect(rules.quickTest('memcpy')!(callOf([0x10000n, 0x10004n, 8n], new Map()))).toBe(true);
});
