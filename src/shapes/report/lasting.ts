/** When structures became inconsistent and stayed so up to the next C-point. */
import { ShapeChecker } from '../checking/shapeChecker.js';
import type { BoundSpecification } from '../checking/terms.js';
import type { CPoint, History, StatementRef } from '../model.js';

interface LastingBreak {
  readonly time: number;
  readonly by: StatementRef;
  /** Names of the constraints that do not hold from then on. */
  readonly constraints: readonly string[];
}

interface Begun {
  readonly time: number;
  readonly by: StatementRef;
  readonly constraint: string;
}

/** In the order of time. Without types, of all. */
export function lastingBreaks(specification: BoundSpecification, history: History, points: readonly CPoint[], types: readonly string[]): LastingBreak[] {
  const checker = new ShapeChecker(specification);
  const begun = new Map<string, Begun>();
  const told = new Set<string>();
  const found = new Map<number, { by: StatementRef; constraints: Set<string> }>();
  let applied = 0;
  for (const point of points) {
    for (; applied < history.length && history.at(applied).time < point.time; applied++) {
      const operation = history.at(applied);
      checker.apply(operation);
      const now = checker.inconsistencies(types);
      for (const key of begun.keys()) if (!now.has(key)) begun.delete(key);
      for (const [key, { constraint }] of now) if (!begun.has(key)) begun.set(key, { time: operation.time, by: operation.by, constraint: constraint.name });
    }
    for (const key of told) if (!begun.has(key)) told.delete(key);
    for (const [key, { time, by, constraint }] of begun) {
      if (told.has(key)) continue;
      told.add(key);
      const known = found.get(time) ?? { by, constraints: new Set<string>() };
      known.constraints.add(constraint);
      found.set(time, known);
    }
  }
  return [...found].sort(([a], [b]) => a - b).map(([time, { by, constraints }]) => ({ time, by, constraints: [...constraints] }));
}
