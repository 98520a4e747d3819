/**
 * What the oracles say of all cases, kept in oracles.json because asking them takes long. `npm run test:long` asks anew
 * and writes the file.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { bugPlaces, showPlace } from './bugCase.js';
import type { BugCase } from './bugCase.js';
import { fingerprint } from './buildCase.js';
import type { OracleReport } from './oracles.js';

const FILE = new URL('oracles.json', import.meta.url);

/** Reports are written as `kind @ place`. */
export interface Opinion {
  readonly fingerprint: string;
  readonly rule: string;
  readonly buggy: boolean;
  readonly valgrind: readonly string[];
  readonly sanitizers: readonly string[];
  /** Which of them see the bug at its line; of a clean one, which of them complain. */
  readonly seenBy: readonly string[];
}

export type Opinions = Readonly<Record<string, Opinion>>;

export function makeOpinion(bugCase: BugCase, valgrind: readonly OracleReport[], sanitizers: readonly OracleReport[]): Opinion {
  const seenBy = [...(seen(bugCase, valgrind) ? ['valgrind'] : []), ...(seen(bugCase, sanitizers) ? ['sanitizers'] : [])];
  const { rule, buggy } = bugCase;
  return { fingerprint: fingerprint(bugCase), rule, buggy, valgrind: valgrind.map(show), sanitizers: sanitizers.map(show), seenBy };
}

function seen(bugCase: BugCase, reports: readonly OracleReport[]): boolean {
  const places = bugPlaces(bugCase).map(showPlace);
  return reports.some(({ place }) => !bugCase.buggy || places.includes(place));
}

function show({ kind, place }: OracleReport): string {
  return place === '' ? kind : `${kind} @ ${place}`;
}

export function readOpinions(): Opinions {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Opinions;
}

/** One line for each case. */
export function writeOpinions(opinions: Opinions): void {
  const lines = Object.entries(opinions).map(([name, opinion]) => `${JSON.stringify(name)}: ${JSON.stringify(opinion)}`);
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
}
