import type { BugCase } from './bugCase.js';
import { paperCases } from './paper/paperBugs.js';
import { allVariants } from './variants/generate.js';

export function allCases(): BugCase[] {
  return [...paperCases(), ...allVariants()];
}
