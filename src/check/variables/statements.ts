/**
 * What a statement of the program's sources may have to do with: all names in it, and in what its macros stand for. It
 * is understood if there is nothing in it that may stand for something else: then a variable that it does not name is
 * none whose address it takes.
 */
import type { Unit } from '../../dwarf/unit.js';
import { isNameOfC } from './cNames.js';
import { isName, type SourceStatements, sourceStatements } from './sourceStatements.js';
import { UnitNames } from './unitNames.js';

export interface Statement {
  readonly names: ReadonlySet<string>;
  /** All of it, with what its macros stand for, and a space between any two pieces. Texts are empty. */
  readonly text: string;
  /** What belongs together need not stand together. */
  readonly hasMacros: boolean;
  /** There is nothing in it that may stand for something else, but for constants that hold it. */
  readonly isUnderstood: boolean;
  readonly constants: readonly string[];
}

/** Lines of a source file that is what the program was made of, as far as can be told. */
export type LinesOf = (path: string) => readonly string[] | undefined;

/** What joins names to others. */
const PASTE = '##';

export class Statements {
  private readonly files = new Map<string, SourceStatements | undefined>();
  /** With what they include. */
  private readonly including = new Map<string, readonly SourceStatements[]>();
  private readonly known = new Map<string, Statement | undefined>();
  private readonly unitNames = new UnitNames();

  constructor(
    private readonly linesOf: LinesOf,
    private readonly isFunction: (name: string) => boolean,
  ) {}

  /** Of a unit's code at an address; undefined if its source is not to be had. */
  at(unit: Unit, address: number): Statement | undefined {
    const row = unit.lines?.at(address);
    return row === undefined ? undefined : this.in(unit, row.file?.path, row.line);
  }

  /** What has to do with a line of a file. */
  in(unit: Unit, path: string | undefined, line: number): Statement | undefined {
    if (path === undefined || line === 0) return undefined;
    const key = `${unit.offset} ${line} ${path}`;
    if (!this.known.has(key)) this.known.set(key, this.read(unit, path, line));
    return this.known.get(key);
  }

  private read(unit: Unit, path: string, line: number): Statement | undefined {
    const own = this.file(path)?.at(line) ?? [];
    if (own.length === 0) return undefined;
    const files = [...new Set([...this.filesFor(path), ...this.filesFor(this.mainFile(unit) ?? path)])];
    const tokens = [...own];
    const names = new Set<string>();
    const macros = new Set<string>();
    for (let i = 0; i < tokens.length; i++) {
      const name = tokens[i] as string;
      if (!isName(name) || names.has(name)) continue;
      names.add(name);
      for (const file of files) {
        const body = file.macros.get(name);
        if (body === undefined) continue;
        macros.add(name);
        tokens.push(...body);
      }
    }
    const others = [...names].filter((name) => !macros.has(name) && !isNameOfC(name) && !this.isFunction(name));
    const isUnderstood = unit.isC && !tokens.includes(PASTE) && others.every((name) => this.unitNames.kindOf(unit, name) !== undefined);
    const constants = isUnderstood ? others.filter((name) => this.unitNames.kindOf(unit, name) === 'constant') : [];
    return { names, text: tokens.join(' '), hasMacros: macros.size > 0, isUnderstood, constants };
  }

  private mainFile(unit: Unit): string | undefined {
    const { name, directory } = unit;
    return name === undefined || name.startsWith('/') || directory === undefined ? name : `${directory}/${name}`;
  }

  /** A file, and what it includes from beside it. */
  private filesFor(path: string): readonly SourceStatements[] {
    const known = this.including.get(path);
    if (known !== undefined) return known;
    const paths = new Set([path]);
    for (const one of paths) {
      for (const included of this.file(one)?.included ?? []) paths.add(included.startsWith('/') ? included : `${one.replace(/[^/]*$/, '')}${included}`);
    }
    const found = [...paths].flatMap((one) => this.file(one) ?? []);
    this.including.set(path, found);
    return found;
  }

  private file(path: string): SourceStatements | undefined {
    if (!this.files.has(path)) {
      const lines = this.linesOf(path);
      this.files.set(path, lines && sourceStatements(lines));
    }
    return this.files.get(path);
  }
}
