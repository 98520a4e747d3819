/** Findings and stacks that no program has made: for tests of what becomes of them. */
import type { Finding } from '../findings.js';
import type { Block } from '../heap/blocks.js';
import type { ReportedFrame } from '../report/frames.js';
import { parseSuppressions, type Suppression } from '../report/suppressions.js';
import { RuleSwitches } from '../ruleSwitches.js';
import type { Choices } from '../run/choices.js';

const BY_MAIN = { tid: 1, pid: 1 } as const;

/** Of an overflow at time 100, unless something else is said. */
export function madeFinding(rule: string, { time = 100, ...more }: Partial<Finding> & { readonly time?: number } = {}): Finding {
  return {
    firing: { rule, severity: 'error', message: '', point: { kind: 'exit', slots: [], text: '' }, variables: [], locators: [] },
    occurrence: { kind: 'write', pointer: 0x1000n, size: 1 },
    moment: { time, by: '', ...BY_MAIN },
    rip: 0x400000,
    isKernels: false,
    block: undefined,
    allocatedIn: [],
    ...more,
  };
}

export function madeLeak(rule: string, size: number, allocatedAt: number): Finding {
  const block: Block = { id: allocatedAt, begin: 0x1000, real: 0x1000, size, family: 'malloc', allocated: { time: allocatedAt, by: 'malloc', ...BY_MAIN }, freed: undefined };
  return madeFinding(rule, { time: 1000, occurrence: { kind: 'exit', status: 0n }, block });
}

/** A frame of the user's. */
export function frame(name: string, line: number, more: Partial<ReportedFrame> = {}): ReportedFrame {
  return { level: 0, function: name, file: `/src/${name}.c`, line, column: 1, text: undefined, address: BigInt(0x400000 + line), object: '/bin/prog', isUsers: true, ...more };
}

/** A frame of a library's that the user's code has called. */
export function called(name: string): ReportedFrame {
  return frame(`__${name}_sse2`, 0, { isUsers: false, calledAs: name, file: undefined, object: '/lib/libc.so.6' });
}

export function suppressing(text: string): readonly Suppression[] {
  return parseSuppressions(text, 'known.txt');
}

/** All of these rules are on. */
export function choicesOf(rules: readonly string[], more: Partial<Choices> = {}): Choices {
  return { switches: new RuleSwitches(rules, new Set(rules)), suppressions: [], keepsGoing: true, ...more };
}
