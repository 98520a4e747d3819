/** Each analysis on a program that has what it looks for, and on a clean one. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analysis } from './analysis.js';
import { compile, DYNAMIC, executionOf } from './recordedExecution.js';

const isLong = process.env['CULPRIT_LONG'] === '1';
const UNPROTECTED = [...DYNAMIC, '-fno-stack-protector'];

/** The line of a program that has the comment. */
function marked(program: string, mark: string): string {
  const lines = readFileSync(new URL(`programs/${program}`, import.meta.url), 'utf8').split('\n');
  return `${program}:${lines.findIndex((line) => line.includes(`MARK: ${mark} `)) + 1}`;
}

async function run(name: string, program: string, words: readonly string[], args: readonly string[] = [], flags?: readonly string[]): Promise<string> {
  return analysis(name, await executionOf([compile(program, flags), ...words]), args);
}

describe('stackSmash', () => {
  it('finds the write that overwrote a return address', async () => {
    const text = await run('stackSmash', 'smash.c', ['20', 'attack'], [], UNPROTECTED);
    expect(text).toMatch(/^time \d+: the return address at 0x7f\w+ is \(void \*\) 0x\w+ <landing>\n/);
    expect(text).toMatch(/#0 {2}\w*memcpy\w* /);
    expect(text).toMatch(new RegExp(`#1 .* in greet \\(.*\\) at ${marked('smash.c', 'overflow')}`));
  });

  it('finds nothing where there is nothing', async () => {
    expect(await run('stackSmash', 'smash.c', [isLong ? '20' : '2'], [], UNPROTECTED)).toBe('no return address was overwritten');
  });
});

it('callCounts counts', async () => {
  expect((await run('callCounts', 'smash.c', ['20'], [], UNPROTECTED)).split('\n').slice(0, 2)).toEqual(['      40 work', '      20 greet']);
});

it('timeline shows all values of a variable, whoChanged the stacks', async () => {
  const timeline = (await run('timeline', 'calls.c', [], ['counter'])).split('\n');
  expect(timeline.length).toBe(16);
  expect(timeline.at(-1)).toMatch(/-84 +-96 .*foo at calls\.c:12$/);
  const time = /^\d+/.exec(timeline.at(-2)?.trim() ?? '')?.[0] ?? '';
  const who = await run('whoChanged', 'calls.c', [], ['counter', time, String(Number(time) + 1)]);
  expect(who).toMatch(/^time \d+, thread \d+: counter = -73 -> -84\n#0 .*foo \(x=3, y=14\) at calls\.c:12\n#1 .*main \(\)/);
  expect(await run('whoChanged', 'calls.c', [], ['counter', '0', '100'])).toBe('nobody changed counter between 0 and 100');
});

it('leakGrowth tells what grows from what comes and goes', async () => {
  const leaking = (await run('leakGrowth', 'leaks.c', ['leak'])).split('\n');
  expect(leaking[0]).toMatch(new RegExp(` 4000 {2}forget at ${marked('leaks.c', 'leak')} {3}<- grows and grows$`));
  expect(leaking.slice(1).join('\n')).not.toContain('grows');
  await unlessShort(async () => expect(await run('leakGrowth', 'leaks.c', [])).not.toMatch(/forget|grows/));
});

/** Clean programs take as long as others, or longer: usually one of several. */
async function unlessShort(check: () => Promise<void>): Promise<void> {
  if (isLong) await check();
}

/** Usually one of them: each takes seconds. */
const RACES = [
  ['oneLock', 'race.c', ['counter', 'lock'], 'race', 'clean'],
  ['happensBefore', 'delayedFree.c', ['chunksWaiting'], 'sweep', 'right'],
  ['oneLock', 'delayedFree.c', ['chunksWaiting', 'gcLock'], 'sweep', 'right'],
  ['happensBefore', 'race.c', ['counter'], 'race', 'clean'],
  ['lockset', 'race.c', ['counter'], 'race', 'clean'],
  ['lockset', 'delayedFree.c', ['chunksWaiting'], 'sweep', 'right'],
] as const;

it.each(RACES.slice(0, isLong ? undefined : 1))('%s finds the race in %s, and none in the clean one', async (name, program, args, mark, clean) => {
  const [variable] = args;
  const found = await run(name, program, [], args);
  expect(found).toMatch(name === 'lockset' ? /^no lock protects / : new RegExp(`^race on ${variable}:`));
  expect(found).toContain(marked(program, mark));
  expect(await run(name, program, [clean], args)).toMatch(name === 'lockset' ? /is protected by the lock at 0x\w+$/ : new RegExp(`^no race on ${variable}$`));
});

it('deadlocks finds a circle of locks though no thread hung', async () => {
  const found = await run('deadlocks', 'deadlock.c', []);
  expect(found).toMatch(/^threads can wait for each other in a circle:\n/);
  expect(found.split(marked('deadlock.c', 'inner')).length).toBe(3);
  await unlessShort(async () => expect(await run('deadlocks', 'deadlock.c', ['clean'])).toBe('locks are always taken in the same order'));
});

it('setTracing tells what stays in a set', async () => {
  expect(await run('setTracing', 'delayedFree.c', ['right'], ['create_timer', 'timer_fired'])).toBe('whatever was inserted was removed again');
  expect(await run('setTracing', 'delayedFree.c', ['right'], ['create_timer', 'sweeper'])).toMatch(/removes what is not in the set\n(.*create_timer\(\d\), which is still in the set at the end\n?){3}$/);
});

it('shadowSet finds the call that broke the data structure', async () => {
  expect(await run('shadowSet', 'cleverSet.c', [])).toMatch(/^time \d+: the set has \{0,1,3,4,5,5\}, and should have \{0,1,3,4,5,6\}\ntime \d+: .*: delete \(s=0x\w+, x=2\) at cleverSet\.c:\d+$/);
  await unlessShort(async () => expect(await run('shadowSet', 'cleverSet.c', ['right'])).toBe('the set is always what it should be'));
});

it('without its arguments an analysis says what it needs, and a missing variable is told by the script’s line', async () => {
  expect(await run('timeline', 'calls.c', [])).toMatch(/^analyses\/timeline\.ts:\d+: which variable\?/);
  expect(await run('timeline', 'calls.c', [], ['nothing'])).toMatch(/^analyses\/timeline\.ts:\d+: No symbol "nothing" in current context\.$/);
});
