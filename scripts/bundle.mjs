/**
 * Bundles the command into dist/culprit.cjs, one script: loading a hundred small modules costs more
 * than starting Node. CommonJS, because bin/culprit runs it with V8's code cache (codeCaches.mjs). Worker
 * threads have scripts of their own beside it.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { makeCodeCaches } from './codeCaches.mjs';
import { icedPlugin } from './icedPlugin.mjs';
import { lazyBuiltins } from './lazyBuiltins.mjs';

const iced = dirname(createRequire(import.meta.url).resolve('iced-x86'));

/** Scripts of worker threads and processes of their own (src/host/threadScript.ts finds them). */
const THREADS = ['src/host/recordingThread.ts', 'src/cli/opening/searchThread.ts', 'src/cli/opening/probeThread.ts', 'src/cli/query/queryThread.ts', 'src/cli/triage/triageThread.ts', 'src/cli/v8/machineCodeProbe.ts'];
const shared = {
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  charset: 'ascii',
  legalComments: 'none',
  // Modules know where they are by the former, or else by the latter.
  define: { BUNDLE_DIRECTORY: '__dirname', 'import.meta.url': 'undefined' },
  // Only `culprit query` loads it, for scripts in files.
  external: ['esbuild'],
  plugins: [icedPlugin(iced), lazyBuiltins(['node:child_process', 'node:crypto', 'node:readline'])],
};
for (const name of readdirSync('dist')) if (/\.(cache|modules)$/.test(name)) rmSync(join('dist', name));
await build({ ...shared, entryPoints: ['src/cli/main.ts'], outfile: 'dist/culprit.cjs' });
await build({ ...shared, entryPoints: ['src/cli/queryMain.ts'], outfile: 'dist/culprit-query.cjs' });
for (const path of THREADS) await build({ ...shared, entryPoints: [path], outfile: `dist/${basename(path, '.ts')}.cjs` });
const { LINEAR_MEMORY_PAGES } = await import('../dist/layout/memoryMap.js');
// The thread that people wait for has a code cache, like the command, and Node's loader of ES modules before the flags
// are set, which scripts are loaded by.
mkdirSync('dist/threads', { recursive: true });
writeFileSync('dist/threads/queryThread.cjs', `'use strict';
globalThis[Symbol.for('culprit.earlyMemory')] = new WebAssembly.Memory({ initial: ${LINEAR_MEMORY_PAGES}, maximum: ${LINEAR_MEMORY_PAGES} });
const { loadScript, setFlags } = require('../../bin/cachedScript.cjs');
const run = loadScript('queryThread');
void import('data:text/javascript,').then(setFlags).then(run);
`);
// Its licence asks that the notice goes where the code goes.
copyFileSync(join(iced, 'iced_x86_bg.wasm'), 'dist/iced_x86_bg.wasm');
copyFileSync(join(iced, 'LICENSE.txt'), 'dist/iced_x86.LICENSE.txt');

// Grammars for `culprit paths`: the packages they come in are much larger, and are needed for the build only.
mkdirSync('dist/grammars', { recursive: true });
for (const language of ['c', 'cpp']) {
  const grammar = dirname(createRequire(import.meta.url).resolve(`tree-sitter-${language}/package.json`));
  copyFileSync(join(grammar, `tree-sitter-${language}.wasm`), `dist/grammars/tree-sitter-${language}.wasm`);
  copyFileSync(join(grammar, 'LICENSE'), `dist/grammars/tree-sitter-${language}.LICENSE.txt`);
}

const { buildCoreModule } = await import('../dist/jit/coreModule.js');
writeFileSync('dist/core.wasm', buildCoreModule());
// What is stored of translated code (src/cli/stores/codeStore.ts) is good for this build only.
const id = createHash('sha1').update(readFileSync('dist/culprit.cjs')).update(readFileSync('dist/core.wasm')).digest('hex').slice(0, 20);
writeFileSync('dist/build-id', id);

makeCodeCaches();
