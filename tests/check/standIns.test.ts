/** Allocations that we stand in for are recorded in few bytes, and at any time of a replay memory is what it was. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Checker } from '../../src/check/checker.js';
import { at } from '../../src/replay/log/position.js';
import { StateHasher } from '../../src/replay/timeline/stateHash.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { RuleSet } from '../../src/rules/evaluate/ruleSet.js';
import { compileRuleFiles } from '../../src/rules/testing/ruleFiles.js';
import { record, hashPlayer, type Recorded } from '../replay/recorded.js';
import { buildCase } from './buildCase.js';

const SOURCE = { name: 'allocations.c', text: readFileSync(new URL('programs/allocations.c', import.meta.url), 'utf8') };
const MOMENTS = process.env['CULPRIT_LONG'] === undefined ? 8 : 300;

/** With rules about accesses, blocks have addresses of their own; without, they have not. */
const RULES: Readonly<Record<string, string>> = { 'addresses of their own': '[freed] detect <Trace; deref r>: Freed(r, .)\n', 'the usual addresses': '' };
const FREED = 'define Freed(r, r1) = exists event(., free, r1, bid) in Trace suchthat (bid == Bid(r))\n';

function rulesFrom(text: string): RuleSet {
  return new RuleSet(compileRuleFiles(['own.bug'], () => FREED + text));
}

async function recorded(rules: string, engine = {}): Promise<Recorded> {
  const program = await buildCase({ sources: [SOURCE], flags: ['-O1'] } as never);
  const findings: unknown[] = [];
  const run = await record([program], { every: 50, engine, interceptor: new Checker(rulesFrom(rules), (finding) => (findings.push(finding), 'go on')) });
  expect(findings).toEqual([]);
  return run;
}

function standIns({ recording }: Recorded): number {
  let count = 0;
  const cursor = recording.log().cursor();
  for (let event = cursor.next(); event !== undefined; event = cursor.next()) for (const effect of event.known) if (effect.op === 'hooks') count += effect.answers.length;
  return count;
}

it.each(Object.entries(RULES))('is the same in both tiers, and at any time in any order: %s', async (_, rules) => {
  const run = await recorded(rules);
  expect(run.status).toEqual({ kind: 'exited', code: 0 });
  expect(standIns(run)).toBeGreaterThan(8000);
  const slow = await recorded(rules, { noCompiler: true });
  expect([slow.output, slow.instructions]).toEqual([run.output, run.instructions]);
  const timeline = new Timeline({ ...run.options, engine: slow.options.engine, checkpointInterval: 100_000 });
  for (const { time, done, hash } of pick(run.moments, MOMENTS)) {
    await timeline.seek(at(time, done));
    expect(hashPlayer(timeline.player), `time ${time}, event ${done}`).toBe(hash);
  }
  const hasher = new StateHasher();
  const inOrder = new Timeline(run.options);
  const times = Array.from({ length: MOMENTS }, (_, i) => Math.floor(((i + 0.5) / MOMENTS) * run.instructions));
  const seen = new Map<number, string>();
  for (const time of times) {
    await inOrder.seek(at(time));
    seen.set(time, hasher.hash(inOrder.player.world));
  }
  for (const time of pick(times, MOMENTS)) {
    await timeline.seek(at(time));
    expect(hasher.hash(timeline.player.world), `time ${time}`).toBe(seen.get(time));
  }
});

function pick<T>(list: readonly T[], count: number): T[] {
  return list.map((item, i) => ({ item, key: (i * 7919) % 104729 })).sort((a, b) => a.key - b.key).slice(0, count).map(({ item }) => item);
}
