/** Clients that send rubbish, or vanish: nothing breaks, nothing hangs, and the next one is served. */
import net from 'node:net';
import { once } from 'node:events';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/gdbserver/client.js';
import { LONGEST_PACKET, packetOf } from '../../src/gdbserver/packets.js';
import { GdbSession } from '../../src/gdbserver/session.js';
import { servedBytes, type ServedProgram, theTour } from './served.js';

const ROUNDS = process.env['CULPRIT_LONG'] === '1' ? 300 : 6;

const number = fc.oneof(fc.nat(0xffff).map((n) => n.toString(16)), fc.constantFrom('0', '-1', 'ffffffffffffffff', '7fffffffe000', '555555558040', '10', 'zz', '', '00000000000000000000001'));
const thread = fc.oneof(number, fc.tuple(number, number).map(([pid, tid]) => `p${pid}.${tid}`), fc.constant('p4e20.4e20'));
const list = fc.array(number, { maxLength: 4 }).map((numbers) => numbers.join(','));
const hexText = fc.string({ maxLength: 20 }).map((text) => Buffer.from(text).toString('hex'));
/** Packets that look like those of a client, more or less. */
const packet = fc.oneof(
  fc.constantFrom('?', 'g', 'bs', 'bc', 'c', 's', 'qC', 'qfThreadInfo', 'qsThreadInfo', 'vCont?', 'vMustReplyEmpty', '!', 'qOffsets', 'qTStatus', 'vRun', 'R00', 'vKill;1', 'T', 'QThreadEvents:1', 'QStartNoAckMode', 'qAttached:1', 'QCatchSyscalls:1', 'QCatchSyscalls:0', 'QCatchSyscalls:1;1;zz', 'qSupported:multiprocess+;fork-events+;vfork-events+;exec-events+', 'D;4e20', 'D;4e21', 'D;1'),
  fc.tuple(fc.constantFrom('m', 'M', 'X', 'p', 'P', 'G', 'Z0,', 'Z1,', 'Z2,', 'Z3,', 'Z4,', 'z0,', 'z2,', 'Z9,', 'qSearch:memory:', 'qGetTLSAddr:', 'QPassSignals:', 'vAttach;', 'D;'), list).map(([name, rest]) => name + rest),
  fc.tuple(fc.constantFrom('Hg', 'Hc', 'T', 'qThreadExtraInfo,', 'vCont;c:', 'vCont;s:', 'vCont;C0b:', 'vCont;r0,ffffffff:'), thread).map(([name, rest]) => name + rest),
  fc.tuple(fc.constantFrom('features', 'auxv', 'exec-file', 'libraries-svr4', 'threads', 'osdata', 'memory-map', 'siginfo', 'nonsense'), fc.constantFrom('', 'target.xml', 'processes'), list).map(([object, annex, rest]) => `qXfer:${object}:read:${annex}:${rest}`),
  fc.tuple(fc.constantFrom('open', 'pread', 'close', 'fstat', 'readlink', 'setfs', 'pwrite', 'unlink', 'x'), fc.oneof(list, hexText)).map(([name, rest]) => `vFile:${name}:${rest}`),
  fc.constantFrom('help', 'when', 'goto 5', 'goto -1', 'goto', 'start', 'end', 'last', 'last counter', 'last 0x0:99999999', 'next head', 'bookmark', 'threads', 'processes', 'branch drop', 'checkpoints').map((text) => `qRcmd,${Buffer.from(text).toString('hex')}`),
  fc.string({ maxLength: 60 }),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

export function hostileCases(): void {
  describe('hostile clients', () => {
    let program: ServedProgram;
    beforeAll(async () => {
      program = await theTour();
    }, 60_000);

    it('random packets never fail by our fault, and have answers of bounded length', async () => {
      const faults: unknown[] = [];
      let looks = 0;
      const quiet = { isInterrupted: () => looks++ % 100 === 99, say: () => undefined };
      await fc.assert(
        fc.asyncProperty(fc.array(packet, { minLength: 1, maxLength: 25 }), async (packets) => {
          const session = new GdbSession(await Client.open(program.served), (error) => faults.push(error));
          for (const payload of packets) {
            const { text = '' } = await session.handle(payload, quiet);
            expect(text.length).toBeLessThanOrEqual(LONGEST_PACKET);
            expect(faults, payload).toEqual([]);
          }
          expect((await session.handle('?', quiet)).text).toMatch(/^[TS]/);
        }),
        { numRuns: ROUNDS, endOnFailure: true },
      );
    });

    it('an interrupt ends a long search, and the program stands where it stood', async () => {
      const served = servedBytes(program.bytes, {}, 1000);
      const session = new GdbSession(await Client.open(served), (error) => expect.fail(String(error)));
      let isInterrupted = true;
      const answering = { isInterrupted: () => isInterrupted, say: () => undefined };
      const before = served.execution.position;
      await session.handle('Z2,10,8', answering);
      expect((await session.handle('bc', answering)).text).toMatch(/^T02/);
      expect(served.execution.position).toEqual(before);
      isInterrupted = false;
      expect((await session.handle('bc', answering)).text).toMatch(/^T1e/);
    });

    it.each([['all at once', 1000], ['now and then', 32]])('who asks %s, and reads no answers, is left', async (_how, count) => {
      const socket = net.connect(program.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.pause();
      const questions = Buffer.from(packetOf('m555555554000,4000')).toString('latin1').repeat(count);
      while (!socket.destroyed) {
        if (socket.writableLength < 1 << 20) socket.write(questions);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      expect(await program.quickGdb('p counter')).toContain('= 10');
    });

    it.each([['nothing', ''], ['no packet', '$g#00 what? \x03\x03']])('who says %s does not keep others out', async (_what, said) => {
      const socket = net.connect(program.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.resume().write(said);
      const left = once(socket, 'close');
      expect(await program.quickGdb('p counter')).toContain('= 10');
      await left;
    });

    it('who says goodbye and stays does not keep others out', async () => {
      const socket = net.connect(program.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.pause();
      socket.write(Buffer.from(packetOf('D')));
      expect(await program.quickGdb('p counter')).toContain('= 10');
      socket.destroy();
    });

    it('rubbish, cut packets and sudden ends leave the server as it was', async () => {
      for (const rubbish of ['$', '$qSupported', '$g#00', '\0'.repeat(10_000), `$${'x'.repeat(LONGEST_PACKET * 2)}#00`, '$bc#c5\x03\x03\x03', '$vCont;c#a8']) {
        const socket = net.connect(program.port, '127.0.0.1');
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        socket.write(Buffer.from(rubbish, 'latin1'));
        await new Promise((resolve) => socket.write('$?#3f', resolve));
        socket.destroy();
        await once(socket, 'close');
      }
      expect(await program.quickGdb('bt')).toContain('sum (n=0x10)');
    });
  });
}
