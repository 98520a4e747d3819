/** Specifications in tests: parsed, checked and bound, or an error with everything that is wrong. */
import { assert } from '../../base/assert.js';
import { bindShapes } from '../checking/bind.js';
import type { BoundSpecification } from '../checking/terms.js';
import { loadShapes } from '../language/load.js';
import type { ProgramTypes } from '../model.js';

export function specificationOf(text: string, program?: ProgramTypes): BoundSpecification {
  const loaded = loadShapes(text, 'a.shape');
  const bound = bindShapes(loaded.file.items, program);
  const problems = [...loaded.problems, ...bound.problems];
  assert(problems.length === 0, problems.map(({ place, message }) => `${place.line}:${place.column}: ${message}`).join('\n'));
  return bound.specification;
}
