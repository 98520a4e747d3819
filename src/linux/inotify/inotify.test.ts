import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { O } from '../files/fileConstants.js';
import { SyscallBench } from '../testing/syscallBench.js';
import { IN } from './inotifyFile.js';

let bench: SyscallBench;
let folder: string;
let fd: number;
beforeEach(() => {
  bench = new SyscallBench();
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'inotify-'));
  fd = bench.call('inotify_init1', O.NONBLOCK);
});
afterEach(async () => {
  bench.call('close', fd);
  // The host's queue is one for all, and may be full.
  await new Promise((resolve) => setTimeout(resolve, 50));
  fs.rmSync(folder, { recursive: true, force: true });
});

/** What is in the queue: mask and name. */
function events(size = 4096): [number, string][] | number {
  const at = bench.allocate(size);
  const count = bench.call('read', fd, at, size);
  if (count < 0) return count;
  const found: [number, string][] = [];
  for (let i = at; i < at + count; i += 16 + bench.space.readU32(i + 12)) {
    found.push([bench.space.readU32(i + 4), bench.text(i + 16, bench.space.readU32(i + 12)).replace(/\0+$/, '')]);
  }
  return found;
}

/** All up to a certain one: what others do is heard later. */
async function eventsUntil(mask: number, name: string): Promise<[number, string][]> {
  const all: [number, string][] = [];
  for (let i = 0; i < 200 && !all.some((event) => event[0] === mask && event[1] === name); i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const more = events();
    if (typeof more === 'object') all.push(...more);
  }
  return all;
}

function create(name: string): void {
  bench.call('close', bench.call('open', `${folder}/${name}`, O.CREAT | O.WRONLY, 0o600));
}

describe('inotify', () => {
  it('tells what the guest does, merging repetitions', () => {
    expect(bench.call('inotify_add_watch', fd, folder, IN.ALL_EVENTS)).toBe(1);
    expect(events()).toBe(-E.AGAIN);
    create('a');
    for (const mode of [0o600, 0o640]) bench.call('chmod', `${folder}/a`, mode);
    expect(events()).toEqual([[IN.CREATE, 'a'], [IN.OPEN, 'a'], [IN.CLOSE_WRITE, 'a'], [IN.ATTRIB, 'a']]);
  });

  it('drops what is not read, and says so', () => {
    bench.call('inotify_add_watch', fd, folder, IN.ATTRIB);
    ['a', 'b'].forEach(create);
    for (let i = 0; i < 8300; i++) for (const name of ['a', 'b']) bench.call('chmod', `${folder}/${name}`, 0o600);
    const all = events(1 << 20) as [number, string][];
    expect(all).toHaveLength(16_385);
    expect(all.at(-1)).toEqual([IN.Q_OVERFLOW, '']);
  });

  it('hears what others do, but not twice what the guest did', async () => {
    bench.call('inotify_add_watch', fd, folder, IN.ALL_EVENTS & ~(IN.OPEN | IN.CLOSE_NOWRITE));
    create('mine');
    fs.writeFileSync(path.join(folder, 'yours'), 'text');
    expect(await eventsUntil(IN.CLOSE_WRITE, 'yours')).toEqual([
      [IN.CREATE, 'mine'], [IN.CLOSE_WRITE, 'mine'], [IN.CREATE, 'yours'], [IN.MODIFY, 'yours'], [IN.CLOSE_WRITE, 'yours'],
    ]);
    fs.rmSync(folder, { recursive: true });
    const ends = (await eventsUntil(IN.IGNORED, '')).map(([mask]) => mask);
    expect(ends.slice(-2)).toEqual([IN.DELETE_SELF, IN.IGNORED]);
  });
});
