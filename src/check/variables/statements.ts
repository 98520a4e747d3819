/** What a statement of the program's sources says, as far as it takes no compiler to see it: which names are in it, those in its macros included. */
import type { Unit } from '../../dwarf/unit.js';

export interface Statement {
  /** The same for all code of the statement. */
  readonly key: string;
  /** Without comments, and without what is between quotes. */
  readonly text: string;
  readonly names: ReadonlyMap<string, number>;
  /** There are macros in it, or what may be one: what belongs together need not stand together. */
  readonly hasMacros: boolean;
}

export type LinesOf = (path: string) => readonly string[] | undefined;

/** Longer ones are cut off. */
const MOST_LINES = 30;
const MOST_INITIALISERS = 1000;
const MOST_MACROS = 200;
const MOST_INCLUDED = 100;
/** Called like a function. */
const MAYBE_MACRO = /\b[A-Z_][A-Z_\d]+\s*\(/;
const IDENTIFIER = /[A-Za-z_$][\w$]*/g;

export class Statements {
  private readonly known = new Map<string, Statement>();
  private readonly macros = new Map<string, ReadonlyMap<string, string>>();
  private readonly stripped = new Map<string, readonly string[] | undefined>();

  constructor(private readonly linesOf: LinesOf) {}

  /** Of code at an address; undefined if its source is not to be had. */
  at(unit: Unit, address: number): Statement | undefined {
    const table = unit.lines;
    const row = table?.at(address);
    const { file, line } = (row?.line === 0 ? table?.statementAt(address) : row) ?? { file: undefined, line: 0 };
    return file === undefined ? undefined : this.statement(file.path, line, extentOf);
  }

  /** What a variable is initialised with. */
  declaring({ path, line }: { readonly path: string; readonly line: number }): Statement | undefined {
    return this.statement(path, line, declarationAt);
  }

  private statement(path: string, line: number, extent: typeof extentOf): Statement | undefined {
    const lines = this.linesIn(path);
    if (lines === undefined || line === 0 || line > lines.length) return undefined;
    const [first, last] = extent(lines, line - 1);
    const key = `${path}:${first}-${last}`;
    const found = this.known.get(key) ?? this.read(key, lines.slice(first, last + 1).join('\n'), path);
    this.known.set(key, found);
    return found;
  }

  private read(key: string, own: string, path: string): Statement {
    const macros = this.macrosIn(path);
    const texts = [own];
    for (let i = 0; i < texts.length && texts.length < MOST_MACROS; i++) {
      for (const [name] of (texts[i] as string).matchAll(IDENTIFIER)) {
        const body = macros.get(name);
        if (body !== undefined && texts.length < MOST_MACROS) texts.push(body);
      }
    }
    const text = texts.join('\n');
    const names = new Map<string, number>();
    for (const [name] of text.matchAll(IDENTIFIER)) names.set(name, (names.get(name) ?? 0) + 1);
    return { key, text, names, hasMacros: texts.length > 1 || MAYBE_MACRO.test(own) };
  }

  /** Those of a file, and of what it includes from beside it. */
  private macrosIn(path: string): ReadonlyMap<string, string> {
    const known = this.macros.get(path);
    if (known !== undefined) return known;
    const found = new Map<string, string>();
    const files = [path];
    for (let i = 0; i < files.length && i < MOST_INCLUDED; i++) {
      const file = files[i] as string;
      const text = (this.linesIn(file) ?? []).join('\n').replace(/\\\n/g, ' ');
      for (const [, name, body] of text.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)(.*)$/gm)) found.set(name as string, `${found.get(name as string) ?? ''} ${body as string}`);
      const included = [...(this.linesOf(file) ?? []).join('\n').matchAll(/^[ \t]*#[ \t]*include[ \t]+"([^"]+)"/gm)].map(([, name]) => (name?.startsWith('/') === true ? name : `${file.replace(/[^/]*$/, '')}${name ?? ''}`));
      for (const one of included) if (!files.includes(one)) files.push(one);
    }
    this.macros.set(path, found);
    return found;
  }

  private linesIn(path: string): readonly string[] | undefined {
    if (!this.stripped.has(path)) this.stripped.set(path, withoutComments(this.linesOf(path)));
    return this.stripped.get(path);
  }
}

/** Comments are blank, texts and characters empty. Lines stay what they are. */
function withoutComments(lines: readonly string[] | undefined): readonly string[] | undefined {
  return lines?.join('\n')
    .replace(/"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])+'|\/\/.*|\/\*[^]*?\*\//g, (found) => (found.startsWith('"') ? `""${newlinesOf(found)}` : found.startsWith("'") ? "''" : newlinesOf(found)))
    .split('\n');
}

function newlinesOf(text: string): string {
  return text.replace(/[^\n]/g, '');
}

/** First and last line (from 0) of the statement that a line is part of. */
function extentOf(lines: readonly string[], line: number): readonly [number, number] {
  const ends = (i: number): boolean => /[;{}]\s*$|^\s*#/.test(lines[i] ?? ';') || (lines[i] ?? '').trim() === '';
  let [first, last] = [line, line];
  while (first > 0 && line - first < MOST_LINES && !ends(first - 1)) first--;
  while (last < lines.length - 1 && last - line < MOST_LINES && !ends(last)) last++;
  return [first, last];
}

/** The same for a declaration, with all that its initialiser has between braces. */
function declarationAt(lines: readonly string[], line: number): readonly [number, number] {
  let last = line;
  while (last < lines.length - 1 && last - line < MOST_INITIALISERS && !/;\s*$/.test(lines[last] ?? '')) last++;
  return [extentOf(lines, line)[0], last];
}
