import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './scripts/summaryReporter.js';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts', 'scripts/**/*.test.ts'],
    pool: 'forks',
    // Vitest would leave one processor free, which on small machines is half of them.
    maxWorkers: '100%',
    testTimeout: process.env['CULPRIT_LONG'] === undefined ? 60_000 : 3_600_000,
    // What culprit keeps of programs' code between runs: not the user's, and shared by all tests.
    // And process ids are the same in every test, though others run at the same time.
    env: { CULPRIT_CODE_CACHE: resolve('tests/build/code'), CULPRIT_PID_BASE: '20000' },
    globalSetup: 'scripts/cleanRoot.ts',
    setupFiles: 'scripts/verifyPasses.ts',
    reporters: ['default', new SummaryReporter()],
  },
});
