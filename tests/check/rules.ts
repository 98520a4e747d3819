/**
 * What the cases are about. A group is named after the rule that finds its cases; where several rules share the work,
 * or one is bound to be quicker than another, all are accepted.
 */

export interface RuleGroup {
  readonly name: string;
  /** Names of rules as they stand in rules/*.bug. */
  readonly rules: readonly string[];
  /** Rules that are not on unless asked for. */
  readonly enable?: readonly string[];
  /** Which functions a rule's placeholder stands for. */
  readonly functions?: string;
  /** Reported at the end; the line that counts is where the block was allocated. */
  readonly atAllocation?: boolean;
}

const NULL_ARGUMENTS = ['libc.null.string', 'libc.null.second.string', 'libc.null.buffer', 'libc.null.source', 'libc.null.stream'];
const TOO_SMALL = ['libc.block.too.small', 'libc.source.too.small'];
const ENDLESS = ['libc.string.unterminated', 'libc.string.part'];
const GLOBAL_CALLS = ['global.read.overflow', 'global.string.overflow', 'global.strings.overflow', 'global.format.overflow'];

const UNINITIALIZED = ['branch', 'address', 'syscall', 'output', 'string', 'part', 'search', 'comparison', 'bounded.comparison', 'memcmp'].map((name) => `uninitialized.${name}`);

export const RULE_GROUPS: readonly RuleGroup[] = [
  { name: 'unmatched.free', rules: ['unmatched.free'] },
  // fclose looks at a FILE before it frees it.
  { name: 'double.free', rules: ['double.free', 'dangling.pointer.deref'] },
  { name: 'dangling.pointer.deref', rules: ['dangling.pointer.deref'] },
  { name: 'null.pointer.deref', rules: ['null.pointer.deref', ...NULL_ARGUMENTS] },
  { name: 'heap.buffer.overflow', rules: ['heap.buffer.overflow', ...ENDLESS, ...TOO_SMALL] },
  { name: 'uninitialized.read', rules: ['uninitialized.read'], enable: ['uninitialized.read'] },
  { name: 'uninitialized.use', rules: UNINITIALIZED },
  { name: 'definite.leak', rules: ['definite.leak'], enable: ['definite.leak'], atAllocation: true },
  { name: 'indirect.leak', rules: ['indirect.leak', 'definite.leak'], enable: ['indirect.leak', 'definite.leak'], atAllocation: true },
  { name: 'possible.leak', rules: ['possible.leak'], enable: ['possible.leak'], atAllocation: true },
  { name: 'leak.in.ts', rules: ['leak.in.ts'], enable: ['leak.in.ts'], functions: 'ts=transaction', atAllocation: true },
  { name: 'gc.bug', rules: ['gc.bug'], enable: ['gc.bug'] },
  { name: 'mismatched.free', rules: ['mismatched.free'] },
  { name: 'overlapping.copy', rules: ['overlapping.memcpy', 'overlapping.strcpy', 'overlapping.strncpy', 'overlapping.strcat'] },
  { name: 'use.after.return', rules: ['use.after.return'] },
  { name: 'stack.buffer.overflow', rules: ['stack.buffer.overflow', ...ENDLESS, ...TOO_SMALL] },
  { name: 'global.buffer.overflow', rules: ['global.buffer.overflow', ...GLOBAL_CALLS, ...ENDLESS, ...TOO_SMALL], enable: ['global.format.overflow'] },
  { name: 'libc.argument', rules: ['libc.negative.size', 'libc.alignment', 'libc.character', 'libc.memset.swapped', ...NULL_ARGUMENTS, ...TOO_SMALL], enable: ['libc.memset.swapped'] },
  // Where there is debug information, the array that is left is noticed before the address that is hit.
  { name: 'return.address.smash', rules: ['return.address.smash', 'return.address.write', 'stack.buffer.overflow', ...TOO_SMALL] },
];

export function ruleGroup(name: string): RuleGroup {
  const group = RULE_GROUPS.find((one) => one.name === name);
  if (group === undefined) throw new RangeError(`there is no group of rules called ${name}`);
  return group;
}
