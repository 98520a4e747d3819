/** The text of source files: on this machine where the compiler had them, or where the user says that they are now. */
import type { DebugFiles } from './debugFiles.js';

interface Substitution {
  readonly from: string;
  readonly to: string;
}

/** What gdb puts for the directory of compilation, and for the current one. */
const DEFAULT_DIRECTORIES = ['$cdir', '$cwd'];

export class SourceText {
  /** `set substitute-path`: the first that fits is applied. */
  substitutions: readonly Substitution[] = [];
  /** `directory`: where files are looked for by their path's end. */
  directories: readonly string[] = DEFAULT_DIRECTORIES;
  private readonly texts = new Map<string, readonly string[]>();
  private readonly present = new Map<string, boolean>();

  constructor(private readonly files: DebugFiles) {}

  /** All lines of a file; undefined if it cannot be found. */
  lines(path: string): readonly string[] | undefined {
    for (const candidate of this.candidates(path)) {
      const lines = this.load(candidate);
      if (lines !== undefined) return lines;
    }
    return undefined;
  }

  /** Lines are counted from 1. */
  line(path: string, number: number): string | undefined {
    return this.lines(path)?.[number - 1];
  }

  /** Where the file is on this machine. */
  find(path: string): string | undefined {
    return this.candidates(path).find((candidate) => this.isPresent(candidate));
  }

  /** Where the file should be by what the user said, whether or not it is there. */
  expected(path: string): string {
    const rule = this.substitutions.find(({ from }) => isBelow(path, from));
    return rule === undefined ? path : rule.to + path.slice(rule.from.length);
  }

  /** The path in debug information that a path on this machine may stand for. */
  inProgram(path: string): string {
    const rule = this.substitutions.find(({ to }) => isBelow(path, to));
    return rule === undefined ? path : rule.from + path.slice(rule.to.length);
  }

  substitute(from: string, to: string): void {
    this.substitutions = [...this.substitutions.filter((rule) => rule.from !== from), { from, to }];
    this.forget();
  }

  /** False if there was no such rule. */
  withdraw(from: string): boolean {
    const left = this.substitutions.filter((rule) => rule.from !== from);
    const isKnown = left.length < this.substitutions.length;
    this.substitutions = left;
    this.forget();
    return isKnown;
  }

  /** Puts directories before those that are known; none: as in the beginning. */
  addDirectories(list: readonly string[]): void {
    this.directories = list.length === 0 ? DEFAULT_DIRECTORIES : [...list, ...this.directories.filter((known) => !list.includes(known))];
    this.forget();
  }

  /** Looks again for files that were missing: they may be there now. */
  forgetMissing(): void {
    for (const [path, isPresent] of this.present) if (!isPresent) this.present.delete(path);
  }

  private forget(): void {
    this.texts.clear();
    this.present.clear();
  }

  /** Where a file may be, the likeliest first. */
  private candidates(path: string): string[] {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const own = this.directories.flatMap((directory) => (directory.startsWith('$') ? [] : [`${directory}/${path.replace(/^\/+/, '')}`, `${directory}/${name}`]));
    return [this.expected(path), ...own];
  }

  private isPresent(path: string): boolean {
    const known = this.present.get(path) ?? this.files.read(path) !== undefined;
    this.present.set(path, known);
    return known;
  }

  private load(path: string): readonly string[] | undefined {
    const known = this.texts.get(path);
    if (known !== undefined || this.present.get(path) === false) return known;
    const bytes = this.files.read(path);
    this.present.set(path, bytes !== undefined);
    if (bytes === undefined) return undefined;
    const lines = splitLines(new TextDecoder().decode(bytes));
    this.texts.set(path, lines);
    return lines;
  }
}

function isBelow(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
