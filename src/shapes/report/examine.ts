/**
 * Whether structures hold at their C-points, and if not, which operations made them so: the checks of `checking/` and
 * the search of `locate/` over a history.
 */
import type { Inconsistency } from '../checking/checks.js';
import { messageOf } from '../checking/messages.js';
import { ShapeChecker } from '../checking/shapeChecker.js';
import type { BoundSpecification } from '../checking/terms.js';
import type { Contribution } from '../locate/locate.js';
import { locateFaults } from '../locate/locate.js';
import type { CPoint, History } from '../model.js';

export interface BrokenShape {
  readonly point: CPoint;
  /** Operations that had been done at the point. */
  readonly applied: number;
  readonly inconsistencies: readonly Inconsistency[];
  /** What the constraint of each says, with the values of the point; undefined if it has no message. */
  readonly messages: readonly (string | undefined)[];
  /** The last first. */
  readonly contributions: readonly Contribution[];
  readonly undone: number;
  readonly examined: number;
}

/** The first point at which something is broken; undefined if nothing ever is. */
export function examine(specification: BoundSpecification, history: History, points: readonly CPoint[]): BrokenShape | undefined {
  const checker = new ShapeChecker(specification);
  let applied = 0;
  for (const point of points) {
    for (; applied < history.length; applied++) {
      const operation = history.at(applied);
      if (operation.time >= point.time) break;
      checker.apply(operation);
    }
    const found = checker.inconsistencies(point.types);
    if (found.size === 0) continue;
    const messages = [...found.values()].map((one) => ownMessage(one, checker));
    const { inconsistencies, contributions, undone, examined } = locateFaults(checker, history, applied, point.types);
    return { point, applied, inconsistencies, messages, contributions, undone, examined };
  }
  return undefined;
}

export function ownMessage(inconsistency: Inconsistency, { evaluator }: ShapeChecker): string | undefined {
  return inconsistency.constraint.message === undefined ? undefined : messageOf(inconsistency, evaluator);
}
