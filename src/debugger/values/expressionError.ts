/** What is wrong with an expression or cannot be had now: one line, in gdb's words. */
import { UserError } from '../../base/errors.js';
import type { ArrangedCall } from './surroundings.js';

export class ExpressionError extends UserError {
  override name = 'ExpressionError';
}

/** Memory that is not there. */
export class MemoryError extends ExpressionError {
  override name = 'MemoryError';
  constructor(readonly address: bigint) {
    super(`Cannot access memory at address 0x${address.toString(16)}`);
  }
}

/** The evaluation cannot go on before a function of the program has been called: see `Surroundings.call`. */
export class CallNeeded extends ExpressionError {
  override name = 'CallNeeded';
  constructor(readonly request: ArrangedCall) {
    super('The program must be running to call a function.');
  }
}

export function fail(message: string): never {
  throw new ExpressionError(message);
}

/** `question()`, or what `otherwise` makes of an error of the expression's. */
export function unlessFailed<T, F>(question: () => T, otherwise: (error: ExpressionError) => F): T | F {
  try {
    return question();
  } catch (error) {
    if (error instanceof ExpressionError && !(error instanceof CallNeeded)) return otherwise(error);
    throw error;
  }
}
