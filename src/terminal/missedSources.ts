/** What is said where a source file is missing. */
import { visible } from '../base/visible.js';

export class MissedSources {
  private readonly missed = new Set<string>();

  /** As gdb says it: the first time why, then only which file. */
  said(path: string, name: string): string {
    if (this.missed.has(path)) return `in ${visible(name)}`;
    this.missed.add(path);
    return `${visible(name)}: No such file or directory.`;
  }
}
