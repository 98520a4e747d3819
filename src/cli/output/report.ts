/**
 * How failures look to the user. Mistakes of his are one line, except those in files of his own; a broken invariant is
 * ours, and says so. Stack traces come only with CULPRIT_DEBUG=1.
 */
import { visibleLines } from '../../base/visible.js';
import fs from 'node:fs';
import { SourceError, UserError } from '../../base/errors.js';

export const EXIT_USAGE = 2;
/** What sysexits.h calls EX_SOFTWARE: an internal error. */
export const EXIT_INTERNAL = 70;

/**
 * To stderr at once, whatever it is: also a pipe that the guest left non-blocking. What is in it of a recording's
 * controls no terminal.
 */
export function complain(line: string): void {
  try {
    fs.writeSync(2, `${visibleLines(line, wantsColour(process.stderr))}\n`);
  } catch {
    // No reader is left, and there is nowhere else to say it.
  }
}

/** Tells the user what went wrong; the result is what to exit with. */
export function reportFailure(error: unknown): number {
  if (error instanceof UserError) {
    if (error.message !== '') complain(error instanceof SourceError ? error.message : `culprit: ${oneLine(error.message)}`);
    return error.exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  complain(`culprit: internal error: ${oneLine(message)} (a bug in culprit: please report it with what you ran)`);
  if (process.env['CULPRIT_DEBUG'] === '1' && error instanceof Error) complain(error.stack ?? '');
  return EXIT_INTERNAL;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim();
}

/** Whether to colour what goes to a stream: only on terminals, and never against NO_COLOR. */
export function wantsColour(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb';
}

/** Why something could not be done with a file, in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'No such file or directory' : code === 'EACCES' ? 'Permission denied' : code === 'EISDIR' ? 'Is a directory' : String(code);
}
