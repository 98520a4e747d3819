/** All cases in one file: what they need takes longer to load than most of them take. */
import { afterAll } from 'vitest';
import { theTour } from './served.js';
import './nativeCases.js';
import './reverseCases.js';
import './writingCases.js';
import './processesCases.js';
import './hostileCases.js';

afterAll(async () => (await theTour()).close());
