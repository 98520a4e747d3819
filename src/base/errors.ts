/**
 * A mistake in what the user asked for: shown as one line, never with a stack trace. Without a message the user has
 * been told already. `exitCode` is what the command exits with (126: found but cannot run, 127: not found, 2: usage).
 */
export class UserError extends Error {
  override name = 'UserError';
  constructor(
    message: string,
    readonly exitCode: number = 2,
  ) {
    super(message);
  }
}

/**
 * Mistakes in a file that the user wrote, as compilers show them: several, each with its line and a caret. Shown as it
 * is.
 */
export class SourceError extends UserError {
  override name = 'SourceError';
}
