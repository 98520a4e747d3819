/** All cases in one file: what they need takes longer to load than most of them take. */
import { afterAll } from 'vitest';
import { alteringCases } from './alteringCases.js';
import { commandCases } from './commandCases.js';
import { debuggerCases } from './debuggerCases.js';
import { hostileCases } from './hostileCases.js';
import { interruptCases } from './interruptCases.js';
import { nativeCases } from './nativeCases.js';
import { processesCases } from './processesCases.js';
import { reverseCases } from './reverseCases.js';
import { closeTour } from './served.js';
import { writingCases } from './writingCases.js';

afterAll(closeTour);

nativeCases();
reverseCases();
debuggerCases();
writingCases();
alteringCases();
processesCases();
hostileCases();
commandCases();
interruptCases();
