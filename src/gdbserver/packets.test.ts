import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOfText, textOfBytes } from './hex.js';
import { LONGEST_PACKET, packetOf, PacketReader, quoted, type Received } from './packets.js';

const bytes = fc.uint8Array({ maxLength: 300 });

function feedInPieces(reader: PacketReader, all: Uint8Array, sizes: readonly number[]): Received[] {
  const received: Received[] = [];
  for (let at = 0, i = 0; at < all.length; i++) {
    const size = 1 + ((sizes[i % Math.max(1, sizes.length)] ?? 7) % 50);
    received.push(...reader.feed(all.subarray(at, at + size)));
    at += size;
  }
  return received;
}

describe('packets', () => {
  it('are read as they were sent, in whatever pieces, after whatever rubbish', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 5 }), fc.array(fc.nat(49)), fc.constantFrom('', '+', '\x03', 'rubbish', '$cut off', '+-+'), (payloads, sizes, before) => {
        const all = bytesOfText(before + payloads.map((payload) => textOfBytes(packetOf(quoted(payload)))).join('+'));
        const packets = feedInPieces(new PacketReader(), all, sizes).filter((received) => received.kind === 'packet');
        expect(packets).toEqual(payloads.map((payload) => ({ kind: 'packet', payload: textOfBytes(payload), isIntact: true })));
      }),
    );
  });

  it('with a wrong checksum are not intact', () => {
    expect(new PacketReader().feed(bytesOfText('$g#66'))).toEqual([{ kind: 'packet', payload: 'g', isIntact: false }]);
    expect(new PacketReader().feed(bytesOfText('$g#6x'))).toEqual([{ kind: 'packet', payload: 'g', isIntact: false }]);
  });

  it('that are too long are not intact, and what follows is read', () => {
    const long = new Uint8Array(LONGEST_PACKET + 1).fill(0x61);
    const received = new PacketReader().feed(bytesOfText(textOfBytes(packetOf(textOfBytes(long))) + textOfBytes(packetOf('g'))));
    expect(received.map((one) => one.kind === 'packet' && one.isIntact)).toEqual([false, true]);
  });

  it('never come of rubbish alone, which is forgotten', () => {
    fc.assert(fc.property(bytes, fc.array(fc.nat(49)), (rubbish, sizes) => void feedInPieces(new PacketReader(), rubbish, sizes)));
  });

  it('interrupts and acknowledgments stand between packets', () => {
    expect(new PacketReader().feed(bytesOfText('+\x03-$#00'))).toEqual([{ kind: 'ack' }, { kind: 'interrupt' }, { kind: 'nak' }, { kind: 'packet', payload: '', isIntact: true }]);
  });
});
