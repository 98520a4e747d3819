/** Positions that the user wants to come back to: by number as they were made, and with a note. */
import { UserError } from '../../base/errors.js';
import type { Position } from '../../replay/log/position.js';

interface Bookmark {
  readonly number: number;
  readonly position: Position;
  readonly note: string;
}

export class Bookmarks {
  private readonly marks = new Map<number, Bookmark>();
  private next = 1;

  get all(): readonly Bookmark[] {
    return [...this.marks.values()];
  }

  add(position: Position, note = ''): Bookmark {
    const mark = { number: this.next++, position, note };
    this.marks.set(mark.number, mark);
    return mark;
  }

  /** By number, or by its note. */
  get(name: string): Bookmark {
    const found = this.marks.get(Number(name)) ?? this.all.find(({ note }) => note === name);
    if (found === undefined) throw new UserError(`no bookmark ${name}`);
    return found;
  }

  delete(name: string): void {
    this.marks.delete(this.get(name).number);
  }
}
