/** A `.shape` file read and checked, and its problems as compilers show them. Reading is the caller's. */
import { SourceError } from '../../base/errors.js';
import { formatProblem, type RuleProblem } from '../../rules/language/problems.js';
import { checkShapes } from './checker.js';
import { parseShapes, type ParsedShapes } from './parser.js';

/** What could not be parsed would only be missing everywhere: names are looked at when everything was. */
export function loadShapes(text: string, file: string): ParsedShapes {
  const parsed = parseShapes(text, file);
  return parsed.problems.length > 0 ? parsed : { file: parsed.file, problems: checkShapes(parsed.file) };
}

/** One error with everything that is wrong. */
export function shapeError(problems: readonly RuleProblem[], text: string): SourceError {
  return new SourceError(problems.map((problem) => formatProblem(problem, () => text)).join('\n'));
}
