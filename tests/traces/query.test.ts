/** The command: expressions, scripts, the prompt, what is remembered, and what goes wrong. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CULPRIT, culprit, type Outcome } from '../cli/culprit.js';
import { compile } from './recordedExecution.js';

const folder = mkdtempSync(join(tmpdir(), 'culprit-query-'));
const recording = join(folder, 'calls.culprit');
const cache = `${recording}.cache`;

beforeAll(() => {
  const { status, stderr } = culprit(['record', '-o', recording, compile('calls.c')], { cwd: folder });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

afterAll(() => rmSync(folder, { recursive: true }));

function query(words: readonly string[], input = ''): Outcome {
  return culprit(['query', recording, ...words], { cwd: folder, input });
}

function script(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

/** The example of a chapter of docs/traces.md. */
function example(chapter: string): string {
  const document = readFileSync(new URL('../../docs/traces.md', import.meta.url), 'utf8');
  return /```ts\n([^`]*)```/.exec(document.slice(document.indexOf(`## ${chapter}`)))?.[1] ?? '';
}

describe('branches', () => {
  it('are what culprit branch shows', () => {
    const first = query(['-e', "(await execution.breakpoints('foo').toArray())[4].time"]).stdout.trim();
    const shown = query(['--json', '-e', `const branch = await execution.branch(${first}, { write: { counter: 1000 } })`, '-e', 'branch.end', '-e', 'branch.departure ?? null', '-e', 'branch.output().map((s) => s.output.text)']);
    const told = JSON.parse(culprit(['branch', recording, '--at', first, '--write', 'counter=1000', '--json'], { cwd: folder }).stdout) as { end: unknown; departure: unknown; output: { text: string }[] };
    const [end, departure, ...output] = shown.stdout.trim().split('\n').map((line) => JSON.parse(line) as unknown);
    expect([end, departure]).toEqual([told.end, told.departure]);
    expect(output.map((item) => (item as { value: string }).value).join('')).toBe(told.output.map(({ text }) => text).join(''));
  });

  it('do what the documents say', () => {
    const { stdout, stderr } = query([script('whatIf.ts', example('What if'))]);
    expect({ stdout, stderr }).toEqual({ stdout: '1 -12 42\n\n', stderr: '' });
  });
});

describe('-e', () => {
  it('shows numbers, values, snapshots, backtraces and traces as tables', () => {
    const { stdout, stderr } = query([
      '-e', "execution.breakpoints('foo').length", '-e', "const foo = execution.breakpoints('foo')", '-e', "(await foo.last()).value.readVar('origin')", '-e', '(await foo.last()).value.backtrace()',
      '-e', "execution.syscalls('write')", '-e', "execution.watchpoints('counter')", '--limit', '2',
    ]);
    expect(stderr).toBe('');
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('16');
    expect(lines[1]).toMatch(/^\{x = 3, y = 4, next = 0x\w+ <origin>\}$/);
    expect(lines[2]).toMatch(/^#0 {2}foo \(x=3, y=15\) at .*calls\.c:12$/);
    expect(lines[4]?.trim().split(/\s+/)).toEqual(['time', 'value']);
    expect(lines[5]).toMatch(/^\d+ {2}write\(0x1, 0x\w+, 0x7\) = 7$/);
    expect(lines.slice(6, 9).map((line) => line.trim().split(/\s{2,}/).slice(1))).toEqual([
      ['thread', 'access', 'address', 'function', 'line'], [expect.any(String), 'write', expect.stringMatching(/^0x/), 'foo', 'calls.c:12'], [expect.any(String), 'write', expect.stringMatching(/^0x/), 'foo', 'calls.c:12'],
    ]);
    expect(lines[9]).toBe('... more than 2: use --limit, slice or filter');
  });

  it('--json is an item a line', () => {
    const { stdout } = query(['--json', '-e', "execution.breakpoints('foo').map((s) => s.readVar('y'))", '-e', '{ a: 1n }', '-e', '({ a: 1n })']);
    const items = stdout.trim().split('\n').map((line) => JSON.parse(line) as { value: number });
    expect(items.slice(0, 16).map(({ value }) => value)).toEqual(Array.from({ length: 16 }, (_, i) => i));
    expect(items.at(-1)).toEqual({ a: '1' });
  });
});

describe('scripts', () => {
  it('are TypeScript with imports and arguments', () => {
    script('helper.ts', 'export const twice = (n: number): number => 2 * n;');
    const name = script('count.ts', "import { args, execution, type Snapshot } from 'culprit/traces';\nimport { twice } from './helper.js';\nconst isOdd = (s: Snapshot): boolean => +s.readVar('x') % 2 === 1;\nconsole.log(args, twice(await execution.breakpoints('foo').count(isOdd)));\n");
    expect(query([name, 'a', '--b'])).toEqual({ status: 0, stdout: "[ 'a', '--b' ] 16\n", stderr: '' });
  });

  // What else may go wrong is in scripts.test.ts.
  it('that fail are told by their own line, without a stack', () => {
    const name = script('failing.ts', "import { execution } from 'culprit/traces';\nconst last = await execution.breakpoints('foo').last();\nlast!.value\n  .readVar('nothing');\n");
    expect(query([name])).toEqual({ status: 1, stdout: '', stderr: 'culprit: failing.ts:4: No symbol "nothing" in current context.\n' });
  });

  it('are compiled again when something in them changes, and not before', () => {
    const env = { CULPRIT_CODE_CACHE: join(folder, 'code') };
    const run = (name: string): string => culprit(['query', recording, name], { cwd: folder, env }).stdout;
    script('part.ts', 'export const number: number = 1;');
    const name = script('whole.ts', "import { number } from './part.js';\nconsole.log(number);\n");
    expect(run(name)).toBe('1\n');
    const stored = readdirSync(env.CULPRIT_CODE_CACHE).filter((file) => file.endsWith('.script')).map((file) => join(env.CULPRIT_CODE_CACHE, file));
    expect(stored.length).toBe(1);
    const made = (): bigint => statSync(stored[0]!, { bigint: true }).mtimeNs;
    const first = made();
    expect(run(name)).toBe('1\n');
    expect(made()).toBe(first);
    // What another user has written there is not run: it is sealed.
    writeFileSync(stored[0]!, readFileSync(stored[0]!, 'latin1').replace('console.log(', "console.log(7,"), 'latin1');
    expect(run(name)).toBe('1\n');
    script('part.ts', 'export const number: number = 2;');
    expect(run(name)).toBe('2\n');
    // Now the import means another file.
    script('part.js', 'export const number = 3;');
    expect(run(name)).toBe('3\n');
  });

  it('that never end are ended by Ctrl-C, and what was found out is kept', async () => {
    rmSync(cache, { force: true });
    const name = script('endless.ts', "import { execution } from 'culprit/traces';\nawait execution.breakpoints('bar').length;\nconsole.log('known');\nfor (;;) {}\n");
    const child = spawn(process.execPath, [CULPRIT, 'query', recording, name], { cwd: folder });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data: Buffer) => {
      stdout += String(data);
      child.kill('SIGINT');
    });
    child.stderr.on('data', (data: Buffer) => void (stderr += String(data)));
    const status = await new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
    expect({ status, stdout, stderr }).toEqual({ status: 'SIGINT', stdout: 'known\n', stderr: 'culprit: interrupted\n' });
    expect(query(['-e', "execution.breakpoints('bar').length", '-e', 'execution.cost']).stdout).toBe('64\n0\n');
  });
});

it('without a script lines are answered one after the other, and variables stay', () => {
  const input = "const foo = execution.breakpoints('foo')\nlet { time } = await foo.first(); time > 0\nfunction half(n) { return n / 2 }\nhalf(await foo.length)\nnothing\n1 +\n'the end'\n";
  const { stdout, stderr } = query([], input);
  expect(stdout).toBe('true\n8\nthe end\n');
  expect(stderr).toMatch(/^culprit: ReferenceError: nothing is not defined\nculprit: not JavaScript: [^\n]*\n$/);
});

describe('what is remembered', () => {
  const ask = ['-e', "execution.breakpoints('foo').length", '-e', 'execution.cost'];

  // What is not believed is in src/cli/stores/queryStore.test.ts.
  it('answers the next question without replaying anything', () => {
    rmSync(cache, { force: true });
    const [count, cost] = query(ask).stdout.split('\n');
    expect([count, Number(cost) > 0]).toEqual(['16', true]);
    expect(existsSync(cache)).toBe(true);
    expect(query(ask).stdout).toBe('16\n0\n');
  });
});

it('wrong use is one line', () => {
  const all = [['nothing.culprit', '-e', '1'], [recording, '--limit', 'x'], [recording, 'nothing.ts'], [recording, '--nothing']];
  for (const words of all.slice(0, process.env['CULPRIT_LONG'] === '1' ? undefined : 2)) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CULPRIT, 'query', ...words], { encoding: 'utf8', cwd: folder });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^culprit: [^\n]+\n$/);
  }
});

it('the command loads no engine by itself: that is for the thread, and would be half of the time to the first answer', () => {
  const bundle = readFileSync(join(CULPRIT, '..', '..', 'dist', 'culprit-query.cjs'), 'latin1');
  expect(bundle).not.toContain('iced_x86');
  expect(bundle.length).toBeLessThan(150_000);
});
