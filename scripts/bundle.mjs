// Bundles the command into one file: loading a hundred small modules costs more than starting Node.
import { build } from 'esbuild';

await build({
  entryPoints: ['dist/cli/main.js'],
  outfile: 'dist/culprit.mjs',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: ['iced-x86'],
  legalComments: 'none',
});
