import { CRASH_CASES } from './crashCases.js';
import { defineCrashTests } from './crashTests.js';

// The others are compiled in the usual run, and interpreted where they are cold.
defineCrashTests({ noCompiler: true }, CRASH_CASES.filter((_, i) => i % 3 === 0));
