/** Runs layers/main.ts, which says what it checks. Node 20 does not run TypeScript: it is bundled in memory first. */
import { build } from 'esbuild';

const parser = {
  name: 'parser',
  setup({ onResolve }) {
    // A module without a file of its own finds others only by their full addresses.
    onResolve({ filter: /^rolldown\// }, ({ path }) => ({ path: import.meta.resolve(path), external: true }));
  },
};
const { outputFiles: [bundle] } = await build({ entryPoints: ['scripts/layers/main.ts'], bundle: true, write: false, format: 'esm', platform: 'node', plugins: [parser] });
await import(`data:text/javascript;base64,${Buffer.from(bundle.text).toString('base64')}`);
