/**
 * The table of a triage: failures grouped by what is to blame. It depends on the inputs and their results alone, and
 * not on the order in which these came, on who made them, or on how often one of them came.
 */
import type { BlamedFrame } from '../blame/blameReport.js';
import { type Culprit, culpritOf, placeText } from './culprits.js';
import type { Answer, InputResult } from './inputResult.js';
import { compareTexts, type TriageInput } from './triageInput.js';

/** Inputs that fail for the same reason. */
export interface TriageGroup {
  readonly culprit: Culprit;
  /** The smallest first; those of the same size by name. */
  readonly inputs: readonly TriageInput[];
  /** Of the smallest input. */
  readonly answer: Answer;
  /** Rules of `culprit check` that were broken at the place, each once. */
  readonly rules: readonly string[];
  /** Where the program then failed, and for how many inputs; the most frequent first. */
  readonly sites: readonly FailureSite[];
}

interface FailureSite {
  /** `SIGSEGV at a.c:12 in f`. */
  readonly text: string;
  readonly place: BlamedFrame | undefined;
  readonly count: number;
}

interface FlakyInput {
  readonly input: TriageInput;
  /** What each run said, in their order. */
  readonly said: readonly string[];
  readonly showsCorruption: boolean;
}

interface LostInput {
  readonly input: TriageInput;
  readonly why: string;
}

export interface TriageTable {
  /** What corrupts memory first, then all other failures; among them the most frequent first. */
  readonly groups: readonly TriageGroup[];
  readonly clean: readonly TriageInput[];
  /** No method of blame came to an end, although the run ended well. */
  readonly undecided: readonly TriageInput[];
  readonly flaky: readonly FlakyInput[];
  /** What could not be blamed, because what blames it died. */
  readonly lost: readonly LostInput[];
  /** Inputs that have no result yet. */
  readonly pending: number;
  /** All inputs, and the files that they are in. */
  readonly inputs: number;
  readonly files: number;
  /** Inputs that a fuzzer calls crashes, and that do not fail here. */
  readonly quietCrashes: number;
}

export function triageTable(inputs: readonly TriageInput[], results: ReadonlyMap<string, InputResult>): TriageTable {
  const failing = new Map<string, { readonly culprit: Culprit; readonly members: Member[] }>();
  const [clean, undecided, flaky, lost]: [TriageInput[], TriageInput[], FlakyInput[], LostInput[]] = [[], [], [], []];
  let pending = 0;
  for (const input of inputs) {
    const result = results.get(input.hash);
    const answer = result?.answers[0];
    if (result === undefined) pending++;
    else if (answer === undefined) lost.push({ input, why: result.lost ?? 'no answer' });
    else if (!agree(result.answers)) flaky.push({ input, said: result.answers.map(shortAnswer), showsCorruption: result.answers.some((one) => culpritOf(one)?.kind === 'corruption') });
    else {
      const culprit = culpritOf(answer);
      if (culprit === undefined) (answer.verdict === 'clean' ? clean : undecided).push(input);
      else {
        const group = failing.get(culprit.key) ?? { culprit, members: [] };
        group.members.push({ input, answer });
        failing.set(culprit.key, group);
      }
    }
  }
  return {
    groups: [...failing.values()].map(groupOf).sort(byWeight),
    clean, undecided, flaky, lost, pending,
    inputs: inputs.length,
    files: inputs.reduce((sum, { copies }) => sum + 1 + copies.length, 0),
    quietCrashes: clean.filter(({ said }) => said === 'crash').length,
  };
}

interface Member {
  readonly input: TriageInput;
  readonly answer: Answer;
}

function agree(answers: readonly Answer[]): boolean {
  return new Set(answers.map((answer) => culpritOf(answer)?.key ?? answer.verdict)).size <= 1;
}

/** What one run said, in a few words. */
function shortAnswer(answer: Answer): string {
  const culprit = culpritOf(answer);
  if (culprit === undefined) return answer.verdict;
  return culprit.place === undefined ? culprit.kind : `${culprit.kind} at ${placeText(culprit.place)}`;
}

function groupOf({ culprit, members }: { readonly culprit: Culprit; readonly members: readonly Member[] }): TriageGroup {
  const sorted = members.toSorted((a, b) => a.input.size - b.input.size || compareTexts(a.input.name, b.input.name));
  const { answer } = sorted[0] as Member;
  const rules = new Set(sorted.flatMap(({ answer: { places: [place] } }) => (place?.rule === undefined ? [] : [place.rule])));
  return { culprit, inputs: sorted.map(({ input }) => input), answer, rules: [...rules].sort(), sites: sitesOf(sorted) };
}

function sitesOf(members: readonly Member[]): FailureSite[] {
  const sites = new Map<string, { place: BlamedFrame | undefined; count: number }>();
  for (const { answer: { failure } } of members) {
    if (failure === undefined) continue;
    const text = failure.kind === 'hang' ? 'hang' : `${failure.name} at ${placeText(failure.place)}`;
    const site = sites.get(text) ?? { place: failure.kind === 'hang' ? undefined : failure.place, count: 0 };
    site.count++;
    sites.set(text, site);
  }
  return [...sites].map(([text, { place, count }]) => ({ text, place, count })).sort((a, b) => b.count - a.count || compareTexts(a.text, b.text));
}

function byWeight(a: TriageGroup, b: TriageGroup): number {
  const isCorruption = ({ culprit }: TriageGroup): number => (culprit.kind === 'corruption' ? 0 : 1);
  return isCorruption(a) - isCorruption(b) || b.inputs.length - a.inputs.length || compareTexts(a.culprit.key, b.culprit.key);
}

/** What the command exits with: 99 if memory is corrupted, 1 if something fails otherwise, or could not be told. */
export function triageStatus({ groups, flaky, lost, undecided }: TriageTable): number {
  if (groups.some(({ culprit }) => culprit.kind === 'corruption') || flaky.some(({ showsCorruption }) => showsCorruption)) return 99;
  return groups.length + flaky.length + lost.length + undecided.length > 0 ? 1 : 0;
}
