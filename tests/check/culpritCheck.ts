/** Runs `culprit check` on a case and says what is wrong with its answer. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { culprit } from '../cli/culprit.js';
import { bugPlaces, showPlace } from './bugCase.js';
import type { BugCase } from './bugCase.js';
import { buildCase } from './buildCase.js';
import { ruleGroup } from './rules.js';
import type { RuleGroup } from './rules.js';

export interface ReportedFrame {
  readonly function?: string;
  readonly file?: string;
  readonly line?: number;
}

export interface ReportedBlock {
  readonly size: number;
  readonly offset: number;
  readonly allocated: { readonly time: number; readonly stack: readonly ReportedFrame[] };
  readonly freed?: { readonly time: number; readonly stack: readonly ReportedFrame[] };
}

export interface ReportedLink extends ReportedFrame {
  readonly time: number;
  readonly source?: string;
  readonly place?: string;
  readonly kind: string;
}

export interface BugReport {
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly time: number;
  readonly stack: readonly ReportedFrame[];
  readonly block?: ReportedBlock;
  readonly chains: readonly { readonly variable: string; readonly links: readonly ReportedLink[] }[];
}

export interface CheckOutcome {
  readonly status: number | null;
  readonly stderr: string;
  readonly reports: readonly BugReport[];
}

/** The status that says that something was reported. */
const FOUND = 99;
/** Of programs that never end. On a machine that is busy with something else the others may take long, too. */
const SECONDS = '60';

export async function runCheck(bugCase: BugCase, more: readonly string[] = []): Promise<CheckOutcome> {
  const program = await buildCase(bugCase);
  const folder = mkdtempSync(join(tmpdir(), 'culprit-check-'));
  const file = join(folder, 'reports.json');
  try {
    const { status, stderr } = culprit(['check', '--timeout', SECONDS, '--json', '--json-file', file, ...options(ruleGroup(bugCase.rule)), ...more, '--', program], { cwd: folder });
    const reports = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BugReport[]) : [];
    return { status, stderr, reports };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function options({ enable = [], functions }: RuleGroup): string[] {
  return [...enable.flatMap((rule) => ['--enable', rule]), ...(functions === undefined ? [] : ['--functions', functions])];
}

/** Empty if all is well. */
export function complaints(bugCase: BugCase, { status, stderr, reports }: CheckOutcome): string[] {
  const found = reports.map((report) => `${report.rule} @ ${places(report, bugCase).join(', ')}`);
  if (!bugCase.buggy) return [...found.map((one) => `false alarm: ${one}`), ...(status === 0 ? [] : [`ended with ${status}: ${stderr.slice(-300)}`])];
  if (reports.length === 0) return [`not found; ended with ${status}: ${stderr.slice(-300)}`];
  const right = reports.some((report) => isAtBug(report, bugCase));
  return [...(right ? [] : [`found something else: ${found.join('; ')}`]), ...(status === FOUND ? [] : [`ended with ${status}`])];
}

/** Whether it is what the case is about, where it is. */
export function isAtBug(report: BugReport, bugCase: BugCase): boolean {
  const wanted = bugPlaces(bugCase).map(showPlace);
  return ruleGroup(bugCase.rule).rules.includes(report.rule) && places(report, bugCase).some((place) => wanted.includes(place));
}

/** The innermost line of the case's own sources, of the stack that counts. */
export function places(report: BugReport, bugCase: BugCase): string[] {
  const stack = ruleGroup(bugCase.rule).atAllocation === true ? (report.block?.allocated.stack ?? []) : report.stack;
  const own = stack.map((frame) => placeOf(frame, bugCase)).find((place) => place !== '');
  return own === undefined ? [] : [own];
}

export function placeOf({ file, line }: ReportedFrame, bugCase: BugCase): string {
  const source = bugCase.sources.find(({ name }) => file?.split('/').at(-1) === name);
  return source === undefined || line === undefined ? '' : showPlace({ file: source.name, line });
}

/** Source steps of all chains together, those that they share counted once: what the user has to read. */
export function sourceSteps(report: BugReport, bugCase: BugCase): string[] {
  const steps = report.chains.flatMap(({ links }) => {
    const own = links.map((link) => ({ time: link.time, place: placeOf(link, bugCase) })).filter(({ place }) => place !== '');
    return own.filter(({ place }, i) => place !== own[i - 1]?.place);
  });
  return [...new Map(steps.map(({ time, place }) => [`${time} ${place}`, place])).values()];
}
