import { CRASH_CASES } from './crashCases.js';
import { defineCrashTests } from './crashTests.js';

// The compiled tier's tests interpret what is cold, too.
defineCrashTests({ noCompiler: true }, CRASH_CASES.filter((_, i) => i % 3 === 0));
