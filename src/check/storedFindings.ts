/**
 * All that rules had to say of a checked run, those that were off included, as it is kept in the run's recording. A
 * user who has the recording can be told again what was wrong, by other choices of rules, times and suppressions, and
 * the program need not run.
 */
import { parseJson } from '../base/json.js';
import type { Finding } from './findings.js';
import type { Suspicion } from './suspicions/suspicions.js';

export interface StoredFindings {
  /** Names of the rules that were asked. */
  readonly rules: readonly string[];
  /** Functions of which findings say whether a call of theirs allocated the block. */
  readonly allocatingCalls: readonly string[];
  /** In the order of time. What is wrong at the same time for several rules is together, in the order of the rules. */
  readonly findings: readonly (readonly Finding[])[];
  readonly suspicions: readonly Suspicion[];
  /** There was more than is kept. */
  readonly isCut: boolean;
}

/** To be raised when an older culprit would misunderstand them. */
const VERSION = 1;
const NUMBER = '#';

/** As JSON. */
export function packFindings(stored: StoredFindings): { readonly version: number; readonly stored: string } {
  return { version: VERSION, stored: JSON.stringify(stored, (_, value: unknown) => (typeof value === 'bigint' ? { [NUMBER]: value.toString() } : value)) };
}

/** Undefined if they are of another version, or of no sense. */
export function unpackFindings({ version, stored }: { readonly version?: unknown; readonly stored?: unknown }): StoredFindings | undefined {
  if (version !== VERSION || typeof stored !== 'string') return undefined;
  try {
    const found = parseJson(stored, revived) as StoredFindings;
    return [found.rules, found.allocatingCalls, found.findings, found.suspicions].every(Array.isArray) ? found : undefined;
  } catch {
    return undefined;
  }
}

function revived(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(NUMBER in value)) return value;
  return BigInt(String(value[NUMBER]));
}
