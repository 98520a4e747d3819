import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './scripts/summaryReporter.js';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    reporters: ['default', new SummaryReporter()],
  },
});
