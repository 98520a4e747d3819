import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOOK } from '../../ir/lookFlags.js';
import { RuleSet } from '../../rules/evaluate/ruleSet.js';
import { compileRuleFiles } from '../../rules/testing/ruleFiles.js';
import { TableMachine } from '../../rules/testing/tableMachine.js';
import { BYTES_HOOKS } from '../../x86/hooks.js';
import { CallRules } from './callRules.js';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const shipped = new CallRules(new RuleSet(compileRuleFiles(['rules/overlap.bug', 'rules/libc.bug', 'rules/uninitialized.bug'], read)));

const hookWith = (rule: string, callee: string): string | undefined => new CallRules(new RuleSet(compileRuleFiles(['own.bug'], () => rule))).bytesHook(callee);

describe('what generated code lets pass', () => {
  it('is known for the shipped rules', () => {
    expect(['memset', 'memcpy', 'mempcpy', 'memmove', 'memcmp', 'strcpy', 'malloc'].map((callee) => shipped.bytesHook(callee))).toEqual(['fill', 'copy', 'copy', 'move', 'compare', undefined, undefined]);
  });

  it.each([
    ['n > 2097152', 'fill'], ['n >= 1048576', 'fill'], ['n > 1000', undefined], ['n == 0', undefined], ['p == NULL', 'fill'], ['p < 4097', undefined], ['p != Begin(p)', undefined], ['!(p + n <= End(p))', undefined],
    ['p + n >= End(p)', undefined], ['p + n > End(p) && n == 1', 'fill'], ['p + n > End(p) || n == 1', undefined], ['p + n - 1 >= End(p)', 'fill'], ['p < Begin(p)', 'fill'], ['!Initialized(p, n)', undefined], ['Int(c) != 0', undefined],
  ])('memset where %s: %s', (condition, hook) => {
    expect(hookWith(`[own] detect <call memset(p, c, n)>: ${condition}\n`, 'memset')).toBe(hook);
  });

  it.each([
    ['memcmp', '!Initialized(a, n)', 'compare'], ['memcmp', '!Initialized(b, n - 1)', 'compare'], ['memcmp', '!Initialized(b, n + 1)', undefined], ['memcmp', '!Initialized(a + 1, n)', undefined], ['memcmp', 'a == b', undefined],
    ['memcpy', 'a < b + n && b < a + n', undefined], ['memcpy', 'a != b && a < b + n && b < a + n', 'copy'], ['memmove', 'a != b && a < b + n && b < a + n', undefined], ['memcpy', '!Initialized(a, n)', undefined], ['memcpy', '!Initialized(b, n)', 'copy'],
  ])('%s where %s: %s', (callee, condition, hook) => {
    expect(hookWith(`[own] detect <call ${callee}(a, b, n)>: ${condition}\n`, callee)).toBe(hook);
  });

  it('nothing where calls have to be remembered', () => {
    expect(hookWith('[own] detect <Trace; exit v>: exists event(., call, memset, .) in Trace\n', 'memset')).toBeUndefined();
  });
});

const BLOCKS = [0x10000n, 0x20000n].map((begin, i) => ({ bid: BigInt(i), kind: 'heap' as const, begin, size: 40n, allocatedAt: 1n, allocator: 'malloc' }));
const UNWRITTEN = 0x10008n;
const pointer = fc.oneof(fc.bigInt(0x10000n, 0x10028n), fc.bigInt(0x20000n, 0x20028n), fc.constantFrom(4096n, 0x7fff_0000n));

/** The definition of what generated code looks at. */
function isOrdinary(flags: number, [first, second, bytes]: readonly [bigint, bigint, bigint]): boolean {
  const isInBlock = (p: bigint): boolean => !BLOCKS.some(({ begin, size }) => p >= begin && p <= begin + size && p + bytes > begin + size);
  const isWritten = (p: bigint): boolean => UNWRITTEN < p || UNWRITTEN >= p + bytes;
  const isApart = first === second || first >= second + bytes || second >= first + bytes;
  return isInBlock(first) && ((flags & LOOK.SECOND) === 0 || isInBlock(second)) && ((flags & LOOK.APART) === 0 || isApart)
    && ((flags & LOOK.FIRST_WRITTEN) === 0 || isWritten(first)) && ((flags & LOOK.SECOND_WRITTEN) === 0 || isWritten(second));
}

it.each(['memset', 'memcpy', 'memmove', 'memcmp'])('no rule fires at a call of %s that is let pass', (callee) => {
  const flags = BYTES_HOOKS[shipped.bytesHook(callee)!];
  fc.assert(fc.property(fc.tuple(pointer, pointer, fc.bigInt(0n, 45n)), (args) => {
    fc.pre(isOrdinary(flags, args));
    const memory = new Map(BLOCKS.flatMap(({ begin }) => Array.from({ length: 48 }, (_, i): [bigint, number] => [begin + BigInt(i), 65])));
    const machine = new TableMachine({ blocks: BLOCKS, memory, initialized: (address) => address !== UNWRITTEN });
    expect(shipped.at('call', callee).some((rule) => rule.evaluate(machine, { kind: 'call', callee, args: [...args, 0n, 0n, 0n] }) !== undefined)).toBe(false);
  }), { numRuns: 500 });
});
