/** Recordings that something happened to: never a crash, never other bytes than were written. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UserError } from '../../base/errors.js';
import { CHUNK } from './chunks.js';
import { DamagedChunk, type RecordingReader } from './recordingReader.js';
import { bytesOf, openBytes, type SampleChunk, sampleOf, SMALL } from './testing/sampleRecordings.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const WHOLE = bytesOf(SMALL);
const SOUND = openBytes(WHOLE);
/** By number: what each chunk was when it was written. */
const ORIGINALS = SOUND.chunks.map((chunk) => sampleOf(SOUND, chunk));
const ENDS = SOUND.chunks.map(({ where }) => where.offset + 64 + where.storedLength);

/** Undefined if it cannot be used at all, which it must say in one line. */
function opened(bytes: Uint8Array): RecordingReader | undefined {
  try {
    return openBytes(bytes);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect(error.message).toMatch(/^a\.culprit.*[^\n]$/);
    return undefined;
  }
}

/** Quicker than a matcher, for very many. */
function same(one: SampleChunk, two: SampleChunk): boolean {
  return one.kind === two.kind && Buffer.compare(one.payload, two.payload) === 0 && JSON.stringify(one.fields) === JSON.stringify(two.fields);
}

/** Reads all; what comes must be what was written. The result are the numbers of the chunks that came. */
function readable(reader: RecordingReader): number[] {
  return reader.chunks.flatMap((chunk) => {
    try {
      const sample = sampleOf(reader, chunk);
      const original = ORIGINALS[chunk.where.number]!;
      if (!same(sample, original)) expect(sample).toEqual(original);
      return [chunk.where.number];
    } catch (error) {
      if (!(error instanceof DamagedChunk)) throw error;
      return [];
    }
  });
}

/** Every kind of damage keeps the events that can be used in order and without gaps. */
function checkEvents(reader: RecordingReader): void {
  expect(reader.usableEvents.map(({ index }) => index)).toEqual(reader.usableEvents.map((_, i) => i));
}

test('cut off at every byte: the chunks before are there', () => {
  for (let size = 0; size < WHOLE.length; size++) {
    const reader = opened(WHOLE.subarray(0, size));
    const left = ENDS.filter((end) => end <= size).length;
    if (left === 0) {
      expect(reader).toBeUndefined();
      continue;
    }
    expect(readable(reader!)).toEqual([...Array(left).keys()]);
    expect(reader!.end).toBeUndefined();
    expect(reader!.damage).toBe(ENDS.includes(size) ? undefined : `a.culprit: cut off in the middle of chunk ${left} (at byte ${size})`);
    expect(reader!.usableEvents).toHaveLength(reader!.chunks.filter(({ kind }) => kind === CHUNK.EVENTS).length);
  }
});

test('any one bit flipped: at most one chunk is lost, and it is said', () => {
  for (let bit = 0; bit < WHOLE.length * 8; bit += LONG ? 1 : 7) {
    const damaged = WHOLE.slice();
    damaged[bit >> 3]! ^= 1 << (bit & 7);
    const reader = opened(damaged);
    const victim = ENDS.findIndex((end) => bit >> 3 < end);
    if (reader === undefined) {
      expect(victim).toBe(0);
      continue;
    }
    const there = readable(reader);
    const inStart = bit >> 3 < 24;
    expect(there).toEqual([...ORIGINALS.keys()].filter((number) => inStart || number !== victim));
    expect(reader.damage !== undefined || there.length < reader.chunks.length).toBe(true);
    checkEvents(reader);
  }
});

const anywhere = fc.nat(WHOLE.length - 1);
const hurt = fc.oneof(
  fc.record({ what: fc.constant('flip' as const), at: anywhere, value: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ what: fc.constant('delete' as const), at: anywhere, value: fc.nat(200) }),
  fc.record({ what: fc.constant('insert' as const), at: anywhere, value: fc.nat(200) }),
  fc.record({ what: fc.constant('zero' as const), at: anywhere, value: fc.nat(200) }),
  fc.record({ what: fc.constant('repeat' as const), at: anywhere, value: fc.nat(1000) }),
);

function damagedBy({ what, at, value }: { what: 'flip' | 'delete' | 'insert' | 'zero' | 'repeat'; at: number; value: number }, bytes: Uint8Array): Uint8Array {
  const [before, after] = [[...bytes.subarray(0, at)], [...bytes.subarray(at)]];
  switch (what) {
    case 'flip':
      return Uint8Array.from(bytes, (byte, i) => (i === at ? byte ^ value : byte));
    case 'delete':
      return Uint8Array.from([...before, ...after.slice(value)]);
    case 'insert':
      return Uint8Array.from([...before, ...Array<number>(value).fill(0xf5), ...after]);
    case 'zero':
      return bytes.slice().fill(0, at, at + value);
    case 'repeat':
      return Uint8Array.from([...before, ...after.slice(0, value), ...after]);
  }
}

test('several things at once', () => {
  fc.assert(
    fc.property(fc.array(hurt, { minLength: 1, maxLength: 4 }), (injuries) => {
      const reader = opened(injuries.reduce((bytes, injury) => damagedBy(injury, bytes), WHOLE));
      if (reader === undefined) return;
      readable(reader);
      checkEvents(reader);
    }),
    { numRuns: LONG ? 20_000 : 300 },
  );
});

test('whatever comes after a deleted or an inserted part is found again', () => {
  fc.assert(
    fc.property(fc.nat(SOUND.chunks.length - 3), fc.boolean(), fc.nat(), (victim, grows, random) => {
      const { offset, storedLength } = SOUND.chunks[victim + 1]!.where;
      const value = 1 + (random % storedLength);
      const reader = opened(damagedBy({ what: grows ? 'insert' : 'delete', at: offset + 64, value }, WHOLE))!;
      expect(readable(reader)).toEqual([...ORIGINALS.keys()].filter((number) => number !== victim + 1));
      expect(reader.damage).toMatch(/^a\.culprit: damaged at byte \d+/);
      expect(reader.end).toEqual(SMALL.end);
    }),
  );
});

test('noise', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 500 }), (noise) => void opened(noise)));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (noise) => {
      expect(readable(opened(Uint8Array.from([...WHOLE, ...noise]))!)).toEqual([...ORIGINALS.keys()]);
    }),
  );
});
