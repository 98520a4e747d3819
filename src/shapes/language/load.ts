/**
 * A `.shape` file with what it includes, checked, and its problems as compilers show them. Reading is the caller's: a
 * name like `doubly-linked-list` is that of a file in the library, one with a slash or `.shape` that of a file.
 */
import { SourceError } from '../../base/errors.js';
import { formatProblem, type RuleProblem } from '../../rules/language/problems.js';
import { checkShapes } from './checker.js';
import type { Item } from './ast.js';
import { parseShapes, type ParsedShapes } from './parser.js';

/** The text of what an `include` names, seen from a file; undefined if it cannot be read. */
export type ReadShapeFile = (name: string, from: string) => string | undefined;

/** What could not be parsed would only be missing everywhere: names are looked at when everything was. */
export function loadShapes(text: string, file: string, read: ReadShapeFile = () => undefined): ParsedShapes {
  const problems: RuleProblem[] = [];
  const items = collect(text, file, read, new Set([file]), problems);
  const whole = { file, items: nameAll(items) };
  return { file: whole, problems: problems.length > 0 ? problems : checkShapes(whole) };
}

/** A file's statements with those of what it includes in their places, each file once. */
function collect(text: string, file: string, read: ReadShapeFile, seen: Set<string>, problems: RuleProblem[]): Item[] {
  const parsed = parseShapes(text, file);
  problems.push(...parsed.problems);
  return parsed.file.items.flatMap((item) => {
    if (item.kind !== 'include') return [item];
    if (seen.has(item.path)) return [];
    seen.add(item.path);
    const included = read(item.path, file);
    if (included !== undefined) return collect(included, item.path, read, seen, problems);
    problems.push({ place: item.place, message: `cannot read ${item.path}`, hint: 'it is the name of a file of the library, or a path' });
    return [];
  });
}

/** Constraints without names are numbered in each file: with others that have the same number, they get the next. */
function nameAll(items: readonly Item[]): Item[] {
  const taken = new Set(items.flatMap((item) => (item.kind === 'constraint' && item.isNamed ? [item.name] : [])));
  return items.map((item) => {
    if (item.kind !== 'constraint' || item.isNamed) return item;
    let { name } = item;
    for (let i = 1; taken.has(name); i++) name = `c${i}`;
    taken.add(name);
    return { ...item, name };
  });
}

/** One error with everything that is wrong. */
export function shapeError(problems: readonly RuleProblem[], text: string): SourceError {
  return new SourceError(problems.map((problem) => formatProblem(problem, () => text)).join('\n'));
}
