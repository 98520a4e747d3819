/** Which statement comes first where the methods have opinions of their own. */
import { describe, expect, it } from 'vitest';
import type { BlamedFrame } from './blameReport.js';
import type { Definition } from './definition/definition.js';
import { frameName } from './frames.js';
import type { GuardOpinion } from './guardOpinion.js';
import type { ExplainedCrash, SearchResult } from './search.js';
import { verdictOf } from './verdict.js';

const frame = (line: number): BlamedFrame => ({ function: 'f', file: '/a.c', line, module: '/a', address: `0x${line}` });

function opinion(line: number, more: Partial<GuardOpinion> = {}): GuardOpinion {
  return { rule: 'heap.buffer.overflow', message: 'access', time: line, access: frame(line), level: 0, maker: undefined, makerWhat: undefined, stack: [frame(line)], memory: undefined, chain: [], isLate: false, kind: 'corruption', failedCall: undefined, ...more };
}

function crash(line: number, defined: readonly number[], more: { readonly signal?: number; readonly isNull?: boolean; readonly isStackFull?: boolean } = {}): ExplainedCrash {
  const { signal = 11, isNull = false, isStackFull = false } = more;
  const definitions = defined.map((at) => ({
    place: frame(at), stack: [frame(at)], position: { time: at, done: 0 }, thread: 1, called: undefined, isHeaps: false, isForeign: false, chain: { links: [], isComplete: true },
    suspect: { role: 'pointer', value: 0n }, link: { kind: 'computed', place: { kind: 'memory', address: 0x10, size: 8 } },
  }) as unknown as Definition);
  const said = { kind: 'crash', name: 'SIGSEGV', message: '', place: frame(line), time: line } as const;
  return { crash: { signal, said } as ExplainedCrash['crash'], suspicion: { suspects: [], what: 'read', isNull, isStackFull }, definitions };
}

const searched = (...crashes: readonly ExplainedCrash[]): SearchResult => ({ crashes, iterations: [], points: [], remarks: [], end: { kind: 'quiet' } });
const lines = (...asked: Parameters<typeof verdictOf>): string[] => verdictOf(...asked).places.map((place) => frameName(place).slice(4));
const NOTHING = { otherEnd: undefined, isSymptom: false, isGivenUp: false };

describe('the likeliest comes first', () => {
  it('both name one line', () => {
    const { places } = verdictOf({ ...NOTHING, search: searched(crash(30, [20])), guards: [opinion(15), opinion(20)] });
    // The first finding counts; another may be what came of it.
    expect(places.map(frameName)).toEqual(['a.c:15', 'a.c:20']);
    const agreed = verdictOf({ ...NOTHING, search: searched(crash(30, [15])), guards: [opinion(15), opinion(20)] });
    expect(agreed.places.map(({ by, line }) => [line, by])).toEqual([[15, ['guards', 'suppression']]]);
  });

  it('a rule that was broken is a fact', () => {
    expect(lines({ ...NOTHING, search: searched(crash(30, [10])), guards: [opinion(20)] })).toEqual(['20', '10']);
  });

  it('unless what broke it was corrupt by then, which takes two crashes to see', () => {
    const guards = [opinion(20)];
    expect(lines({ ...NOTHING, isSymptom: true, search: searched(crash(30, [25]), crash(28, [10])), guards })).toEqual(['10', '20']);
    expect(lines({ ...NOTHING, isSymptom: true, search: searched(crash(30, [10])), guards })).toEqual(['20', '10']);
  });

  it('of what was noticed late, who made it comes before where it was noticed', () => {
    expect(lines({ ...NOTHING, search: undefined, guards: [opinion(20, { maker: frame(5) })] })).toEqual(['5', '20']);
  });

  it('the latest definition is the answer of suppression', () => {
    expect(lines({ ...NOTHING, search: searched(crash(30, [25]), crash(28, [8]), crash(29, [])), guards: [] })).toEqual(['8']);
  });
});

describe('no corruption', () => {
  const verdict = (search: SearchResult | undefined, guards: readonly GuardOpinion[] = []): string => verdictOf({ ...NOTHING, search, guards }).verdict;

  it('a full stack, a division, nothing at all', () => {
    expect(verdict(searched(crash(30, [], { isStackFull: true })), [opinion(30)])).toBe('otherFailure');
    expect(verdict(searched(crash(30, [20], { signal: 8 })))).toBe('otherFailure');
    expect(verdict(undefined)).toBe('clean');
    expect(verdict(searched(crash(30, [])))).toBe('unknown');
  });

  it('what was given up is not known to be clean', () => {
    expect(verdictOf({ ...NOTHING, isGivenUp: true, search: undefined, guards: undefined }).verdict).toBe('unknown');
    expect(verdictOf({ ...NOTHING, isGivenUp: true, search: undefined, guards: [opinion(10)] }).verdict).toBe('corruption');
  });

  it('says nothing of rules that were not asked', () => {
    const remarks = (guards: readonly GuardOpinion[] | undefined): readonly string[] => verdictOf({ ...NOTHING, search: searched(crash(30, [20])), guards }).remarks;
    expect(remarks(undefined)).toEqual([]);
    expect(remarks([]).join()).toContain('no rule of "culprit check" was broken');
  });

  it('but a rule that was broken before is one', () => {
    expect(verdict(searched(crash(30, [20], { signal: 8 })), [opinion(10)])).toBe('corruption');
    expect(verdict(searched(crash(30, [], { isStackFull: true })), [opinion(10)])).toBe('corruption');
  });
});
