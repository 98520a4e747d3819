/**
 * Bundles the command into dist/culprit.cjs, one script: loading a hundred small modules costs more
 * than starting Node. CommonJS, because bin/culprit runs it with V8's code cache (codeCache.mjs). Worker
 * threads have scripts of their own beside it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { icedPlugin } from './icedPlugin.mjs';
import { lazyBuiltins } from './lazyBuiltins.mjs';

const iced = dirname(createRequire(import.meta.url).resolve('iced-x86'));

/** Scripts of worker threads (src/host/threadScript.ts finds them). */
const THREADS = ['src/host/recordingThread.ts', 'src/cli/searchThread.ts', 'src/cli/queryThread.ts'];
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
  plugins: [icedPlugin(iced), lazyBuiltins(['node:child_process'])],
};
rmSync('dist/culprit.cache', { force: true });
await build({ ...shared, entryPoints: ['src/cli/main.ts'], outfile: 'dist/culprit.cjs' });
for (const path of THREADS) await build({ ...shared, entryPoints: [path], outfile: `dist/${basename(path, '.ts')}.cjs` });
// Its licence asks that the notice goes where the code goes.
copyFileSync(join(iced, 'iced_x86_bg.wasm'), 'dist/iced_x86_bg.wasm');
copyFileSync(join(iced, 'LICENSE.txt'), 'dist/iced_x86.LICENSE.txt');

const { buildCoreModule } = await import('../dist/jit/coreModule.js');
writeFileSync('dist/core.wasm', buildCoreModule());
// What is stored of translated code (src/cli/codeStore.ts) is good for this build only.
const id = createHash('sha1').update(readFileSync('dist/culprit.cjs')).update(readFileSync('dist/core.wasm')).digest('hex').slice(0, 20);
writeFileSync('dist/build-id', id);

// The code cache, from a run that uses what most runs use: a dynamic program where there is one.
const guest = existsSync('/bin/true') ? '/bin/true' : 'demo/hello';
const recorded = spawnSync(process.execPath, ['bin/culprit', 'run', guest], {
  env: { ...process.env, CULPRIT_RECORD_CODE_CACHE: 'dist/culprit.cache', CULPRIT_CODE_CACHE: 'off' },
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (recorded.status !== 0) throw new Error(`culprit run ${guest} failed: ${recorded.status ?? recorded.signal}`);
