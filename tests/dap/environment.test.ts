/**
 * The environment that a client asks for is the program's, and none of ours: Node and the dynamic linker would do what
 * it says.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { compile, Editor } from './editor.js';
import { culprit } from '../cli/culprit.js';
import { Terminal } from './terminal.js';

let folder: string;
let editor: Editor | undefined;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'culprit-environment-'))));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(async () => {
  await editor?.close();
  editor = undefined;
}, 30_000);

/** What would do something in a process of ours, and what it would leave behind there. */
function hostile(name: string): { readonly env: Record<string, string | null>; readonly canary: string; readonly loadedBy: string; readonly listing: string } {
  const [canary, script, loadedBy, listing] = ['canary', 'script.cjs', 'loadedBy', 'listing'].map((file) => join(folder, `${name}-${file}`)) as [string, string, string, string];
  writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(canary)}, '')`);
  const library = compile('preloaded.c', ['-shared', '-fPIC', '-O1']);
  return { env: { NODE_OPTIONS: `--require=${script}`, LD_PRELOAD: library, LOADED_BY: loadedBy, CULPRIT_DEBUG: '1', TOLD: 'a\nb=\u00e4', HOME: null }, canary, loadedBy, listing };
}

it.each(['internalConsole', 'integratedTerminal'])('is for the program alone (%s)', async (console) => {
  const { env, canary, loadedBy, listing } = hostile(console);
  editor = await Editor.start();
  const terminal = new Terminal(editor);
  await editor.begin('launch', { program: '/bin/sh', args: ['-c', `env -0 > ${listing}`], env, console });
  const seen = new Map(readFileSync(listing, 'utf8').split('\0').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  const { HOME: _home, ...wanted } = env;
  expect(Object.fromEntries(Object.keys(env).filter((name) => seen.has(name)).map((name) => [name, seen.get(name)]))).toEqual(wanted);
  expect(existsSync(canary)).toBe(false);
  expect([...new Set(readFileSync(loadedBy, 'utf8').trim().split('\n'))].filter((program) => program === process.execPath)).toEqual([]);
  if (console === 'integratedTerminal') {
    expect(terminal.asked?.env).toBeUndefined();
    // Other users see command lines.
    expect(terminal.asked?.args.join(' ')).not.toContain('LD_PRELOAD');
  }
});

it('given by --env is for the program alone, too', () => {
  const { env, canary, loadedBy, listing } = hostile('option');
  const options = Object.entries(env).flatMap(([name, value]) => (value === null ? [] : ['--env', `${name}=${value}`]));
  // Not in the cache: whether Node can keep machine code is tried out in processes of their own.
  const { status } = culprit(['record', '-o', join(folder, 'option.culprit'), ...options, '/bin/sh', '-c', `env -0 > ${listing}`], { env: { CULPRIT_CODE_CACHE: join(folder, 'code') } });
  expect(status).toBe(0);
  expect(readFileSync(listing, 'utf8')).toContain(`LD_PRELOAD=${env['LD_PRELOAD']}`);
  expect(existsSync(canary)).toBe(false);
  expect(readFileSync(loadedBy, 'utf8')).not.toContain(`${process.execPath}\n`);
});
