import { defineCrashTests } from './crashTests.js';

/** Low, so that also what runs a few times only is compiled. */
defineCrashTests({ hotThreshold: 8 });
