/**
 * What the rules of `culprit check` find in one of two runs and not in the other. Who runs programs under rules is
 * handed in (cli/opening/findingsMeans.ts): this folder knows no rules.
 */
import type { Work } from '../replay/timeline/work.js';
import type { Alteration } from './alteration.js';

export interface RunFinding {
  readonly rule: string;
  /** Function and line, as people read it; empty if nothing is known. */
  readonly place: string;
  readonly message: string;
  /** The same finding in two runs has the same key: addresses and times in the message may be others. */
  readonly key: string;
}

export interface RunFindings {
  readonly findings: readonly RunFinding[];
  /** What may make the checked run another than the one that is compared. */
  readonly remarks: readonly string[];
}

/** Runs the recorded program under the rules from its start, with these alterations; none: as it was recorded. */
export type FindingsOf = (alterations: readonly Alteration[], work?: Work) => Promise<RunFindings>;

export interface FindingsDifference {
  /** In the first run only. */
  readonly vanished: readonly RunFinding[];
  /** In the second run only. */
  readonly appeared: readonly RunFinding[];
  /** How many both have. */
  readonly both: number;
  readonly remarks: readonly string[];
}

export function findingsDifference(a: RunFindings, b: RunFindings): FindingsDifference {
  const without = (all: readonly RunFinding[], others: readonly RunFinding[]): RunFinding[] => all.filter(({ key }) => !others.some((other) => other.key === key));
  const vanished = without(a.findings, b.findings);
  return { vanished, appeared: without(b.findings, a.findings), both: a.findings.length - vanished.length, remarks: [...new Set([...a.remarks, ...b.remarks])] };
}
