/** Specifications of data structures: files of the user's, or those that come with culprit, by name. */
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { SourceError, UserError } from '../../base/errors.js';
import { formatProblem, type RuleProblem } from '../../rules/language/problems.js';
import { loadShapes } from '../../shapes/language/load.js';
import { parseShapes } from '../../shapes/language/parser.js';
import type { ReadSpecification } from '../../shapes/report/question.js';
import type { AskedPoint } from '../../shapes/history/points.js';
import { packageDirectory } from '../stores/prebuilt.js';
import { readTextFile } from './textFile.js';

const ENDING = '.shape';

/** Throws a UserError for whatever is wrong with it. */
export function readSpecification(name: string): ReadSpecification {
  const path = pathOf(name);
  const text = textOf(path);
  const fail = (problems: readonly RuleProblem[]): never => {
    throw new SourceError(problems.map((problem) => formatProblem(problem, (file) => (file === path ? text : undefined))).join('\n'));
  };
  const { file, problems } = loadShapes(text, path, includedText);
  if (problems.length > 0) fail(problems);
  return { path, items: file.items, fail };
}

/** What a file includes: one of the library, or a path seen from that file. */
function includedText(name: string, from: string): string | undefined {
  const beside = join(dirname(from), name);
  const path = [beside, `${beside}${ENDING}`, join(packageDirectory(), 'shapes', `${name}${ENDING}`)].find((one) => fs.statSync(one, { throwIfNoEntry: false })?.isFile() === true);
  return path === undefined ? undefined : textOf(path);
}

function pathOf(name: string): string {
  if (fs.statSync(name, { throwIfNoEntry: false })?.isFile() === true) return name;
  const shipped = join(packageDirectory(), 'shapes', `${name}${ENDING}`);
  if (!name.includes('/') && fs.existsSync(shipped)) return shipped;
  throw new UserError(`${name}: no such specification; those that come with culprit are ${shippedNames().join(', ')}`);
}

function textOf(path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    throw new UserError(`${path}: cannot be read (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`);
  }
}

function shippedNames(): string[] {
  const folder = join(packageDirectory(), 'shapes');
  return fs.existsSync(folder) ? fs.readdirSync(folder).filter((file) => file.endsWith(ENDING)).map((file) => file.slice(0, -ENDING.length)).sort() : [];
}

/** `exit insert`, `insert`, `tree.c:28`, `every 100`, `end`: as specifications have them. */
export function parsePoint(text: string): AskedPoint[] {
  const written = /^\S+:\d+$/.test(text.trim()) ? `"${text.trim()}"` : text;
  const { file: { items }, problems } = parseShapes(`C-POINT ${written};`, '--at');
  if (problems.length > 0) throw new UserError(`--at ${text}: not a place where structures must hold; write entry FUNCTION, exit FUNCTION, FUNCTION, FILE:LINE, every N, end or crash`);
  return items.flatMap((item) => (item.kind === 'point' ? [{ types: item.types, point: item.point }] : []));
}
