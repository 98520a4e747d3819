/** `compare -findings`: what rules find in an altered run is what they find in the source edited by hand. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findingsMeans } from '../../src/cli/opening/findingsMeans.js';
import type { FindingsOf } from '../../src/whatIf/findings.js';
import { Terminal } from '../../src/terminal/terminal.js';
import { record } from '../replay/recorded.js';
import { LONG } from '../table/testTable.js';
import { type Collected, talk } from '../terminal/transcripts.js';
import { alterationOf, compile, editedSource, lineOf, sourceOf } from './altered.js';

/** True in the n-th evaluation only. */
const nth = (n: number): string => `({ static int seen; ++seen == ${n}; })`;

interface Case {
  readonly alter: readonly string[];
  readonly edit: Readonly<Record<string, string>>;
}

const CASES: readonly Case[] = [
  { alter: ['switch @again', 'suppress @write'], edit: { again: 'if (!(rounds > 5))', write: ';' } },
  { alter: ['switch @loop#5'], edit: { loop: `for (int i = 0; ${nth(5)} != (i < n); i++)` } },
  { alter: ['switch @again#1', 'suppress @free#2', 'suppress @write#1'], edit: { again: 'if (!(rounds > 5))', free: `if (!${nth(2)}) free(block);`, write: ';' } },
  { alter: ['suppress fill'], edit: { fill: '' } },
  { alter: ['switch @beyond#1', 'suppress @store#5', 'switch @again#1'], edit: { beyond: 'if (!(rounds > 4))', store: `if (!${nth(5)}) block[i] = i;`, again: 'if (!(rounds > 5))' } },
];

const known = new Map<string, FindingsOf>();

async function checkerOf(source: string): Promise<FindingsOf> {
  const path = compile('faults', source, 'O0');
  const made = known.get(path) ?? findingsMeans({ ...(await record([path])).options, header: { scheduleSeed: 0 } });
  known.set(path, made);
  return made;
}

/** Rules and lines. */
async function found(source: string, alter: readonly string[]): Promise<string[]> {
  const { findings } = await (await checkerOf(source))(alter.map((text) => alterationOf('faults', text)));
  return findings.map(({ rule, place }) => `${rule} ${place}`).sort();
}

describe.runIf(LONG)('findings of an altered run', () => {
  it.each(CASES.map((one) => [one.alter.join(', '), one] as const))('%s', async (_name, { alter, edit }) => {
    const recorded = await found(sourceOf('faults'), []);
    expect(recorded).toEqual([`heap.buffer.overflow fill at faults.c:${lineOf('faults', 'store')}`, `heap.buffer.overflow main at faults.c:${lineOf('faults', 'write')}`]);
    const wanted = await found(editedSource('faults', edit), []);
    expect(wanted).not.toEqual(recorded);
    expect(await found(sourceOf('faults'), alter)).toEqual(wanted);
  });
});

describe('compare -findings', () => {
  let terminal: Terminal;
  const say = async (line: string): Promise<string> => {
    await terminal.typed(line);
    return (terminal.session.surface as Collected).take();
  };

  beforeAll(async () => {
    const path = compile('faults', sourceOf('faults'), 'O0');
    const { debugger: debug, language, surface } = (await talk(path)).terminal.session;
    terminal = new Terminal({ debugger: debug, language, surface, findingsOf: await checkerOf(sourceOf('faults')) });
  }, 60_000);

  afterAll(() => known.clear());

  it('says what has vanished, and what has come', async () => {
    await say(`switch faults.c:${lineOf('faults', 'again')}`);
    if (LONG) expect(await say('compare')).not.toContain('findings');
    const shown = await say('compare -findings');
    expect(shown).toMatch(/findings of culprit check: 0 only in the recording \(-\), 1 only in the branch \(\+\), 2 in both\n {2}\+ release at faults\.c:\d+: .* \[double\.free\]\n$/);
    await say(`suppress faults.c:${lineOf('faults', 'write')}`);
    if (LONG) expect(await say('compare --findings 2 recording')).toMatch(/0 only in the run with alteration 2 \(-\), 1 only in the recording \(\+\), 1 in both\n {2}\+ main at faults\.c:\d+: /);
  });

  it('refuses what a checked run cannot have', async () => {
    await say('checkpoint here');
    expect(await say('compare -findings @here')).toMatch(/not of checkpoints/);
    await say('set var rounds = 3');
    expect(await say('compare -findings')).toMatch(/changes of your own/);
  });
});
