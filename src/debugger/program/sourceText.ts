/** The text of source files: found on this machine, where the compiler had them, or where the user says that they are now. */
import type { HostFiles } from './hostFiles.js';

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
  private readonly known = new Map<string, readonly string[] | undefined>();

  constructor(private readonly files: HostFiles) {}

  /** All lines of a file; undefined if it cannot be found. */
  lines(path: string): readonly string[] | undefined {
    const place = this.find(path);
    return place === undefined ? undefined : this.known.get(place);
  }

  /** Where the file is on this machine. */
  find(path: string): string | undefined {
    return this.candidates(path).find((candidate) => this.load(candidate) !== undefined);
  }

  substitute(from: string, to: string): void {
    this.substitutions = [...this.substitutions.filter((rule) => rule.from !== from), { from, to }];
    this.known.clear();
  }

  /** False if there was no such rule. */
  withdraw(from: string): boolean {
    const left = this.substitutions.filter((rule) => rule.from !== from);
    const isKnown = left.length < this.substitutions.length;
    this.substitutions = left;
    this.known.clear();
    return isKnown;
  }

  /** Puts directories before those that are known; none: as in the beginning. */
  addDirectories(list: readonly string[]): void {
    this.directories = list.length === 0 ? DEFAULT_DIRECTORIES : [...list, ...this.directories.filter((known) => !list.includes(known))];
    this.known.clear();
  }

  /** Where a file may be, the likeliest first. */
  private candidates(path: string): string[] {
    const rule = this.substitutions.find(({ from }) => path === from || path.startsWith(from.endsWith('/') ? from : `${from}/`));
    const moved = rule === undefined ? path : rule.to + path.slice(rule.from.length);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const own = this.directories.flatMap((directory) => (directory.startsWith('$') ? [] : [`${directory}/${path.replace(/^\/+/, '')}`, `${directory}/${name}`]));
    return [moved, ...own];
  }

  private load(path: string): readonly string[] | undefined {
    if (!this.known.has(path)) {
      const bytes = this.files.read(path);
      this.known.set(path, bytes === undefined ? undefined : splitLines(new TextDecoder().decode(bytes)));
    }
    return this.known.get(path);
  }
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
