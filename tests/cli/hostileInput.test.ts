/**
 * Input that is only there to cost memory or time: one line, and an exit status that says whose fault it is. Node gets
 * little memory, so that what takes much would end it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeMessage, MessageDecoder } from '../../src/dap/wire.js';
import { crc32 } from '../../src/replay/format/crc32.js';
import { type Effect, writeEffect } from '../../src/replay/log/effects.js';
import { LogReader } from '../../src/replay/log/logReader.js';
import { LogWriter } from '../../src/replay/log/logWriter.js';
import { culprit, CULPRIT, HELLO, type Outcome } from './culprit.js';

const folder = mkdtempSync(join(tmpdir(), 'culprit-hostile-'));
const SOUND = join(folder, 'sound.culprit');
const HOSTILE = join(folder, 'hostile.culprit');
const env = { NODE_OPTIONS: '--max-old-space-size=400' };
const [HEADER, EVENTS, END] = [1, 2, 5];
const [START, CHUNK_HEADER, REGISTERS] = [24, 64, 136];

beforeAll(() => void culprit(['record', '-o', SOUND, HELLO, 'crash']));
afterAll(() => rmSync(folder, { recursive: true }));

/** The recording with other payloads in chunks of a kind. All checksums are right. */
function rebuilt(kind: number, change: (payload: Buffer) => Uint8Array): void {
  const bytes = readFileSync(SOUND);
  const parts = [bytes.subarray(0, START)];
  for (let at = START; at < bytes.length; ) {
    const header = Buffer.from(bytes.subarray(at, at + CHUNK_HEADER));
    let stored: Uint8Array = bytes.subarray(at + CHUNK_HEADER, at + CHUNK_HEADER + header.readUInt32LE(12));
    at += CHUNK_HEADER + stored.length;
    if (header.readUInt16LE(4) === kind) {
      const payload = change(header.readUInt16LE(6) === 0 ? Buffer.from(stored) : inflateRawSync(stored));
      stored = deflateRawSync(payload);
      header.writeUInt16LE(1, 6);
      header.writeUInt32LE(payload.length, 8);
      header.writeUInt32LE(stored.length, 12);
      header.writeUInt32LE(crc32(stored), 56);
      header.writeUInt32LE(crc32(header.subarray(0, 60)), 60);
    }
    parts.push(header, Buffer.from(stored));
  }
  writeFileSync(HOSTILE, Buffer.concat(parts));
}

/** The first event of each chunk does more: this, so many times. */
function withEffects(effect: Effect, times = 1): void {
  const one = new LogWriter(1024);
  writeEffect(one, effect);
  const more = Buffer.alloc(one.length * times, one.view());
  rebuilt(EVENTS, (payload) => {
    const reader = new LogReader(new Uint8Array(payload));
    const out = new LogWriter(payload.length + more.length + 1024);
    for (let isFirst = true; !reader.isAtEnd; isFirst = false) {
      for (let i = 0; i < 3; i++) out.num(reader.num());
      out.raw(reader.raw(REGISTERS));
      out.bytes(reader.bytes());
      const known = reader.bytes();
      out.bytes(isFirst ? Buffer.concat([known, more]) : known);
    }
    return out.take();
  });
}

function expectOneLine({ status, stderr }: Outcome, statuses: readonly number[]): void {
  expect(stderr).toMatch(/^culprit: [^\n]*\n$/);
  expect(statuses).toContain(status);
}

describe('recordings', () => {
  it.each<[string, string]>([['brackets', '['.repeat(60_000_000)], ['lists in lists', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`], ['more than any header has', `{"a":[${'[],'.repeat(15_000_000)}[]]}`]])('with a header of %s', (_, text) => {
    rebuilt(HEADER, () => Buffer.from(text));
    for (const command of ['info', 'replay', 'dump']) expectOneLine(culprit([command, HOSTILE], { env }), [2]);
  });

  it('with a summary of brackets', () => {
    rebuilt(END, () => Buffer.from('['.repeat(60_000_000)));
    expect(culprit(['info', HOSTILE], { env })).toMatchObject({ status: 65, stdout: expect.stringContaining('the summary at its end is damaged') as unknown });
    expectOneLine(culprit(['replay', '--quiet', HOSTILE], { env }), [65]);
  });

  it('with more events than fit into memory', () => {
    withEffects({ op: 'clock', nanoseconds: 0 }, 12_000_000);
    for (const command of ['replay', 'dump']) expectOneLine(culprit([command, HOSTILE], { env }), [65]);
  });

  it('that copy more memory than there is', () => {
    withEffects({ op: 'copyPages', space: 1, from: 0x40_0000, to: 0x50_0000, length: 2 ** 52 });
    expectOneLine(culprit(['replay', HOSTILE], { env }), [65]);
  });
});

describe('texts that never end', () => {
  it.each([['--rules'], ['--suppressions']])('%s', (option) => {
    const { status, stdout, stderr } = culprit(['check', option, '/dev/zero', HELLO], { env });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/^culprit: .*\/dev\/zero: longer than 16 MiB\n$/);
  });

  it('commands of the debugger', () => {
    expect(culprit(['debug', '-batch', '-x', '/dev/zero', SOUND], { env })).toMatchObject({ status: 1, stderr: expect.stringContaining('/dev/zero: longer than 16 MiB') as unknown });
  });
});

describe('messages to the debug adapter', () => {
  /** What it says to bytes, until it has nothing more to say. */
  async function saidTo(...parts: readonly Uint8Array[]): Promise<string[]> {
    const child = spawn(process.execPath, [CULPRIT, 'dap'], { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
    const said: string[] = [];
    const decoder = new MessageDecoder({ message: (message) => void said.push(JSON.stringify(message)), badMessage: (why) => expect.fail(why), lost: (why) => expect.fail(why) });
    child.stdout.on('data', (bytes: Buffer) => decoder.push(bytes));
    child.stdin.on('error', () => undefined);
    for (const part of parts) child.stdin.write(part);
    child.stdin.end();
    await new Promise((resolve) => child.on('close', resolve));
    return said;
  }
  const framed = (body: Buffer): Buffer => Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
  const initialize = encodeMessage({ seq: 1, type: 'request', command: 'initialize', arguments: { adapterID: 'culprit' } });

  it('of brackets are ignored', async () => {
    const said = await saidTo(framed(Buffer.alloc(1_000_000, '[')), initialize);
    expect(said[0]).toContain('culprit: a message deeper than 200 levels was ignored');
    expect(said[1]).toContain('"success":true');
  });

  it('that are too long end the session, and the limit is said', async () => {
    const [said] = await saidTo(initialize, framed(Buffer.alloc(60_000_000, '['))).then((all) => all.slice(-1));
    expect(said).toMatch(/a message of 60000000 bytes is too long: at most \d+ are read/);
  });
});
