/** Lines of source files, read once. */
import type { HostFiles } from '../debugger/program/hostFiles.js';

export class Sources {
  private readonly known = new Map<string, readonly string[] | undefined>();
  /** Files that were missed aloud already. */
  private readonly missed = new Set<string>();

  constructor(private readonly files: HostFiles) {}

  /** All lines; undefined if the file cannot be read. */
  lines(path: string): readonly string[] | undefined {
    if (!this.known.has(path)) this.known.set(path, this.read(path));
    return this.known.get(path);
  }

  /** Lines are counted from 1. */
  line(path: string, number: number): string | undefined {
    return this.lines(path)?.[number - 1];
  }

  /** As gdb says it: the first time why, then only which file. */
  missing(path: string, name: string): string {
    if (this.missed.has(path)) return `in ${name}`;
    this.missed.add(path);
    return `${name}: No such file or directory.`;
  }

  private read(path: string): readonly string[] | undefined {
    const bytes = this.files.read(path);
    if (bytes === undefined) return undefined;
    const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    return lines;
  }
}
