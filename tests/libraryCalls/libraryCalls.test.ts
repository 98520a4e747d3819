import { beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.js';
import type { Debugger } from '../../src/debugger/control/debugger.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import type { Position } from '../../src/replay/log/position.js';
import { debug } from '../debugger/debugged.js';
import { compile } from '../terminal/compiled.js';
import { callsChanging, mainOf, stopsOf } from './stops.js';
import { type NativeCall, nativeCalls } from './truth.js';

const isLong = process.env['CULPRIT_LONG'] !== undefined;
const PLAIN = ['-g', '-fno-builtin'];
const ALL: readonly (readonly string[])[] = [['-O0'], ['-O2', '-static'], ['-O2'], ['-O0', '-static']];
const BUILDS = isLong ? ALL : ALL.slice(0, 2);

type Test = (call: NativeCall) => boolean;

const overlaps = (start: bigint, length: bigint, address: bigint, size: bigint): boolean => start < address + size && address < start + length;

describe.each(BUILDS)('calls of a program in C, %s %s', (...build) => {
  let session: Debugger;
  let begin: Position;
  let calls: NativeCall[];
  let path: string;
  /** Of which gdb cannot tell. */
  const unknown = new Set<string>();
  const addressOf = (name: string): bigint => session.program()?.symbols.named(name)[0]?.address ?? 0n;

  beforeAll(async () => {
    path = compile('libraryCalls/programs/heap.c', [...build, ...PLAIN]);
    session = await debug(path, { evaluator: new ValueEvaluator() });
    begin = await mainOf(session);
    // To ask for what a resolver has chosen takes memory, which moves blocks: so in a run apart.
    const copies = nativeCalls(path, ['@strcpy', '@memcpy']);
    calls = [...(nativeCalls(path, ['free', 'malloc']) as NativeCall[]), ...(copies ?? [])];
    if (copies === undefined) for (const name of ['strcpy', 'memcpy']) unknown.add(name);
  }, 300_000);

  async function check(name: string, condition: string | undefined, isMeant: Test, atLeast = 1): Promise<void> {
    if (unknown.has(name)) return;
    const { forward, backward } = await stopsOf(session, begin, name, condition);
    const wanted = calls.filter((call) => call.function === name && isMeant(call));
    expect(forward.map(({ returns }) => returns)).toEqual(wanted.map(({ returns }) => returns));
    expect(backward.toReversed()).toEqual(forward);
    expect(wanted.length).toBeGreaterThanOrEqual(atLeast);
  }

  const some = <T>(values: Iterable<T>): T[] => [...new Set(values)].filter((_, i) => isLong || i % 4 === 0);

  it('are found without a condition', async () => {
    for (const name of ['free', 'malloc', 'strcpy', 'memcpy']) await check(name, undefined, () => true, 4);
  });

  it('are found by arguments', async () => {
    for (const value of some(calls.filter((call) => call.function === 'free').map(({ args }) => args[0] as bigint))) {
      await check('free', `arg1 == 0x${value.toString(16)}`, ({ args }) => args[0] === value);
    }
    await check('strcpy', 'arg1 == target || arg1 == target + 16', ({ args }) => args[0] === addressOf('target') || args[0] === addressOf('target') + 16n, 2);
    await check('memcpy', 'arg1 == &x', ({ args }) => args[0] === addressOf('x'), 4);
    await check('memcpy', 'arg3 >= 3 && arg3 < 6 && !(arg1 == &x)', ({ args }) => (args[2] as bigint) >= 3n && (args[2] as bigint) < 6n && args[0] !== addressOf('x'), 3);
  });

  it('are found by what they return', async () => {
    for (const value of some(calls.filter((call) => call.function === 'malloc').map(({ result }) => result as bigint))) {
      await check('malloc', `ret == 0x${value.toString(16)}`, ({ result }) => result === value);
    }
    await check('malloc', 'arg1 == 32 && ret != 0', ({ args }) => args[0] === 32n, 3);
    await check('malloc', '!ret', () => false, 0);
  });

  it('are found by what they write and read', async () => {
    const [x, target] = [addressOf('x'), addressOf('target')];
    await check('memcpy', 'write &x 4', ({ args, length }) => overlaps(args[0] as bigint, length, x, 4n), 4);
    await check('memcpy', 'write target+8 2', ({ args, length }) => overlaps(args[0] as bigint, length, target + 8n, 2n));
    await check('strcpy', 'write target 5 && arg1 == target', ({ args, length }) => overlaps(args[0] as bigint, length, target, 5n) && args[0] === target);
    await check('memcpy', '!(write &x)', ({ args, length }) => !overlaps(args[0] as bigint, length, x, 4n), 6);
    await check('strcpy', 'access target 64 || ret == 0', ({ args, length }) => overlaps(args[0] as bigint, length, target, 64n), 4);
  });

  it('of functions that call others and themselves, and that longjmp leaves', async () => {
    calls = nativeCalls(path, ['update', 'many', 'scaled']) as NativeCall[];
    const changing = await callsChanging(session, begin, 'update', 'x');
    expect((await stopsOf(session, begin, 'update', 'write &x 4')).forward.map(({ returns }) => returns)).toEqual(changing);
    expect(changing.length).toBeGreaterThan(0);
    await check('update', 'ret == 8', ({ result }) => result === 8n, 1);
    await check('update', 'ret', ({ result }) => result !== undefined, 3);
    await check('update', '(int) arg1 > 0 && !(ret == 8)', ({ args, result }) => BigInt.asIntN(32, args[0] as bigint) > 0n && result !== undefined && result !== 8n, 1);
    await check('many', 'arg7 == 9 || arg8 == 5', ({ stack }) => stack[0] === 9n || stack[1] === 5n, 2);
    await check('scaled', 'arg1 == 1.0', ({ xmm }) => xmm === 1);
  });
});

it('are found of C++ operators', async () => {
  for (const build of [['-O0'], ['-O2']]) {
    const path = compile('libraryCalls/programs/objects.cc', [...build, '-g']);
    const session = await debug(path, { evaluator: new ValueEvaluator() });
    const begin = await mainOf(session);
    // A sized delete jumps on to the plain one: that is the same call.
    const seen = new Map<string, NativeCall>();
    for (const call of nativeCalls(path, ['_ZdlPv', '_ZdlPvm']) as NativeCall[]) seen.set(`${seen.size} ${call.args[0]}`, call);
    const { forward, backward } = await stopsOf(session, begin, 'operator delete');
    const wanted = [...seen.values()].filter((call, i, all) => !(i > 0 && all[i - 1]?.function === '_ZdlPvm' && all[i - 1]?.returns === call.returns && all[i - 1]?.args[0] === call.args[0] && call.function === '_ZdlPv'));
    expect(forward.map(({ returns }) => returns)).toEqual(wanted.map(({ returns }) => returns));
    expect(backward.toReversed()).toEqual(forward);
    expect(wanted.length).toBeGreaterThan(6);
  }
}, 120_000);

describe('what cannot be', () => {
  let session: Debugger;
  beforeAll(async () => {
    session = await debug(compile('libraryCalls/programs/heap.c', ['-O0', ...PLAIN]), { evaluator: new ValueEvaluator() });
  }, 60_000);

  it.each([
    ['mallox', undefined, 'no function mallox; did you mean malloc?'],
    ['free', 'arg0 == 1', 'no argument 0: the first one is arg1'],
    ['free', 'n == 1', 'no condition of a call: "n == 1"; say argN == VALUE'],
    ['free', 'arg1 ==', 'nothing to compare arg1 with: say arg1 == VALUE'],
    ['free', 'arg1 == nosuch', 'No symbol "nosuch" in current context.'],
    ['free', '(arg1 == 1', 'a ")" is missing'],
    ['free', 'write 0 4', 'no address: 0'],
    ['free', 'write', 'no address: say write ADDRESS [SIZE]'],
    ['exit', 'ret == 0', 'exit never returns'],
    ['', undefined, 'say which function'],
  ])('is said in one line: %s if %s', async (name, condition, message) => {
    const before = session.position;
    await expect(session.addCallBreakpoint(name, { condition })).rejects.toThrow(UserError);
    await expect(session.addCallBreakpoint(name, { condition })).rejects.toThrow(message);
    expect(session.position).toEqual(before);
    expect(session.breakpoints.all).toEqual([]);
  });
});
