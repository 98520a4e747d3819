/**
 * What `list` shows next: gdb remembers what was shown last, and begins around the stop when something else was shown
 * since.
 */
import { UserError } from '../base/errors.js';

export interface ListedFile {
  readonly path: string;
  readonly name: string;
}

export interface LineRangeToList {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

export class Listing {
  /** Undefined: nothing was shown yet. */
  file: ListedFile | undefined;
  /** The line that `list` begins at, or around. */
  line = 0;
  private shown: LineRangeToList | undefined;

  /** A frame was shown. */
  stoppedAt(path: string, line: number, name = path): void {
    this.file = { path, name };
    this.line = line;
    this.shown = undefined;
  }

  /** Before anything has stopped: near a function. */
  startAt(file: ListedFile, line: number, size: number): void {
    this.stoppedAt(file.path, Math.max(line - (size - 1), 1), file.name);
  }

  listed(file: ListedFile, { first, last }: LineRangeToList): void {
    this.file = file;
    this.shown = { first, last };
    this.line = last + 1;
  }

  /** The first line of what was shown last. */
  get firstShown(): number {
    return this.shown?.first ?? this.line;
  }

  next(size: number): LineRangeToList {
    return this.shown === undefined ? around(this.line, size) : { first: this.line, last: this.line + size - 1 };
  }

  previous(size: number): LineRangeToList {
    if (this.shown === undefined) return around(this.line, size);
    const { first } = this.shown;
    if (first <= 1) throw new UserError(`Already at the start of ${this.file?.name ?? 'the file'}.`);
    return { first: Math.max(1, first - size), last: first - 1 };
  }
}

export function around(line: number, size: number): LineRangeToList {
  const first = Math.max(line - Math.floor(size / 2), 1);
  return { first, last: first + size - 1 };
}
