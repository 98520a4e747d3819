/**
 * Bundles the command into dist/culprit.cjs, one script: loading a hundred small modules costs more
 * than starting Node. CommonJS, because bin/culprit runs it with V8's code cache (codeCache.mjs).
 */
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { icedPlugin } from './icedPlugin.mjs';

const iced = dirname(createRequire(import.meta.url).resolve('iced-x86'));

await build({
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/culprit.cjs',
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  charset: 'ascii',
  legalComments: 'none',
  plugins: [icedPlugin(iced)],
});
// Its licence asks that the notice goes where the code goes.
copyFileSync(join(iced, 'iced_x86_bg.wasm'), 'dist/iced_x86_bg.wasm');
copyFileSync(join(iced, 'LICENSE.txt'), 'dist/iced_x86.LICENSE.txt');
