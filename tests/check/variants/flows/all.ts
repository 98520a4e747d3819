import { CALLS } from './calls.js';
import { CLASSES } from './classes.js';
import { CONTROL } from './control.js';
import type { Flow } from './flow.js';
import { PLACES } from './places.js';
import { SYSTEM } from './system.js';

/** The direct way is the first. */
export const FLOWS: readonly Flow[] = [...CALLS, ...PLACES, ...CONTROL, ...SYSTEM, ...CLASSES];
