/** What was received depends on what was sent. */
import { beforeAll, describe, expect, it } from 'vitest';
import { kernelChanges } from '../../src/replay/timeline/kernelChanges.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import { guestAddr } from '../../src/base/types.js';
import { CARRIED, HEADERS } from './carried.js';
import { LONG } from '../table/testTable.js';
import { compareProgram } from './comparing.js';
import { recordProgram } from './compared.js';
import { compile } from './compiled.js';
import { MarkedLines } from './markedLines.js';

let lines: MarkedLines | undefined;

beforeAll(async () => {
  lines = await MarkedLines.of('carried.c', CARRIED, ['-O0', '-static'], HEADERS);
}, 60_000);

describe('values that files and pipes carry: exact lines', () => {
  it.each(CARRIED.map((one, i) => [one.name, one, i] as const))('%s', async (_, one, i) => {
    expect(await lines?.sliced(one, i)).toEqual(lines?.marked(i, ['//+', '//?']));
  });
});

describe('values from outside', () => {
  it('are named with their file and descriptor', async () => {
    const i = CARRIED.findIndex(({ name }) => name === 'what comes from outside');
    const slice = await lines?.slice(CARRIED[i] as (typeof CARRIED)[number], i);
    expect(slice?.inputs.flatMap(({ source }) => source ?? [])).toEqual([expect.stringMatching(/^\/etc\/passwd \(descriptor \d+\)$/)]);
  });
});

/** Plays a program, with the bytes that were sent to each place. Returns how many were received as they were sent. */
async function followBytes(program: string): Promise<{ readonly same: Map<string, number>; readonly wrong: readonly string[] }> {
  const timeline = new Timeline(await recordProgram([program]));
  const { player, transfers } = timeline;
  const [content, same, wrong] = [new Map<string, Map<number, number>>(), new Map<string, number>(), [] as string[]];
  const channelOf = (name: string): Map<number, number> => {
    const known = content.get(name) ?? new Map<number, number>();
    content.set(name, known);
    return known;
  };
  player.onEvent = (event, done) => {
    for (const change of kernelChanges(event, transfers.of(event.time, done))) {
      if (change.kind === 'send') {
        const bytes = timeline.state.read(change.task, guestAddr(change.address), change.bytes) as Uint8Array;
        bytes.forEach((byte, k) => channelOf(change.to.channel).set(change.to.position + k, byte));
      } else if (change.kind === 'pass') {
        for (let k = 0; k < change.bytes; k++) channelOf(change.to.channel).set(change.to.position + k, channelOf(change.from.channel).get(change.from.position + k) ?? 0);
      } else if (change.kind === 'cut') {
        for (const position of channelOf(change.at.channel).keys()) if (position >= change.at.position) channelOf(change.at.channel).set(position, 0);
      } else if (change.kind === 'write' && change.from !== undefined) {
        const { channel, position } = change.from;
        const kind = channel.split(' ')[0] as string;
        const stored = event.effects.find((effect) => effect.op === 'write' && effect.space === change.space && effect.address <= change.address && effect.address + effect.bytes.length > change.address);
        if (stored?.op !== 'write') throw new Error('nothing was stored');
        for (let k = 0; k < change.bytes; k++) {
          const [got, sent] = [stored.bytes[change.address - stored.address + k], channelOf(channel).get(position + k) ?? 0];
          if (got === sent) same.set(kind, (same.get(kind) ?? 0) + 1);
          else wrong.push(`${channel} at ${position + k}, time ${event.time}: ${got}, not ${sent}`);
        }
      }
    }
  };
  player.advance(timeline.endTime);
  player.onEvent = undefined;
  return { same, wrong };
}

describe('what recordings know of bytes that were sent', () => {
  it('is what was received', async () => {
    const { same, wrong } = await followBytes(compile('channels.c', ['-O1', '-static']));
    // One byte of a mapped file was stored by the program itself.
    expect(wrong).toEqual([expect.stringMatching(/^file 14:\d+ at 5, /)]);
    expect(Object.fromEntries(same)).toEqual({ pipe: 36_598, file: 329, socket: 160 });
  });

  it('leads slices as brute force goes', async () => {
    const { problems, members } = await compareProgram([compile('channels.c', ['-O1', '-static'])], { seed: 3, criteria: LONG ? 100 : 8, frames: false, most: LONG ? 60_000 : 14_000 });
    expect(problems).toEqual([]);
    expect(members).toBeGreaterThan(100);
  });
});
