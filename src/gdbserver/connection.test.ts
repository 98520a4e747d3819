import { describe, expect, it } from 'vitest';
import { Connection, type PacketHandler } from './connection.js';
import { bytesOfText, textOfBytes } from './hex.js';
import { packetOf } from './packets.js';

function connected(handler: PacketHandler): { readonly connection: Connection; readonly sent: string[]; ended: 'closed' | 'dropped' | undefined } {
  const result = { sent: [] as string[], ended: undefined } as { connection: Connection; sent: string[]; ended: 'closed' | 'dropped' | undefined };
  result.connection = new Connection({ send: (bytes) => void result.sent.push(textOfBytes(bytes)), close: () => void (result.ended = 'closed'), drop: () => void (result.ended = 'dropped') }, handler);
  return result;
}

function packet(payload: string): string {
  return textOfBytes(packetOf(payload));
}

const ECHO: PacketHandler = { handle: async (payload) => ({ text: payload.toUpperCase(), ...(payload === 'quiet' ? { after: 'no acknowledgments' } : payload === 'bye' ? { after: 'close' } : {}) }) };

describe('a connection', () => {
  it('acknowledges, answers in order, and sends once more what did not arrive', async () => {
    const { connection, sent } = connected(ECHO);
    connection.receive(bytesOfText(`+${packet('a')}$b#00${packet('c')}`));
    await connection.idle();
    expect(sent).toEqual(['+', '-', '+', packet('A'), packet('C')]);
    connection.receive(bytesOfText('-'));
    connection.receive(bytesOfText('+-'));
    expect(sent.slice(5)).toEqual([packet('C')]);
  });

  it.each([`POST / HTTP/1.1\r\nHost: x\r\n\r\n+PACKET`, `OPTIONS`, `PACKET / HTTP/1.1\r\n\r\n`, `\x16\x03\x01PACKET`, ` PACKET`])('is cut off that begins with %j', async (text) => {
    const served: string[] = [];
    const one = connected({ handle: async (payload) => ({ text: (served.push(payload), 'OK') }) });
    for (const part of text.split(/(?<=\n\n)/)) one.connection.receive(bytesOfText(part.replace('PACKET', packet('k'))));
    one.connection.receive(bytesOfText(packet('k')));
    await one.connection.idle();
    expect([served, one.sent, one.ended]).toEqual([[], [], 'dropped']);
  });

  it('stops acknowledging when asked to', async () => {
    const { connection, sent } = connected(ECHO);
    connection.receive(bytesOfText(packet('quiet')));
    await connection.idle();
    connection.receive(bytesOfText(`+${packet('a')}`));
    await connection.idle();
    expect(sent).toEqual(['+', packet('QUIET'), packet('A')]);
  });

  it('lets an interrupt through while it answers, and only to that answer', async () => {
    const seen: boolean[] = [];
    let release: () => void = () => undefined;
    const { connection } = connected({
      handle: async (_payload, answering) => {
        await new Promise<void>((resolve) => (release = resolve));
        seen.push(answering.isInterrupted());
        return {};
      },
    });
    connection.receive(bytesOfText(`\x03${packet('a')}`));
    connection.receive(bytesOfText('\x03'));
    release();
    await connection.idle();
    connection.receive(bytesOfText(packet('b')));
    release();
    await connection.idle();
    expect(seen).toEqual([true, false]);
  });

  it('is closed when the session says so, and dropped when packets pile up', async () => {
    const one = connected(ECHO);
    one.connection.receive(bytesOfText(`${packet('bye')}${packet('a')}`));
    await one.connection.idle();
    expect([one.ended, one.sent.at(-1)]).toEqual(['closed', packet('BYE')]);
    const many = connected({ handle: () => new Promise(() => undefined) });
    many.connection.receive(bytesOfText(packet('a').repeat(1000)));
    expect(many.ended).toBe('dropped');
  });
});
