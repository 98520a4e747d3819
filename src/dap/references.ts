/**
 * Numbers that the client gets for things that are good until the program moves on. None is ever used again, so old
 * ones are known as such.
 */
import { UserError } from '../base/errors.js';

export class References<T> {
  private readonly things = new Map<number, T>();
  private next = 1;

  /** `what` is for messages: "frame". */
  constructor(private readonly what: string) {}

  add(thing: T): number {
    const reference = this.next++;
    this.things.set(reference, thing);
    return reference;
  }

  get(reference: number): T {
    const found = this.things.get(reference);
    if (found !== undefined) return found;
    throw new UserError(`no ${this.what} ${reference}${reference > 0 && reference < this.next ? ': the program has moved since' : ''}`);
  }

  forget(): void {
    this.things.clear();
  }
}
