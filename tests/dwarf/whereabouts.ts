import type { Scope } from '../../src/dwarf/scope.js';
import type { Compiled } from './compiled.js';

/** For every variable of every scope: whether it can be found at the scope's start and in its middle. */
export function whereabouts({ info }: Compiled): string[] {
  const lines: string[] = [];
  const visit = (scope: Scope): void => {
    for (const variable of scope.variables) {
      for (const { low, high } of scope.ranges) {
        for (const pc of [low, Math.floor((low + high) / 2)]) lines.push(`${scope.function.name} ${variable.name} ${pc} ${variable.whereabouts(pc).kind}`);
      }
    }
    scope.children.forEach(visit);
  };
  for (const unit of info.units) if (!unit.isTypeUnit) unit.full.functions.all().forEach(visit);
  return lines.sort();
}
