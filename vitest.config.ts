import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './scripts/summaryReporter.js';

/**
 * Tests of plain functions: nothing that one file does can be seen by another. They run in one process, one after the
 * other, and share what they import, which would otherwise take more time than the tests (0.6 s of CPU for each file).
 */
const PLAIN = ['scripts', ...['base', 'rules', 'layout', 'wasm', 'elf', 'x86', 'traces'].map((folder) => `src/${folder}`)];
const plain = PLAIN.map((folder) => `${folder}/**/*.test.ts`);

/** Tests that translate code with passes in their own process: the verifier looks at what each pass makes. */
const ENGINE = [
  ...['ir', 'jit', 'machine', 'linux', 'replay', 'check', 'counts', 'flow', 'debugger'].map((folder) => `src/${folder}`),
  ...['replay', 'checkLibrary', 'cpu', 'watching'].map((folder) => `tests/${folder}`),
];
const engine = ENGINE.map((folder) => `${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'plain', include: plain, isolate: false } },
      { extends: true, test: { name: 'engine', include: engine, setupFiles: ['scripts/verifyPasses.ts'] } },
      {
        extends: true,
        test: { name: 'apart', include: ['src/**/*.test.ts', 'tests/**/*.test.ts'], exclude: [...plain, ...engine] },
      },
    ],
    pool: 'forks',
    // Vitest would leave one processor free, which on small machines is half of them.
    maxWorkers: '100%',
    testTimeout: process.env['CULPRIT_LONG'] === undefined ? 60_000 : 3_600_000,
    // What culprit keeps of programs' code between runs: not the user's, and shared by all tests.
    // And process ids are the same in every test, though others run at the same time.
    env: { CULPRIT_CODE_CACHE: resolve('tests/build/code'), CULPRIT_PID_BASE: '20000' },
    globalSetup: 'scripts/cleanRoot.ts',
    setupFiles: process.env['CULPRIT_TEST_TIMES'] === undefined ? [] : ['scripts/testTimes/measure.ts'],
    reporters: ['default', new SummaryReporter()],
  },
});
