/**
 * The package as others install it: a project of its own imports `culprit/traces` from what `npm pack` packs, with
 * types.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ROOT } from '../cli/culprit.js';
import { compile } from './recordedExecution.js';

const folder = mkdtempSync(join(tmpdir(), 'culprit-package-'));
afterAll(() => rmSync(folder, { recursive: true }));

const USER_TEST = `
import assert from 'node:assert/strict';
import { type EditHamt, editHamt, type Item, openExecution, recordExecution, type Snapshot, type Trace } from 'culprit/traces';

const run = await recordExecution([process.argv[2] ?? '']);
const foo: Trace<Snapshot> = run.breakpoints('foo');
const args: Trace<number> = foo.map((s) => s.readArg('x').number);
const last: Item<number> | undefined = await args.last();
const sets: Trace<EditHamt<number, number>> = args.map((x) => editHamt.add(undefined, x)).scan(editHamt.concat);
const contains: boolean | undefined = await (await sets.getBefore(Infinity))?.value.contains(2);
assert.deepEqual([await foo.length, last?.value, contains], [16, 3, true]);
assert.throws(() => openExecution('nothing.culprit'), /nothing.culprit/);
// @ts-expect-error there is no such method
assert.equal(foo.nothing, undefined);
console.log('fine');
`;

/** Packing takes many seconds: usually the package is where it was built. */
function install(modules: string): void {
  mkdirSync(modules);
  // What npm would install beside it.
  for (const name of ['commander', 'esbuild', 'iced-x86', '@vscode', '@types']) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  const place = join(modules, 'culprit');
  if (process.env['CULPRIT_LONG'] !== '1') return symlinkSync(ROOT, place);
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: ROOT, encoding: 'utf8' })) as [{ readonly filename: string }];
  mkdirSync(place);
  execFileSync('tar', ['xzf', join(folder, packed.filename), '--strip-components=1', '-C', place]);
}

it('typechecks and runs', () => {
  install(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'own.ts'), USER_TEST);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { strict: true, target: 'ES2022', module: 'NodeNext', types: ['node'], noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true }, include: ['own.ts'] }));
  const compiled = spawnSync(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder], { cwd: folder, encoding: 'utf8' });
  expect({ status: compiled.status, stdout: compiled.stdout }).toEqual({ status: 0, stdout: '' });
  const ran = spawnSync(process.execPath, ['own.js', compile('calls.c')], { cwd: folder, encoding: 'utf8' });
  expect({ status: ran.status, stdout: ran.stdout.split('\n').at(-2), stderr: ran.stderr }).toEqual({ status: 0, stdout: 'fine', stderr: '' });
});
