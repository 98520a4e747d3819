/** Lines of source files for those who show them, and what is said where a file is missing. */
import { visible } from '../base/visible.js';
import type { SourceText } from '../debugger/program/sourceText.js';

export class Sources {
  /** Files that were missed aloud already. */
  private readonly missed = new Set<string>();

  constructor(private readonly text: SourceText) {}

  /** All lines; undefined if the file cannot be read. */
  lines(path: string): readonly string[] | undefined {
    return this.text.lines(path);
  }

  /** Lines are counted from 1. */
  line(path: string, number: number): string | undefined {
    return this.lines(path)?.[number - 1];
  }

  /** As gdb says it: the first time why, then only which file. */
  missing(path: string, name: string): string {
    if (this.missed.has(path)) return `in ${visible(name)}`;
    this.missed.add(path);
    return `${visible(name)}: No such file or directory.`;
  }
}
