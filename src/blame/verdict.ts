/**
 * What the methods say, put together: whether memory was corrupted at all, which statements may be the first point of
 * it, the likeliest first, how sure that is, and why the methods differ where they do.
 */
import { SIG } from '../base/signalNumbers.js';
import type { BlamedFrame, BlamedPlace, BlameMethod, BlameVerdict } from './blameReport.js';
import type { Definition } from './definition/definition.js';
import { definitionText } from './definition/definitionText.js';
import { frameName, isSamePlace } from './frames.js';
import type { GuardOpinion } from './guardOpinion.js';
import type { ExplainedCrash, SearchResult } from './search.js';

interface Verdict {
  readonly verdict: BlameVerdict;
  readonly places: readonly BlamedPlace[];
  readonly why: string;
  readonly remarks: readonly string[];
}

interface Evidence {
  /** Undefined if that method was not asked for, or the run did not crash. */
  readonly search: SearchResult | undefined;
  /** In the order of time; undefined if guards were not asked, or did not come to their end. */
  readonly guards: readonly GuardOpinion[] | undefined;
  /** How the run failed, if it did not crash: it hangs, say. */
  readonly otherEnd: string | undefined;
  /** Whether a rule was broken by what a corrupt value led to: asked of the guarded run. */
  readonly isSymptom: boolean;
  /** It was given up: what was not found by then may be there. */
  readonly isGivenUp: boolean;
}

export function verdictOf(evidence: Evidence): Verdict {
  const { search, guards = [], otherEnd, isGivenUp } = evidence;
  const first = search?.crashes[0];
  const other = first === undefined ? undefined : otherReason(first, guards);
  const isFull = first?.suspicion.isStackFull === true;
  // Where the stack is full, every access to it breaks a rule.
  const corrupting = guards.filter(({ kind, access }) => kind === 'corruption' && !(isFull && isSamePlace(access, first.crash.said.place)));
  if (first === undefined && isGivenUp && corrupting.length === 0) return { verdict: 'unknown', places: [], why: 'it was given up before anything was found', remarks: [] };
  if (first === undefined) return withoutCrash(corrupting, guards, otherEnd);
  if (other !== undefined && corrupting.length === 0) return { verdict: 'otherFailure', places: [], why: other, remarks: remarksOf(search) };
  const bySearch = lastDefinitions(search as SearchResult).map((definition) => placeOfDefinition(definition));
  const byGuards = guardPlaces(corrupting.length > 0 ? corrupting : guards);
  const noticed = corrupting[0] ?? guards[0];
  const isLate = noticed !== undefined && (noticed.isLate || isWildFree(noticed, first));
  const places = merged(bySearch, byGuards, evidence, { isOtherwise: other !== undefined, isLate });
  if (places.length === 0) return { verdict: 'unknown', places, why: 'what crashed was defined nowhere that could be found', remarks: remarksOf(search) };
  const [best] = places as [BlamedPlace];
  return { verdict: 'corruption', places, why: `memory was first corrupted at ${frameName(best)}: ${best.what}`, remarks: [...(evidence.guards === undefined ? [] : agreement(bySearch, byGuards, best)), ...remarksOf(search)] };
}

/** What was freed is no pointer at all, but bytes that were copied over one: rules see the free, and not the copy. */
function isWildFree({ rule, access }: GuardOpinion, { crash, definitions }: ExplainedCrash): boolean {
  return rule === 'unmatched.free' && isSamePlace(access, crash.said.place) && definitions.some(({ isForeign }) => isForeign);
}

function withoutCrash(corrupting: readonly GuardOpinion[], guards: readonly GuardOpinion[], otherEnd: string | undefined): Verdict {
  const places = guardPlaces(corrupting);
  const [best] = places;
  if (best !== undefined) return { verdict: 'corruption', places, why: `memory was first corrupted at ${frameName(best)}: ${best.what}`, remarks: otherEnd === undefined ? ['the run did not crash: the corruption was silent'] : [`the run did not crash: ${otherEnd}`] };
  const undefinedUse = guards.find(({ kind }) => kind === 'undefined');
  const remarks = undefinedUse === undefined ? [] : [`${frameName(undefinedUse.access)}: ${undefinedUse.message} [${undefinedUse.rule}]; that alone corrupts no memory`];
  if (otherEnd !== undefined) return { verdict: 'otherFailure', places: [], why: otherEnd, remarks };
  return { verdict: 'clean', places: [], why: 'nothing crashed, and no rule of memory was broken', remarks };
}

/** Failures that come of no corruption, in words; undefined if it may be one. */
function otherReason({ crash, suspicion, definitions }: ExplainedCrash, guards: readonly GuardOpinion[]): string | undefined {
  const { signal } = crash;
  if (suspicion.isStackFull === true) return 'the stack is exhausted: a recursion that does not end, or variables that are too large for it';
  const isForeign = definitions.some((definition) => definition.isForeign);
  const failed = guards.find(({ kind }) => kind === 'failedCall');
  // What a library gave back is in a register; what it wrote into memory may be a corruption.
  const result = definitions.find(({ called, link }) => suspicion.isNull && called !== undefined && link.place.kind === 'register');
  const failedCall = failed?.failedCall ?? (result === undefined ? undefined : result.called);
  if (suspicion.isNull && failedCall !== undefined) return `${failedCall} failed and gave NULL, which is used without a look${result === undefined ? '' : `: see ${frameName(result.place)}`}`;
  if (signal === SIG.FPE && !isForeign) return `a division that has no result${definitions[0] === undefined ? '' : `: the divisor comes from ${frameName(definitions[0].place)}`}`;
  if (signal === SIG.ABRT && suspicion.checker === undefined && !isForeign && !suspicion.what.includes('stack protector')) return `${suspicion.what}${definitions[0] === undefined ? '' : `: what it looked at was set at ${frameName(definitions[0].place)}`}`;
  if (signal === SIG.TRAP || signal === SIG.SYS) return suspicion.what;
  return undefined;
}

/** Those of the last crash that has some. */
function lastDefinitions({ crashes }: SearchResult): readonly Definition[] {
  return crashes.findLast(({ definitions }) => definitions.length > 0)?.definitions ?? [];
}

function placeOfDefinition(definition: Definition): BlamedPlace {
  const { place, stack, position } = definition;
  return { ...place, by: ['suppression'], what: definitionText(definition), rule: undefined, time: position.time, stack, memory: undefined };
}

/** Of the first finding: where it was made, and then where it was noticed. Later ones may be what came of it. */
function guardPlaces(guards: readonly GuardOpinion[]): readonly BlamedPlace[] {
  const [first] = guards;
  if (first === undefined) return [];
  const { access, maker, makerWhat, message, rule, stack, time, memory } = first;
  const common = { by: ['guards'] as const, rule, time, memory };
  const own: BlamedPlace = { ...access, ...common, what: message, stack };
  if (maker === undefined || isSamePlace(maker, access)) return [own];
  return [{ ...maker, ...common, what: makerWhat ?? message, stack: [maker] }, own];
}

/**
 * Both methods have an opinion. Where they name the same line, it is that one. A rule that was broken is a fact, and
 * comes first, unless what broke it was corrupt by then.
 */
function merged(bySearch: readonly BlamedPlace[], byGuards: readonly BlamedPlace[], { search, isSymptom }: Evidence, { isOtherwise, isLate }: { readonly isOtherwise: boolean; readonly isLate: boolean }): readonly BlamedPlace[] {
  const both: BlamedPlace[] = byGuards.filter((one) => bySearch.some((other) => isSamePlace(one, other))).map((one) => ({ ...one, by: ['guards', 'suppression'] satisfies BlameMethod[], time: bySearch.find((other) => isSamePlace(one, other))?.time ?? one.time }));
  const hasSearched = (search?.crashes.length ?? 0) >= 2;
  const searchFirst = !isOtherwise && (isLate || (isSymptom && hasSearched));
  const [ahead, behind] = searchFirst ? [bySearch, byGuards] : [byGuards, bySearch];
  return distinct([...both, ...ahead, ...behind]);
}

function distinct(places: readonly BlamedPlace[]): readonly BlamedPlace[] {
  return places.filter((place, i) => places.findIndex((other) => isSamePlace(other, place)) === i);
}

function agreement(bySearch: readonly BlamedPlace[], byGuards: readonly BlamedPlace[], best: BlamedFrame): readonly string[] {
  const [found, guarded] = [bySearch[0], byGuards[0]];
  if (found === undefined || guarded === undefined) return found === undefined ? ['only guards have an opinion'] : ['no rule of "culprit check" was broken before: only suppression has an opinion'];
  if (bySearch.some((place) => byGuards.some((other) => isSamePlace(place, other)))) return ['guards and suppression name the same statement'];
  const isGuards = isSamePlace(guarded, best);
  return [isGuards
    ? `suppression names ${frameName(found)} instead: it goes back from the crash along definitions, and guards noticed an access before that was wrong by itself`
    : `guards noticed ${frameName(guarded)} first, which used what was corrupt by then`];
}

function remarksOf(search: SearchResult | undefined): readonly string[] {
  return [...(search === undefined ? [] : endRemarks(search.end)), ...(search?.remarks ?? [])];
}

function endRemarks(end: SearchResult['end']): readonly string[] {
  switch (end.kind) {
    case 'repeated':
    case 'quiet': return [];
    case 'maxRuns': return ['the search ended at its limit of executions: --max-runs N allows more, and may find an earlier statement'];
    case 'givenUp': return ['the search was given up before its end: an earlier statement may be to blame'];
    case 'stuck': return ['the last crash goes back to nothing that could be left out: an earlier statement may be to blame'];
    case 'lost': return [`the last run without the corruption could not be judged (${end.why}): the answer is the last definition that was found`];
  }
}
