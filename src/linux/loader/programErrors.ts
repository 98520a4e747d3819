/** The one line for a program that cannot be started, and the exit status a shell gives for it. */
import { E } from '../../base/errno.js';
import { UserError } from '../../base/errors.js';

const TEXTS: Readonly<Record<number, string>> = {
  [E.NOENT]: 'No such file or directory',
  [E.NOTDIR]: 'Not a directory',
  [E.ISDIR]: 'Is a directory',
  [E.ACCES]: 'Permission denied',
  [E.LOOP]: 'Too many levels of symbolic links',
  [E.NAMETOOLONG]: 'File name too long',
  [E.NOEXEC]: 'cannot execute binary file: Exec format error',
  [E['2BIG']]: 'Argument list too long',
  [E.NOMEM]: 'Cannot allocate memory',
  [E.IO]: 'Input/output error',
};

/** What execve would have answered, too. */
export class ProgramError extends UserError {
  constructor(
    message: string,
    /** Positive. */
    readonly errno: number,
  ) {
    super(message, errno === E.NOENT ? 127 : 126);
  }
}

/** `errno` is positive. */
export function programError(path: string, errno: number): ProgramError {
  return new ProgramError(`${path}: ${TEXTS[errno] ?? `error ${errno}`}`, errno);
}

export function commandNotFound(name: string): UserError {
  return new UserError(`${name}: command not found`, 127);
}

/** A script or a program whose interpreter does not exist: shells call that "not found". */
export function missingInterpreter(path: string, interpreter: string): ProgramError {
  return new ProgramError(`${path}: cannot execute: required file ${interpreter} not found`, E.NOENT);
}

export function badInterpreter(path: string, interpreter: string, errno: number): ProgramError {
  return new ProgramError(`${path}: ${interpreter}: bad interpreter: ${TEXTS[errno] ?? `error ${errno}`}`, errno);
}
