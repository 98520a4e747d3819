import { EVENTS } from './eventPrograms.js';
import { testPrograms } from './testPrograms.js';

testPrograms('events', EVENTS);
