/**
 * How often is each function called? Of the program itself, or of all that is loaded:
 *
 *     culprit query bug.culprit analyses/callCounts.ts [all]
 */
import { args, execution } from 'culprit/traces';

const counts = new Map<string, number>();
for await (const { value } of execution.allCalls({ in: args[0] === 'all' ? 'all' : 'program' })) {
  const name = value.source.function ?? '??';
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
for (const [name, count] of [...counts].sort(([, a], [, b]) => b - a)) console.log(String(count).padStart(8), name);
