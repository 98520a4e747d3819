/** Places that the user has been at, in order, as a browser keeps them; and those that he gave names. */
import { comparePositions, type Position } from '../replay/log/position.js';

const MOST = 1000;

export class Visits {
  private past: Position[] = [];
  private future: Position[] = [];
  readonly bookmarks = new Map<string, Position>();

  /** From one place to another, by whatever command. */
  went(from: Position, to: Position): void {
    if (comparePositions(from, to) === 0) return;
    this.past.push(from);
    if (this.past.length > MOST) this.past.shift();
    this.future = [];
  }

  /** Where `back` leads; undefined if there is nothing before. */
  back(now: Position): Position | undefined {
    const place = this.past.pop();
    if (place !== undefined) this.future.push(now);
    return place;
  }

  forward(now: Position): Position | undefined {
    const place = this.future.pop();
    if (place !== undefined) this.past.push(now);
    return place;
  }
}
