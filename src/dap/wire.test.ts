import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeMessage, MessageDecoder } from './wire.js';

interface Heard {
  readonly messages: unknown[];
  readonly bad: string[];
  readonly lost: string[];
}

function decode(pieces: readonly Uint8Array[]): Heard {
  const heard: Heard = { messages: [], bad: [], lost: [] };
  const decoder = new MessageDecoder({ message: (m) => heard.messages.push(m), badMessage: (why) => heard.bad.push(why), lost: (why) => heard.lost.push(why) });
  for (const piece of pieces) decoder.push(piece);
  return heard;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

describe('messages on the wire', () => {
  it('come out as they went in, however the stream is cut', () => {
    fc.assert(fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), fc.array(fc.nat(200), { maxLength: 20 }), (values, cuts) => {
      const messages = values.map((value) => JSON.parse(JSON.stringify({ value })) as unknown);
      let rest = joined(messages.map(encodeMessage));
      const pieces: Uint8Array[] = [];
      for (const cut of cuts) {
        pieces.push(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      expect(decode([...pieces, rest])).toEqual({ messages, bad: [], lost: [] });
    }));
  });

  it('may have the protocol\'s other header, in any case, and bare line feeds', () => {
    expect(decode([bytes('Content-Type: x\r\ncontent-length: 2\r\n\r\n{}Content-Length:2\n\n[]')]).messages).toEqual([{}, []]);
  });

  it('that are no JSON are skipped', () => {
    const heard = decode([bytes('Content-Length: 3\r\n\r\n{x}Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}')]);
    expect(heard).toEqual({ messages: [{}], bad: ['a message that is not JSON', 'a message that is not JSON'], lost: [] });
  });

  it.each(['GET / HTTP/1.1\r\n\r\n', 'Content-Length: -1\r\n\r\n', 'Content-Length: 99999999999\r\n\r\n', 'Content-Length: 1e9\r\n\r\n', 'x'.repeat(5000), '\n\n',
    'P', 'OPTIONS', 'CONNECT', 'Content-Length: 2\r\nHost: x', 'Content-Type: x\r\nOrigin: null\r\nContent-Length: 2\r\n\r\n{}', 'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}',
    'Content-Encoding: x\r\n', 'content-length /x HTTP/1.1\r\n', 'POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}'])('cannot follow %j', (text) => {
    const heard = decode([bytes(text), bytes('Content-Length: 2\r\n\r\n{}')]);
    expect(heard.messages).toEqual([]);
    expect(heard.lost).toHaveLength(1);
  });

  it('of any bytes whatsoever are no more than not understood', () => {
    fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 30 }), (pieces) => {
      expect(decode(pieces).lost.length).toBeLessThanOrEqual(1);
    }));
  });
});
