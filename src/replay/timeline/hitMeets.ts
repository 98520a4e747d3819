/** The one place that says whether something that happened meets a condition. */
import { WatchedMemory } from '../../machine/watchedMemory.js';
import type { Condition, Hit, MemoryAccess } from './conditions.js';

/** What happened, whichever question it answers. */
export type Happening = Omit<Hit, 'conditions'>;
type Test = (hit: Happening) => boolean;

/** Conditions are asked of many hits. */
const tests = new WeakMap<Condition, Test>();

export function hitMeets(condition: Condition, hit: Happening): boolean {
  if (condition.kind !== hit.kind) return false;
  let test = tests.get(condition);
  if (test === undefined) tests.set(condition, (test = testFor(condition)));
  return test(hit);
}

/** What happened as those see it who asked for some conditions. Undefined: it does not meet them. */
export function hitFor(conditions: readonly Condition[], happened: Happening): Hit | undefined {
  const met = conditions.flatMap((condition, index) => (hitMeets(condition, happened) ? [index] : []));
  if (met.length === 0) return undefined;
  const accesses = accessesOf(happened);
  if (accesses.length < 2) return { ...happened, conditions: met };
  const { access: _first, alsoAccessed: _others, ...rest } = happened;
  const [access, ...others] = accesses.filter((one) => conditions.some((condition) => condition.kind === 'memory' && hitMeets(condition, { ...rest, access: one })));
  return { ...rest, conditions: met, ...(access === undefined ? {} : { access }), ...(others.length === 0 ? {} : { alsoAccessed: others }) };
}

function accessesOf({ access, alsoAccessed = [] }: Happening): readonly MemoryAccess[] {
  return access === undefined ? [] : [access, ...alsoAccessed];
}

function testFor(condition: Condition): Test {
  switch (condition.kind) {
    case 'address': {
      const addresses = new Set(condition.addresses);
      return ({ rip }) => addresses.has(rip);
    }
    case 'memory': {
      const { access: wanted } = condition;
      const memory = new WatchedMemory(condition.ranges);
      return (hit) => accessesOf(hit).some(({ address, bytes, write }) => (wanted === 'access' || (wanted === 'write') === write) && memory.meets(address, bytes));
    }
    case 'block':
      return ({ block }) => block !== undefined && condition.addresses.some((address) => address >= block.view.begin && address < block.view.begin + Math.max(1, block.view.size));
    case 'syscall': case 'return':
      return ({ syscall }) => syscall !== undefined && (condition.numbers?.includes(syscall) ?? true);
    case 'signal':
      return ({ signal }) => signal !== undefined && (condition.signals?.includes(signal) ?? true);
    case 'time':
      return ({ position }) => position.time === condition.time;
    case 'process': case 'switch':
      return () => true;
  }
}
