/** Checking and Algorithm 1 to the letter, for comparison: everything anew for every graph. */
import { isAbout, type ConstraintCheck, type Inconsistency } from '../checking/checks.js';
import { ShapeChecker } from '../checking/shapeChecker.js';
import type { BoundSpecification } from '../checking/terms.js';
import { argumentsOf, differ, type Arguments } from '../locate/pending.js';
import type { History } from '../model.js';

/** All of a specification's constraints over one graph; with types, those that are about one of them. */
export function checkAll(checks: readonly ConstraintCheck[], types: readonly string[] = []): Map<string, Inconsistency> {
  const found = new Map<string, Inconsistency>();
  for (const check of checks) if (isAbout(check.constraint, types)) check.forEachInconsistency((inconsistency) => found.set(inconsistency.key, inconsistency));
  return found;
}

/** The graph after the first operations, made from nothing, with a checker that knows nothing yet. */
function graphAfter(specification: BoundSpecification, history: History, applied: number): ShapeChecker {
  const checker = new ShapeChecker(specification);
  for (let i = 0; i < applied; i++) checker.graph.apply(history.at(i));
  return checker;
}

export function inconsistenciesAfter(specification: BoundSpecification, history: History, applied: number, types: readonly string[] = []): Map<string, Inconsistency> {
  return checkAll(graphAfter(specification, history, applied).checks, types);
}

/** The operations that it puts out, by their index, the last first. */
export function naiveLocation(specification: BoundSpecification, history: History, applied: number): number[] {
  const out: number[] = [];
  const pending = inconsistenciesAfter(specification, history, applied);
  for (let i = applied - 1; pending.size > 0 && i >= 0; i--) {
    const before = graphAfter(specification, history, i);
    const after = graphAfter(specification, history, i + 1);
    const modified = (inconsistency: Inconsistency): boolean => {
      const at = (checker: ShapeChecker): Arguments => argumentsOf(checker.evaluator, checker.checks[inconsistency.constraint.index]!, inconsistency);
      return differ(at(before), at(after));
    };
    const inBefore = checkAll(before.checks);
    for (const [key, inconsistency] of pending) {
      if (!modified(inconsistency)) continue;
      if (!out.includes(i)) out.push(i);
      for (const [otherKey, other] of inBefore) if (otherKey !== key && !pending.has(otherKey) && modified(other)) pending.set(otherKey, other);
      if (!inBefore.has(key)) pending.delete(key);
    }
  }
  return out;
}
