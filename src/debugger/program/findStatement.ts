/** From what people write for a statement to the statement itself, or to one line that says what is wrong with it. */
import { UserError } from '../../base/errors.js';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import { LocationNotFound } from './location.js';
import type { LoadedModule } from './modules.js';
import type { StatementText } from './statementText.js';
import { type Statement, statementName, type Statements } from './statements.js';

interface StatementContext {
  readonly modules: readonly LoadedModule[];
  readonly statements: Statements;
  /** For a line without a file. */
  readonly currentPath?: string | undefined;
}

/** Throws a LocationNotFound if no module has it: a library may be loaded later. */
export function findStatement(text: StatementText, context: StatementContext): Statement {
  const { statements } = context;
  const { line, part } = text;
  const file = text.file ?? context.currentPath;
  if (file === undefined) throw new UserError(`${line}: of which file? Write FILE:${line}`);
  const found = filesNamed(file, context);
  const reached = found.filter(({ module, path }) => statements.of(module.file).linesOf(path).includes(line));
  const [first, ...others] = reached;
  if (first === undefined) throw new LocationNotFound(noCode(file, line, found.flatMap(({ module, path }) => statements.of(module.file).linesOf(path))));
  const other = others.find(({ path }) => path !== first.path);
  if (other !== undefined) throw new UserError(`${file} may be ${first.path} or ${other.path}: write more of its path`);
  if (part === undefined) return statements.wholeLine(first.path, line);
  const all = reached.flatMap(({ module, path }) => statements.ofLine(module.file, path, line)).map(({ statement }) => statement);
  const wanted = all.find((one) => one.part === part);
  if (wanted === undefined) throw new UserError(noPart(first.path, line, part, all));
  return wanted;
}

function filesNamed(file: string, { modules }: StatementContext): { readonly module: LoadedModule; readonly path: string }[] {
  const described = modules.filter(({ info }) => info !== undefined);
  const found = described.flatMap((module) => {
    const files = unlessCorrupt(() => module.info?.sources.find(file) ?? [], () => []);
    return [...new Set(files.map((one) => one.file.path))].map((path) => ({ module, path }));
  });
  if (found.length > 0) return found;
  const hint = described.some(({ isProgram }) => isProgram) ? '' : ' (the program has no debug information: compile it with -g)';
  throw new LocationNotFound(`No source file named ${file}${hint === '' ? '.' : hint}`);
}

function noCode(file: string, line: number, lines: readonly number[]): string {
  const sorted = [...new Set(lines)].sort((a, b) => a - b);
  const near = [sorted.findLast((one) => one < line), sorted.find((one) => one > line)].filter((one) => one !== undefined);
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (near.length === 0) return `${name} has no code`;
  return `${name}:${line} has no code; the nearest ${near.length === 1 ? 'line that has is' : 'lines that have are'} ${near.join(' and ')}`;
}

function noPart(path: string, line: number, part: number, all: readonly Statement[]): string {
  const name = (one: number | undefined): string => statementName({ path, line, part: one });
  const parts = [...new Set(all.map((one) => one.part))].sort((a, b) => (a ?? 0) - (b ?? 0));
  if (parts.length === 1) return `${name(part)} has no code; the line has ${name(parts[0])} only`;
  return `${name(part)} has no code; the line has ${parts.map((one) => name(one)).join(', ')}`;
}
