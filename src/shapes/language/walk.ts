/** Trees of expressions: their parts, and which of them are conditions. */
import { isStandardAttribute, type ConstraintItem, type Expression } from './ast.js';

export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'member':
      return [expression.base];
    case 'index':
      return [expression.base, expression.index];
    case 'address':
    case 'negative':
    case 'absolute':
    case 'not':
      return [expression.of];
    case 'container':
      return [expression.pointer];
    case 'at':
      return [expression.address];
    case 'arithmetic':
    case 'compare':
    case 'and':
    case 'or':
      return [expression.left, expression.right];
    case 'connect':
      return [expression.from, expression.to];
    case 'choose':
      return [expression.test, expression.yes, expression.no];
    case 'call':
      return expression.of;
    default:
      return [];
  }
}

/** `X.ISLEAF` alone is a condition, as `X.ISLEAF == true` is. */
export function isCondition(expression: Expression): boolean {
  switch (expression.kind) {
    case 'compare':
    case 'connect':
    case 'and':
    case 'or':
    case 'not':
    case 'boolean':
      return true;
    case 'member':
      return isStandardAttribute(expression.name) && !expression.name.endsWith('DEGREE');
    default:
      return false;
  }
}

export function namesIn(expression: Expression | undefined, into = new Set<string>()): Set<string> {
  if (expression === undefined) return into;
  if (expression.kind === 'name') into.add(expression.name);
  for (const child of childrenOf(expression)) namesIn(child, into);
  return into;
}

/**
 * Which variables stand for "there is one": those that the file says so of, and those that only the body of a
 * constraint with a guard names (Example 8: `X[2] != NULL => (X[2]) == Y`). Those that nothing names do not matter.
 */
export function quantifiersOf(item: ConstraintItem): { all: string[]; some: string[] } {
  const guard = namesIn(item.guard);
  for (const bound of [item.range?.from, item.range?.to]) namesIn(bound, guard);
  const body = namesIn(item.body);
  const all: string[] = [];
  const some: string[] = [];
  for (const variable of item.variables) {
    const { name } = variable;
    if (!guard.has(name) && !body.has(name)) continue;
    if (variable.some || (item.guard !== undefined && !guard.has(name))) some.push(name);
    else all.push(name);
  }
  // `X; X.ISROOT == false => ...` always names one; a constraint of which all variables are meant is still about all.
  return all.length === 0 && !item.variables.some((variable) => variable.some) ? { all: some, some: [] } : { all, some };
}
