/**
 * What goes wrong in a script is told in one line, which begins with the script's own line; what it found out before is
 * kept.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { KnownHits } from '../../src/traces/execution/knownHits.js';
import { runScript } from './analysis.js';
import { compile, executionOf } from './recordedExecution.js';

const folder = mkdtempSync(join(tmpdir(), 'culprit-scripts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const executed = executionOf([compile('calls.c')]);

/** From the second line on. */
async function failing(text: string, execution = executed): Promise<string> {
  const path = join(folder, 'failing.ts');
  writeFileSync(path, `import { editHamt, execution, type Snapshot } from 'culprit/traces';\n${text}\n`);
  return (await runScript(path, await execution)).replaceAll(relative(process.cwd(), path), 'failing.ts').replaceAll(path, 'failing.ts');
}

it.each([
  ['a variable that is not there', "const foo = execution.breakpoints('foo');\nconst last = await foo.last();\nlast!.value\n  .readVar('nothing');", 'failing.ts:5: No symbol "nothing" in current context.'],
  ['a member that is not there', "const { value } = (await execution.breakpoints('foo').first())!;\nvalue.readVar('origin').field('z').number;", /^failing\.ts:3: .*\bz\b/],
  ['a variable that is not there, in the middle of a trace', "const xs = execution.breakpoints('foo')\n  .map((s: Snapshot) => s.readVar('nothing').number);\nawait xs.last();", 'failing.ts:3: No symbol "nothing" in current context.'],
  ['a function that is not there', "await execution.breakpoints('fooo').length;", 'failing.ts:2: Function "fooo" not defined.'],
  ['a time outside of the run', 'execution.getAt(1e12);', /^failing\.ts:2: no such time: 1000000000000; there are times from 0 to \d+$/],
  ['a time that is none', 'await execution.breakpoints(\'foo\').getBefore(NaN);', /failing\.ts:2: NaN is no time/],
  ['an error of its own', "\nthrow new RangeError('mine');", 'failing.ts:3: RangeError: mine'],
  ['what is thrown and is no error', "throw 'text';", 'failing.ts: thrown: text'],
  ['a function of a trace that throws', "await execution.breakpoints('foo').filter(() => {\n  throw new TypeError('in the middle');\n}).first();", 'failing.ts:3: TypeError: in the middle'],
  ['two items at one time', "const foo = execution.breakpoints('foo');\nawait foo.merge(foo).length;", /^failing\.ts:3: both traces have an item at time \d+: give merge a function that combines them$/],
  ['a key that is none', 'editHamt.add(undefined, new Map());', 'failing.ts:2: a Map cannot be a key: take a field of it, or give it a method toKey()'],
  ['what is no TypeScript', 'const = 3;', /^failing\.ts:2: /],
  ['an import that is not there', "import './nothing.js';", /^failing\.ts:2: Could not resolve "\.\/nothing\.js"$/],
] as const)('%s', async (_what, text, message) => {
  const said = await failing(text).catch((error: unknown) => (error as Error).message.replaceAll(relative(process.cwd(), folder), '').replace(/^.*failing\.ts/, 'failing.ts'));
  if (typeof message === 'string') expect(said).toBe(message);
  else expect(said).toMatch(message);
});

it('what was found out before a failure is kept', async () => {
  const known = new KnownHits();
  expect(await failing("await execution.breakpoints('bar').length;\nthrow new Error('enough');", executionOf([compile('calls.c')], {}, { known }))).toBe('failing.ts:3: Error: enough');
  const again = await executionOf([compile('calls.c')], {}, { known: new KnownHits(known.encode()) });
  expect([await again.breakpoints('bar').length, again.cost]).toEqual([64, 0]);
});
