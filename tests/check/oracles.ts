/**
 * What valgrind's memcheck and the compiler's sanitizers say of a case: kinds of errors, each with the innermost line
 * of the case's own sources. What both of them find, we have to find.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { showPlace } from './bugCase.js';
import type { BugCase } from './bugCase.js';
import { buildCase, buildSanitized } from './buildCase.js';

export interface OracleReport {
  readonly kind: string;
  /** `main.c:12`; empty if the case's own code is not on the stack. */
  readonly place: string;
}

export interface NativeRun {
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

const TIMEOUT = 60_000;
const SANITIZER_OPTIONS = 'detect_stack_use_after_return=1:detect_leaks=1:strict_string_checks=1:detect_odr_violation=0:color=never';
/** Several reports follow from one bug; the first are those that count. */
const MOST_REPORTS = 3;

export async function runNatively(bugCase: BugCase): Promise<NativeRun> {
  return inTemporaryFolder(async (cwd) => execute(await buildCase(bugCase), [], cwd));
}

export async function askValgrind(bugCase: BugCase): Promise<OracleReport[]> {
  const program = await buildCase(bugCase);
  const kinds = bugCase.rule === 'possible.leak' ? 'definite,possible,reachable' : 'definite';
  const leaks = isAboutLeaks(bugCase) ? ['--leak-check=full', '--show-reachable=yes', `--errors-for-leak-kinds=${kinds}`, `--show-leak-kinds=${kinds}`] : ['--leak-check=no'];
  return inTemporaryFolder(async (cwd) => {
    await execute('valgrind', ['-q', '--error-exitcode=99', ...leaks, `--log-file=${cwd}/valgrind.%p.log`, program], cwd);
    const logs = readdirSync(cwd).filter((name) => name.startsWith('valgrind.'));
    return first(logs.toSorted().flatMap((name) => parseValgrind(readFileSync(join(cwd, name), 'utf8'), bugCase)));
  });
}

export async function askSanitizers(bugCase: BugCase): Promise<OracleReport[]> {
  const program = await buildSanitized(bugCase);
  return inTemporaryFolder(async (cwd) => {
    const env = { ASAN_OPTIONS: SANITIZER_OPTIONS, UBSAN_OPTIONS: 'print_stacktrace=0', LC_ALL: 'C' };
    const { stderr } = await execute(program, [], cwd, env);
    return first(parseSanitizers(stderr, bugCase).filter(({ kind }) => isAboutLeaks(bugCase) || kind !== 'leak'));
  });
}

/**
 * What is lost after a bug does not count; a clean program loses nothing, unless the compiler takes away what is not
 * read any more.
 */
function isAboutLeaks({ rule, buggy, flags }: BugCase): boolean {
  return rule.includes('leak') || (!buggy && flags.length === 0);
}

function first(reports: readonly OracleReport[]): OracleReport[] {
  const seen = new Map(reports.map((report) => [`${report.kind} ${report.place}`, report]));
  return [...seen.values()].slice(0, MOST_REPORTS);
}

/** Paragraphs of `==pid==` lines, each a headline and a stack; what is indented twice describes addresses. */
export function parseValgrind(log: string, bugCase: BugCase): OracleReport[] {
  const paragraphs = log.replace(/^==\d+== ?/gm, '').split(/\n\s*\n/);
  return paragraphs.flatMap((paragraph) => {
    // Errors of a thread come after its name.
    const [headline = '', ...rest] = paragraph.trimStart().replace(/^Thread \d+( \S+)?:\n/, '').split('\n');
    if (!rest.some((line) => /^\s+at 0x/.test(line))) return [];
    if (/^Process terminating|^ ?at 0x|^host stacktrace|^Thread \d+: status/.test(headline)) return [];
    const end = rest.findIndex((line) => !/^\s+(at|by) 0x/.test(line));
    const stack = end < 0 ? rest : rest.slice(0, end);
    return [{ kind: plainKind(headline), place: ownPlace(stack, bugCase) }];
  });
}

function plainKind(headline: string): string {
  const loss = /are (\w+ \w+|\w+ \w+) in loss record/.exec(headline);
  if (loss?.[1] !== undefined) return `leak: ${loss[1]}`;
  if (headline.startsWith('Source and destination overlap')) return headline.replace(/\(.*/, '');
  return headline.replace(/ of size \d+| \(possibly negative\)|: -?\d+|0x[0-9a-fA-F]+/g, '').trim();
}

export function parseSanitizers(stderr: string, bugCase: BugCase): OracleReport[] {
  const lines = stderr.split('\n');
  return lines.flatMap((line, i): OracleReport[] => {
    const [, file = '', number = '', text] = /^(\S+?):(\d+):\d+: runtime error: (.*)$/.exec(line) ?? [];
    if (text !== undefined) return [{ kind: `undefined: ${plainText(text)}`, place: knownPlace(file, Number(number), bugCase) }];
    const [, error] = /ERROR: AddressSanitizer:? (?:attempting )?([\w-]+)/.exec(line) ?? [];
    if (error !== undefined) return [{ kind: error, place: ownPlace(stackAfter(lines, i), bugCase) }];
    return /^(Direct|Indirect) leak of/.test(line) ? [{ kind: 'leak', place: ownPlace(stackAfter(lines, i), bugCase) }] : [];
  });
}

function plainText(text: string): string {
  return text.split(/,? (?:of|for) type/)[0]?.replace(/0x[0-9a-f]+|-?\d+/g, 'N') ?? '';
}

/** Between headline and stack there may be a line or two of explanation. */
function stackAfter(lines: readonly string[], headline: number): string[] {
  const start = lines.findIndex((line, i) => i > headline && /^\s+#\d/.test(line));
  if (start < 0 || start > headline + 3) return [];
  const end = lines.findIndex((line, i) => i > start && !/^\s+#\d/.test(line));
  return lines.slice(start, end < 0 ? undefined : end);
}

/** Of the innermost frame that is in the case's sources. */
function ownPlace(stack: readonly string[], bugCase: BugCase): string {
  for (const frame of stack) {
    const [, file = '', line = ''] = /[(\s/]([\w.]+):(\d+)(?::\d+)?\)?\s*$/.exec(frame) ?? [];
    const place = knownPlace(file, Number(line), bugCase);
    if (place !== '') return place;
  }
  return '';
}

function knownPlace(file: string, line: number, { sources }: BugCase): string {
  return sources.some(({ name }) => name === file) ? showPlace({ file, line }) : '';
}

function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'culprit-check-'));
  return use(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

function execute(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<NativeRun> {
  const options = { cwd, env: { PATH: process.env['PATH'], ...env }, timeout: TIMEOUT, maxBuffer: 16 << 20, encoding: 'latin1' as const };
  return new Promise((done) => {
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : (error.signal ?? Number(error.code ?? -1));
      done({ status, stdout, stderr });
    });
    child.stdin?.end();
  });
}
