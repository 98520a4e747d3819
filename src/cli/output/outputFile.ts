/**
 * A file that reports go to when a program has ended. Whether it can be written is known before the program runs. It is
 * opened when the program has got its descriptors: not before, since it would be one of them, and not later, since the
 * program closes what it has inherited, which may be what the file's name stands for (`/dev/fd/3`).
 */
import { closeSync, openSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../../base/errors.js';
import { userUmask } from '../../host/userUmask.js';
import { ReaderGone, writeFully } from './output.js';
import { reasonOf } from './report.js';

export class OutputFile {
  private readonly path: string;
  private fd: number | undefined;

  /** Throws a UserError if it cannot be written. */
  constructor(
    private readonly option: string,
    private readonly name: string,
  ) {
    this.path = resolve(name);
    if (!isWholeFile(this.path)) return;
    closeSync(this.opened());
    this.fd = undefined;
  }

  open(): void {
    this.opened();
  }

  /** All there is to write. */
  write(text: string): void {
    this.writePieces([text]);
  }

  /** The same, piece by piece, where it is too long for one. */
  writePieces(pieces: Iterable<string>): void {
    const fd = this.opened();
    try {
      for (const piece of pieces) writeFully(fd, Buffer.from(piece));
    } catch (error) {
      if (!(error instanceof ReaderGone)) throw error;
    }
    closeSync(fd);
    this.fd = undefined;
  }

  private opened(): number {
    try {
      return (this.fd ??= openSync(this.path, 'w', fileMode()));
    } catch (error) {
      throw new UserError(`${this.option} ${this.name}: ${reasonOf(error)}`);
    }
  }
}

/** A whole file at once. Throws a UserError if it cannot be written. */
export function writeUserFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: fileMode() });
  } catch (error) {
    throw new UserError(`${path}: cannot be written (${reasonOf(error)})`);
  }
}

/** Our own umask is the guest's: 0. */
function fileMode(): number {
  return 0o666 & ~userUmask();
}

/** The reader of a pipe would take its first end for the last. */
function isWholeFile(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.isFile() || stats.isDirectory();
}
