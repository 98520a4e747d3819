import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { at } from '../../replay/log/position.js';
import type { Recording } from '../../replay/recordingFile/openRecording.js';
import type { Hit } from '../../replay/timeline/conditions.js';
import { QueryStore } from './queryStore.js';

const folder = fs.mkdtempSync(join(os.tmpdir(), 'culprit-store-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** As much of a recording as says which one it is. */
function recording(id: number, endTime = 1000): Recording {
  return { header: { recordingId: id, program: '/bin/true' }, log: { endTime, chunks: [] } } as unknown as Recording;
}

const path = join(folder, 'one.culprit');
const cache = `${path}.cache`;
const place = guestAddr(16);
const conditions = [{ kind: 'address', addresses: [place] }] as const;
const piecesOf = (store: QueryStore): number => store.known.trace('foo', () => conditions).pieces.length;

function stored(): Buffer {
  const store = new QueryStore(path, recording(1));
  const hit: Hit = { position: at(7), kind: 'address', conditions: [0], task: 1, rip: place };
  store.known.trace('foo', () => conditions).learn({ from: 0, to: 500, hits: [hit] });
  store.save();
  return fs.readFileSync(cache);
}

it('what was found out is there the next time, for the same recording only', () => {
  stored();
  expect(piecesOf(new QueryStore(path, recording(1)))).toBe(1);
  expect(piecesOf(new QueryStore(path, recording(2)))).toBe(0);
  expect(piecesOf(new QueryStore(path, recording(1, 2000)))).toBe(0);
});

it('what is damaged is as if it were not there', () => {
  const bytes = stored();
  for (let i = 0; i < bytes.length; i++) {
    const damaged = Buffer.from(bytes);
    damaged[i]! ^= 1;
    fs.writeFileSync(cache, damaged);
    expect(piecesOf(new QueryStore(path, recording(1)))).toBe(0);
    fs.writeFileSync(cache, bytes.subarray(0, i));
    expect(piecesOf(new QueryStore(path, recording(1)))).toBe(0);
  }
});

it('is not written by a query that has nothing new, and not where it cannot be', () => {
  stored();
  const { mtimeMs } = fs.statSync(cache);
  new QueryStore(path, recording(1)).save();
  expect(fs.statSync(cache).mtimeMs).toBe(mtimeMs);
  const nowhere = new QueryStore(join(folder, 'nothing', 'x.culprit'), recording(1));
  nowhere.known.trace('foo', () => conditions).learn({ from: 0, to: 5, hits: [] });
  expect(() => nowhere.save()).not.toThrow();
});

describe('in a folder where others can make files', () => {
  const victim = join(folder, 'victim');

  it.each<[string, () => void]>([
    ['a link to a file', () => fs.symlinkSync(victim, cache)],
    ['a link to a device that never ends', () => fs.symlinkSync('/dev/zero', cache)],
    ['a pipe', () => void spawnSync('mkfifo', [cache])],
    ['a file that others can write', () => {
      stored();
      fs.chmodSync(cache, 0o666);
    }],
    ['one that was not sealed by us, and is large when it is unpacked', () => {
      const start = stored().subarray(0, 48);
      fs.writeFileSync(cache, Buffer.concat([start, zlib.deflateSync(Buffer.alloc(50_000_000, 91))]));
    }],
  ])('%s is not believed, and replaced', (_, make) => {
    fs.rmSync(cache, { force: true });
    fs.writeFileSync(victim, 'precious');
    make();
    expect(piecesOf(new QueryStore(path, recording(1)))).toBe(0);
    stored();
    expect([fs.lstatSync(cache).isFile(), fs.lstatSync(cache).mode & 0o777, fs.readFileSync(victim, 'utf8')]).toEqual([true, 0o600, 'precious']);
    expect(piecesOf(new QueryStore(path, recording(1)))).toBe(1);
    expect(fs.readdirSync(folder).filter((name) => name.startsWith('one.culprit.cache.'))).toEqual([]);
  });
});
