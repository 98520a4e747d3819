import { UserError } from '../base/errors.js';

/** A file that is not, or not quite, an ELF file for x86-64: shown as one line. */
export class ElfError extends UserError {
  override name = 'ElfError';
  constructor(
    readonly path: string,
    readonly problem: string,
  ) {
    super(`${path}: ${problem}`, 126);
  }
}
