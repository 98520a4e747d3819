/**
 * What a system call reads from the program's memory before it changes anything there. It is logged at the front of
 * the event: a replay can tell whether the program asked for the same thing.
 */
import { linearOffset } from '../../machine/addressSpaceAccess.js';
import type { MappedSpace } from '../../machine/addressSpaceMappings.js';
import { type Effect, OP, writeEffect } from '../log/effects.js';
import { writeInput } from '../log/inputs.js';
import { LogWriter } from '../log/logWriter.js';

export class KernelInputs {
  private readonly log = new LogWriter();
  /** Where the call has stored something, start and end in turns: what is read there is its own. */
  private readonly stored: number[] = [];
  private collecting = false;

  /** A system call is about to be answered. */
  begin(): void {
    this.collecting = true;
    this.stored.length = 0;
  }

  /** It has been, or memory is not what it was. */
  end(): void {
    this.collecting = false;
  }

  reading(space: MappedSpace, id: number, address: number, length: number): void {
    if (!this.collecting || length === 0 || this.isStored(address, length)) return;
    const offset = linearOffset(address);
    this.log.num(OP.input);
    writeInput(this.log, id, address, space.linear.u8.subarray(offset, offset + length));
  }

  /**
   * Something that replay has to know of a file before it looks at what is read next. False if nothing is being read:
   * then it has its place among the effects.
   */
  discovered(effect: Effect): boolean {
    if (this.collecting) writeEffect(this.log, effect);
    return this.collecting;
  }

  writing(address: number, length: number): void {
    if (this.collecting) this.stored.push(address, address + length);
  }

  /** What there is, valid until `clear`. */
  view(): Uint8Array {
    return this.log.view();
  }

  clear(): void {
    this.log.clear();
    this.collecting = false;
  }

  private isStored(address: number, length: number): boolean {
    const { stored } = this;
    for (let i = 0; i < stored.length; i += 2) {
      if (address < (stored[i + 1] as number) && address + length > (stored[i] as number)) return true;
    }
    return false;
  }
}
