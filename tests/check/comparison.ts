/** What valgrind and the sanitizers call things, and which of our rules say the same. Whether we report what they report, at the same line. */
import { type BugCase, bugPlaces, showPlace } from './bugCase.js';
import { type BugReport, places } from './culpritCheck.js';
import { ruleGroup } from './rules.js';
import type { Opinion } from './verdicts.js';

const NULLS = ['null.pointer.deref', 'libc.null.string', 'libc.null.second.string', 'libc.null.buffer', 'libc.null.source', 'libc.null.stream'];
const OVERFLOWS = ['heap.buffer.overflow', 'stack.buffer.overflow', 'global.buffer.overflow', 'global.read.overflow', 'global.string.overflow', 'global.strings.overflow', 'global.format.overflow', 'libc.block.too.small', 'libc.source.too.small'];
const OUTLIVED = ['dangling.pointer.deref', 'use.after.return'];
const SMASHED = ['return.address.smash', 'return.address.write'];
/** A fault, or what valgrind takes for one, says nothing of the reason. */
const ACCESSES = [...NULLS, ...OVERFLOWS, ...OUTLIVED, ...SMASHED];
const FREES = ['double.free', 'unmatched.free'];
const UNDEFINED_VALUES = [...ruleGroup('uninitialized.use').rules, 'uninitialized.read'];
const OVERLAPS = ['overlapping.memcpy', 'overlapping.strcpy', 'overlapping.strncpy', 'overlapping.strcat'];
const LEAKS = ['definite.leak', 'indirect.leak', 'possible.leak', 'leak.in.ts'];

/** The first that matches counts. */
const KINDS: readonly (readonly [kind: RegExp, rules: readonly string[]])[] = [
  // fclose looks at what it is given before it frees it.
  [/^Invalid free/, [...FREES, 'dangling.pointer.deref']],
  [/^(Mismatched free|alloc-dealloc-mismatch)/, ['mismatched.free']],
  [/^(double-free|free)$/, [...FREES, 'dangling.pointer.deref']],
  [/unaddressable byte|^Invalid (read|write)|^SEGV|^Jump to the invalid address|insufficient space/, ACCESSES],
  [/uninitialised/, UNDEFINED_VALUES],
  [/overlap/, OVERLAPS],
  [/leak/, LEAKS],
  [/fishy value|^negative-size-param|^requested|^calloc/, ['libc.negative.size', ...OVERFLOWS]],
  [/^(heap|stack|dynamic-stack|global)-buffer-(overflow|underflow)|^undefined: index N out of bounds/, OVERFLOWS],
  // What is jumped to by a return address that was written over may call itself for ever.
  [/^stack-overflow/, SMASHED],
  // Arguments of aligned_alloc.
  [/^invalid$/, ['libc.alignment']],
  [/use-after/, OUTLIVED],
  [/null pointer/, NULLS],
];

export function rulesFor(kind: string): readonly string[] | undefined {
  return KINDS.find(([pattern]) => pattern.test(kind))?.[1];
}

/** What an oracle reports and we do not: something of that kind, at that line if it says one. We stop at the bug; what is wrong elsewhere afterwards comes from it. */
export function missedReports(bugCase: BugCase, { valgrind, sanitizers }: Opinion, ours: readonly BugReport[]): string[] {
  const bugs = bugPlaces(bugCase).map(showPlace);
  const hasBug = ours.some((one) => ruleGroup(bugCase.rule).rules.includes(one.rule) && places(one, bugCase).some((place) => bugs.includes(place)));
  return [...new Set([...valgrind, ...sanitizers])].filter((report) => {
    const [kind = '', place] = report.split(' @ ');
    const rules = rulesFor(kind) ?? [];
    if (place !== undefined && !bugs.includes(place) && hasBug) return false;
    return !ours.some((one) => rules.includes(one.rule) && (place === undefined || places(one, bugCase).includes(place)));
  });
}
