/**
 * What valgrind and the sanitizers call things, and which of our rules say the same. Whether we report what they
 * report, at the same line.
 */
import { type BugCase, bugPlaces, showPlace } from './bugCase.js';
import { type BugReport, isAtBug, places } from './culpritCheck.js';
import { ruleGroup } from './rules.js';
import type { Opinion } from './verdicts.js';

const NULLS = ['null.pointer.deref', 'libc.null.string', 'libc.null.second.string', 'libc.null.buffer', 'libc.null.source', 'libc.null.stream'];
const OVERFLOWS = ['heap.buffer.overflow', 'stack.buffer.overflow', 'global.buffer.overflow', 'global.read.overflow', 'global.string.overflow', 'global.strings.overflow', 'global.format.overflow', 'libc.block.too.small', 'libc.source.too.small', 'libc.string.unterminated', 'libc.string.part'];
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
  // AddressSanitizer looks at what is before the block that is to be freed, whether there is one or not.
  [/^SEGV/, [...ACCESSES, ...FREES]],
  [/unaddressable byte|^Invalid (read|write)|^Jump to the invalid address|insufficient space/, ACCESSES],
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

/** What an oracle reports and we do not: something of that kind, at that line if it says one. */
export function missedReports(bugCase: BugCase, { valgrind, sanitizers }: Opinion, ours: readonly BugReport[]): string[] {
  return [...new Set([...valgrind, ...sanitizers])].filter((report) => {
    const { kind, place } = partsOf(report);
    const rules = rulesFor(kind) ?? [];
    if (isOraclesLimit(kind, bugCase) || (place === undefined && isGoneAstray(bugCase, ours))) return false;
    return !ours.some((one) => rules.includes(one.rule) && (place === undefined || places(one, bugCase).includes(place)));
  });
}

/** The line of a report, if it says one and the bug is not there: it may be about what comes from the bug. */
export function lineElsewhere(report: string, bugCase: BugCase): string | undefined {
  const { place } = partsOf(report);
  return place === undefined || bugPlaces(bugCase).map(showPlace).includes(place) ? undefined : place;
}

/** Who has jumped to nowhere is at no line: the one that valgrind names is of a caller. */
const JUMP = /^Jump to the invalid address/;

function partsOf(report: string): { readonly kind: string; readonly place: string | undefined } {
  const [kind = '', place] = report.split(' @ ');
  return { kind, place: JUMP.test(kind) ? undefined : place };
}

/** Who has returned to nowhere executes what is there. */
function isGoneAstray(bugCase: BugCase, ours: readonly BugReport[]): boolean {
  return bugCase.rule === 'return.address.smash' && ours.some((one) => isAtBug(one, bugCase));
}

/**
 * AddressSanitizer ends a program that asks for more memory than it has. malloc says NULL, and what the program does
 * with that is what the case is about.
 */
function isOraclesLimit(kind: string, { rule }: BugCase): boolean {
  return kind === 'requested' && rule === 'null.pointer.deref';
}
