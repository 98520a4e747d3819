import { defineCrashTests } from './crashTests.js';

defineCrashTests({ noCompiler: true });
