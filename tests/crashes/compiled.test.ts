import { CRASH_CASES } from './crashCases.js';
import { defineCrashTests } from './crashTests.js';

/** Low, so that also what runs a few times only is compiled. */
defineCrashTests({ hotThreshold: 8 }, CRASH_CASES.filter((_, i) => i % 3 === 1));
