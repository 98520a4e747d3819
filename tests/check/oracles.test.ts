/** The cases are what they say: valgrind and the sanitizers are asked, and the answers kept in oracles.json. */
import { describe, expect, it } from 'vitest';
import { allCases } from './allCases.js';
import { bugPlaces } from './bugCase.js';
import type { BugCase } from './bugCase.js';
import { fingerprint } from './buildCase.js';
import { askSanitizers, askValgrind, parseSanitizers, parseValgrind, runNatively } from './oracles.js';
import { makeOpinion, readOpinions, writeOpinions } from './verdicts.js';
import type { Opinion } from './verdicts.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const AT_A_TIME = 6;
/** A run that was broken off goes on from there. */
const SAVED_EVERY = 10;
const CASES = allCases();

async function ask(bugCase: BugCase): Promise<Opinion> {
  return makeOpinion(bugCase, await askValgrind(bugCase), await askSanitizers(bugCase));
}

/** What has not changed since it was last asked is not asked again. */
async function askAll(): Promise<void> {
  const known = readOpinions();
  const answers = new Map(CASES.flatMap((bugCase) => {
    const before = known[bugCase.name];
    return before?.fingerprint === fingerprint(bugCase) ? [[bugCase.name, before] as const] : [];
  }));
  const left = takingTurns(CASES.filter(({ name }) => !answers.has(name))).values();
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    for (const bugCase of left) {
      const answer = await ask(bugCase).catch((error: unknown) => failures.push(`${bugCase.name}: ${String(error)}`));
      if (typeof answer === 'object') answers.set(bugCase.name, answer);
      if (answers.size % SAVED_EVERY === 0) writeOpinions(inOrder(answers));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  writeOpinions(inOrder(answers));
  expect(failures).toEqual([]);
}

/** One of each group, then another one of each: who breaks it off has something of all. */
function takingTurns(cases: readonly BugCase[]): BugCase[] {
  const seen = new Map<string, number>();
  const turns = cases.map((bugCase) => {
    const turn = seen.get(bugCase.rule) ?? 0;
    seen.set(bugCase.rule, turn + 1);
    return { bugCase, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ bugCase }) => bugCase);
}

function inOrder(answers: ReadonlyMap<string, Opinion>): Record<string, Opinion> {
  const entries = CASES.map(({ name }) => [name, answers.get(name)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, Opinion] => entry[1] !== undefined));
}

if (LONG) {
  describe('asking the oracles', () => {
    it('writes what they say', askAll, 7_200_000);
    it.each(CASES.filter(({ buggy }) => !buggy))('$name runs natively without complaint', async (bugCase) => {
      expect((await runNatively(bugCase)).status).toBe(0);
    });
  });
}

describe('the cases', () => {
  const opinions = readOpinions();
  const rules = [...new Set(CASES.map(({ rule }) => rule))];

  it.each(rules)('%s: at least 20 buggy ones and 20 clean ones', (rule) => {
    const own = CASES.filter((bugCase) => bugCase.rule === rule);
    expect(own.filter(({ buggy }) => buggy).length).toBeGreaterThanOrEqual(20);
    expect(own.filter(({ buggy }) => !buggy).length).toBeGreaterThanOrEqual(20);
  });

  it('have names of their own, and every bug its place', () => {
    expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
    expect(CASES.filter((bugCase) => bugCase.buggy && bugPlaces(bugCase).length === 0).map(({ name }) => name)).toEqual([]);
  });

  it('have not changed since the oracles were asked (CULPRIT_LONG=1 asks again)', () => {
    const stale = CASES.filter((bugCase) => opinions[bugCase.name] !== undefined && opinions[bugCase.name]?.fingerprint !== fingerprint(bugCase));
    expect(stale.map(({ name }) => name)).toEqual([]);
    expect(Object.keys(opinions).filter((name) => !CASES.some((bugCase) => bugCase.name === name))).toEqual([]);
  });

  it('are clean for both oracles if they claim to be clean', () => {
    expect(Object.entries(opinions).filter(([, { buggy, seenBy }]) => !buggy && seenBy.length > 0)).toEqual([]);
  });
});

describe('the oracles', () => {
  const [bugCase] = CASES;

  it('still say what they said', async () => {
    if (bugCase === undefined) return expect.unreachable();
    expect(await ask(bugCase)).toEqual(readOpinions()[bugCase.name]);
  });

  it('are read with the innermost line of our own', () => {
    if (bugCase === undefined) return expect.unreachable();
    const log = ['==7== Invalid read of size 4', '==7==    at 0x1: strlen (strlen.S:3)', '==7==    by 0x2: main (tidyDoubleFree.c:9)', "==7==  Address 0x0 is not stack'd", '==7== '];
    expect(parseValgrind(log.join('\n'), bugCase)).toEqual([{ kind: 'Invalid read', place: 'tidyDoubleFree.c:9' }]);
    expect(parseValgrind(['==7== Thread 2:', ...log].join('\n'), bugCase)).toEqual([{ kind: 'Invalid read', place: 'tidyDoubleFree.c:9' }]);
    const report = ['==7==ERROR: AddressSanitizer: attempting double-free on 0x1:', '    #0 0x1 in free asan.cpp:5', '    #1 0x2 in main /x/tidyDoubleFree.c:8', '', '    #0 0x3 in main /x/tidyDoubleFree.c:7', ''];
    expect(parseSanitizers(report.join('\n'), bugCase)).toEqual([{ kind: 'double-free', place: 'tidyDoubleFree.c:8' }]);
  });
});
