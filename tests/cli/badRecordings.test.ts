/** Recordings that are none, or not whole: one line, and what is intact is used. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crc32 } from '../../src/replay/format/crc32.js';
import { ensureBuilt } from '../table/built.js';
import { culprit, HELLO } from './culprit.js';

const directory = mkdtempSync(join(tmpdir(), 'culprit-bad-'));
const SOUND = join(directory, 'sound');
const CHUNK_HEADER = 64;
const START = 24;

beforeAll(async () => {
  await ensureBuilt();
  culprit(['record', '-o', SOUND, HELLO, 'crash']);
}, 300_000);
afterAll(() => rmSync(directory, { recursive: true }));

function changed(name: string, change: (bytes: Buffer) => Uint8Array | void): string {
  const bytes = readFileSync(SOUND);
  const path = join(directory, name);
  writeFileSync(path, change(bytes) ?? bytes);
  return path;
}

/** Kind and place of every chunk. */
function chunksOf(bytes: Buffer): { readonly kind: number; readonly at: number; readonly length: number }[] {
  const chunks = [];
  for (let at = START; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 12);
    chunks.push({ kind: bytes.readUInt16LE(at + 4), at, length });
    at += CHUNK_HEADER + length;
  }
  return chunks;
}

const [EVENTS, BLOB, END] = [2, 3, 5];

function place(bytes: Buffer, kind: number | undefined): { readonly at: number; readonly length: number } {
  const found = chunksOf(bytes).find((chunk) => chunk.kind === kind);
  if (found === undefined) throw new Error(`no chunk of kind ${kind}`);
  return found;
}

describe.each(['replay', 'info', 'dump'])('culprit %s', (command) => {
  it.each<[string, () => string, RegExp]>([
    ['no file', () => join(directory, 'none'), /none: No such file or directory/],
    ['a directory', () => {
      const path = join(directory, `d-${command}`);
      mkdirSync(path);
      return path;
    }, /a directory, not a recording/],
    ['an empty file', () => changed('empty', () => new Uint8Array()), /an empty file, not a recording/],
    ['a program', () => HELLO, /not a recording of culprit/],
    ['a newer version', () => changed('newer', (bytes) => {
      bytes.writeUInt32LE(99, 8);
      bytes.writeUInt32LE(crc32(bytes.subarray(0, 20)), 20);
    }), /made by a newer version of culprit \(format 99; this one reads up to 1\)/],
    ['nothing but the start', () => changed('start', (bytes) => bytes.subarray(0, START + 10)), /its header is damaged, without which it cannot be used/],
  ])('of %s', (_, make, pattern) => {
    const { status, stdout, stderr } = culprit([command, make()]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^culprit: .*\n$/);
    expect(stderr).toMatch(pattern);
  });

  it('without FILE', () => {
    expect(culprit([command])).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/^culprit: missing required argument/) as unknown });
  });
});

describe('a recording without its end', () => {
  it('is used up to there', () => {
    const path = changed('cut', (bytes) => bytes.subarray(0, place(bytes, END).at));
    expect(culprit(['replay', '--quiet', path])).toEqual({ status: 65, stdout: '', stderr: expect.stringMatching(/^culprit: .*cut: its end is missing; replayed up to time [\d,]+, what came after is lost\n$/) as unknown });
    expect(culprit(['info', path])).toMatchObject({ status: 65, stdout: expect.stringMatching(/^ended +killed by SIGSEGV.*\n(.*\n)*state +cut off: its end is missing$/m) as unknown, stderr: '' });
    expect(culprit(['dump', path])).toMatchObject({ status: 65, stdout: expect.stringContaining('SIGSEGV takes effect') as unknown, stderr: expect.stringMatching(/^culprit: .*its end is missing; listed up to time [\d,]+\n$/) as unknown });
  });

  it('in the middle of a chunk', () => {
    const path = changed('halved', (bytes) => bytes.subarray(0, place(bytes, EVENTS).at + CHUNK_HEADER + 5));
    const { status, stdout, stderr } = culprit(['replay', path]);
    expect({ status, stdout }).toEqual({ status: 65, stdout: '' });
    expect(stderr).toMatch(/^culprit: .*cut off in the middle of chunk \d+ \(at byte \d+\); replayed up to time 0, .*\n$/);
    expect(culprit(['replay', '--to', '5', path])).toMatchObject({ status: 2, stderr: 'culprit: no such time: 5 (the recording is cut off at 0)\n' });
  });
});

describe('a flipped bit', () => {
  it('in the events', () => {
    const path = changed('events', (bytes) => {
      const { at, length } = place(bytes, EVENTS);
      bytes[at + CHUNK_HEADER + (length >> 1)]! ^= 4;
    });
    expect(culprit(['replay', path])).toEqual({ status: 65, stdout: '', stderr: expect.stringMatching(/^culprit: .*events: chunk \d+ \(at byte \d+\) is damaged; replayed up to time [\d,]+, .*\n$/) as unknown });
    expect(culprit(['info', path])).toMatchObject({ status: 65, stdout: expect.stringMatching(/^state +.*chunk \d+ \(at byte \d+\) is damaged$/m) as unknown });
    expect(culprit(['dump', path])).toMatchObject({ status: 65, stderr: expect.stringMatching(/is damaged; listed up to time \d+\n$/) as unknown });
  });

  it('in a stored file', () => {
    const path = changed('blob', (bytes) => {
      const { at, length } = place(bytes, BLOB);
      bytes[at + CHUNK_HEADER + (length >> 1)]! ^= 1;
    });
    expect(culprit(['replay', path])).toMatchObject({ status: 65, stderr: expect.stringMatching(/^culprit: .*is damaged; replayed up to time 0, .*\n$/) as unknown });
    expect(culprit(['info', path])).toMatchObject({ status: 65 });
    // Nothing of it is needed to say what happened.
    expect(culprit(['dump', path])).toMatchObject({ status: 0, stderr: '' });
  });

  it("in a chunk's header", () => {
    const path = changed('header', (bytes) => void (bytes[place(bytes, EVENTS).at + 20]! ^= 0x80));
    const { status, stderr } = culprit(['replay', path]);
    expect(status).toBe(65);
    expect(stderr).toMatch(/^culprit: .*header: damaged at byte \d+.*; replayed up to time 0, .*\n$/);
  });
});
