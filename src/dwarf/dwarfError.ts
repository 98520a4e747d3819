import { UserError } from '../base/errors.js';

/**
 * Debug information that is not what it should be: where, and what was wrong. Never fatal to more than one question.
 */
export class DwarfError extends UserError {
  override name = 'DwarfError';
  constructor(
    readonly section: string,
    readonly offset: number,
    readonly problem: string,
  ) {
    super(`corrupt debug information: ${problem} (${section}+0x${offset.toString(16)})`);
  }
}

/** `read()`, or what `otherwise` makes of a DwarfError: partial failure is a value. */
export function unlessCorrupt<T, F>(read: () => T, otherwise: (error: DwarfError) => F): T | F {
  try {
    return read();
  } catch (error) {
    if (error instanceof DwarfError) return otherwise(error);
    throw error;
  }
}
