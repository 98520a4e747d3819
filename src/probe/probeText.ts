/** What a probe has found, in words: for people, for scripts, and as JSON. */
import { signalName } from '../base/signalNames.js';
import { visible } from '../base/visible.js';
import { statementName } from '../debugger/program/statements.js';
import type { TrialEnd } from '../whatIf/trial.js';
import type { Candidate } from './candidates.js';
import { failureText, type Outcome } from './failure.js';
import { criticalOf, type ProbeResult, type Tried } from './probe.js';

/** A line of source. */
type TextOf = (path: string, line: number) => string | undefined;

const count = (value: number): string => value.toLocaleString('en');
const plural = (value: number, word: string): string => `${count(value)} ${word}${value === 1 ? '' : 's'}`;

/** `switch list.c:40#3`. */
function instanceText({ alteration: { what, place, which }, path, line, part }: Candidate): string {
  return `${what} ${path === undefined ? place : statementName({ path, line, part })}#${which}`;
}

/** `switch list.c:40#3 to 5`, as `culprit branch` reads it. */
export function candidateText(candidate: Candidate): string {
  const { to } = candidate.alteration;
  return `${instanceText(candidate)}${to === undefined ? '' : ` to ${to}`}`;
}

export function probeLines(result: ProbeResult, textOf: TextOf): string[] {
  const { failure, tried, refused, places, untried, limit } = result;
  const calls = tried.filter(({ alteration }) => alteration.what === 'suppress').length;
  const critical = criticalOf(result);
  const others = tried.filter(({ outcome }) => outcome.verdict !== 'gone' && outcome.verdict !== 'refused');
  const failed = tried.filter(({ outcome }) => outcome.verdict === 'refused');
  return [
    `The failure: ${visible(failureText(failure))}. ${plural(places, 'condition')} in its slice.`,
    `Tried: ${plural(tried.length - calls, 'decision')} the other way, ${plural(calls, 'call')} on the stack left out, each for at most ${count(limit)} instructions.`,
    ...(untried === 0 ? [] : [`Not tried: ${count(untried)} more (--most).`]),
    ...(critical.length === 0 ? ['', 'None of them makes the failure go away.'] : ['', 'These make the failure go away, the nearest to it first:', ...table(critical, textOf)]),
    ...(others.length === 0 ? [] : ['', 'These do not:', ...table(others, textOf)]),
    ...(refused.length + failed.length === 0 ? [] : ['', `${plural(refused.length + failed.length, 'candidate')} could not be altered:`, ...refused.map(({ what, place, why }) => `  ${what} ${visible(why.startsWith(place) ? why : `${place}: ${why}`)}`), ...failed.map((one) => `  ${candidateText(one)}: ${visible(whatHappened(one.outcome))}`)]),
  ];
}

function table(rows: readonly Tried[], textOf: TextOf): string[] {
  const cells = rows.map((one) => [candidateText(one), whatHappened(one.outcome), one.path === undefined ? (one.functionName ?? '') : (textOf(one.path, one.line)?.trim() ?? '')]);
  const widths = [0, 1].map((column) => Math.max(...cells.map((row) => (row[column] as string).length)));
  return cells.map(([what, happened, text]) => `  ${(what as string).padEnd(widths[0] as number)}  ${(happened as string).padEnd(widths[1] as number)}  ${visible(text as string)}`.trimEnd());
}

function whatHappened(outcome: Outcome): string {
  switch (outcome.verdict) {
    case 'gone': return outcome.end.kind === 'limit' ? 'runs on without it' : endText(outcome.end);
    case 'fails': return 'fails as before';
    case 'otherwise': return outcome.end.kind === 'killed' || outcome.end.kind === 'abort' ? `crashes otherwise: ${endText(outcome.end)}` : `fails otherwise: ${endText(outcome.end)}`;
    case 'unknown': return `cannot be told: ${outcome.why}`;
    case 'refused': return outcome.why;
  }
}

function endText(end: TrialEnd): string {
  switch (end.kind) {
    case 'exited': return `exits with status ${end.code}`;
    case 'killed': return signalName(end.signal);
    case 'abort': return 'SIGABRT';
    case 'deadlock': return 'waits for ever';
    case 'limit': return 'runs on';
    case 'unsupported': return end.why;
  }
}

/** `switch FILE:LINE#N` and `suppress FILE:LINE#N`, and nothing else: each once, whatever case it went to. */
export function probeList(result: ProbeResult): string[] {
  return [...new Set(criticalOf(result).map(instanceText))];
}

export function probeJson(result: ProbeResult, textOf: TextOf): unknown {
  const { failure, limit, places, untried, tried, refused } = result;
  const one = (tries: Tried): unknown => ({
    alteration: candidateText(tries), what: tries.alteration.what, file: tries.path, line: tries.line, part: tries.part, instance: tries.alteration.which, to: tries.alteration.to?.toString(), place: tries.path === undefined ? tries.alteration.place : undefined,
    function: tries.functionName, time: tries.arrival.time, thread: tries.arrival.thread, text: tries.path === undefined ? undefined : textOf(tries.path, tries.line)?.trim(),
    verdict: tries.outcome.verdict, end: 'end' in tries.outcome ? tries.outcome.end : undefined, why: 'why' in tries.outcome ? tries.outcome.why : undefined,
  });
  return { failure, limit, places, untried, critical: probeList(result), tried: tried.map(one), refused };
}
