/**
 * Return addresses: who overwrites one is reported when it is used, with who wrote it; who goes elsewhere by other
 * means is not.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type BugCase, markedPlaces, showPlace } from './bugCase.js';
import { complaints, placeOf, runCheck } from './culpritCheck.js';
import { askValgrind } from './oracles.js';

function program(name: string, flags: readonly string[], buggy: boolean): BugCase {
  const text = readFileSync(new URL(`programs/${name}`, import.meta.url), 'utf8');
  return { name: `${name} ${flags.join(' ')}`, rule: 'return.address.smash', buggy, sources: [{ name, text }], flags };
}

describe('overwritten return addresses', () => {
  it.each([
    ['no address at all', '-DWAY=1', 0n],
    ['where nothing is', '-DWAY=2', 0x1234n],
    ['the middle of a statement', '-DWAY=3', undefined],
  ] as const)('are found: %s', async (_, flag, value) => {
    // Where nothing is known of the variables: otherwise it is noticed earlier.
    const bugCase = program('smashed.c', flag === '-DWAY=1' ? [flag, '-O1'] : [flag], true);
    const outcome = await runCheck(bugCase);
    expect(complaints(bugCase, outcome)).toEqual([]);
    const [report] = outcome.reports;
    expect(report?.rule).toBe('return.address.smash');
    expect(report?.message).toMatch(/^the return address at 0x7f\w+ was overwritten: it was 0x5\w+ and is /);
    if (value === 0n) return;
    // The chain says who did it.
    const writer = report?.chains[0]?.links[0];
    expect(writer && placeOf(writer, bugCase)).toBe(showPlace(markedPlaces(bugCase.sources, 'CAUSE')[0]!));
  });

  it('are found where valgrind sees a jump to nowhere', async () => {
    const reports = await askValgrind(program('smashed.c', ['-DWAY=2'], true));
    expect(reports.map(({ kind }) => kind)).toContain('Jump to the invalid address stated on the next line');
  });

  it('are not seen in longjmp, contexts, exceptions, signals and thunks', async () => {
    const clean = program('waysToReturn.cc', [], false);
    expect(complaints(clean, await runCheck(clean))).toEqual([]);
  });
});
