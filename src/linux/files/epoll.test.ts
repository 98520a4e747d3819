import { describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { AnonymousFile } from './anonymousFile.js';
import { EPOLL, Epoll } from './epoll.js';
import { EventFd } from './eventFd.js';
import { POLL } from './fileConstants.js';
import { Pipe, PipeReader, PipeWriter } from './pipe.js';

function pipe(): [PipeReader, PipeWriter] {
  const queue = new Pipe(1n);
  return [new PipeReader(queue, 0).retain(), new PipeWriter(queue, 0).retain()];
}

function collect(epoll: Epoll, most = 10): [bigint, number][] {
  const found: [bigint, number][] = [];
  epoll.collect(most, ({ data, events }) => found.push([data, events]));
  return found;
}

/** As a terminal of the host. */
class Quiet extends AnonymousFile {
  filled = 0;

  override read(): number {
    this.filled = 0;
    this.hasTaken(POLL.IN);
    return 1;
  }

  override poll(): number {
    return this.filled > 0 ? POLL.IN : 0;
  }
}

const X = Uint8Array.of(1);
const READY = POLL.IN;

describe('epoll', () => {
  it('reports a level again and again, and each edge once', () => {
    const [level, edge] = [new Epoll(), new Epoll()];
    const [reader, writer] = pipe();
    level.add(3, reader, POLL.IN, 1n);
    edge.add(3, reader, POLL.IN | EPOLL.ET, 2n);
    expect([collect(level), collect(edge)]).toEqual([[], []]);
    writer.write(X);
    expect([collect(level), collect(level)]).toEqual([[[1n, READY]], [[1n, READY]]]);
    expect([collect(edge), collect(edge)]).toEqual([[[2n, READY]], []]);
    writer.write(X);
    expect(collect(edge)).toEqual([[2n, READY]]);
    // Read empty and filled again between two looks: an edge, too.
    reader.read(new Uint8Array(9));
    writer.write(X);
    expect(collect(edge)).toEqual([[2n, READY]]);
  });

  it('asks files that announce nothing, and sees an edge though what was there has been taken between two looks', () => {
    const file = new Quiet('quiet', 0).retain() as Quiet;
    const edge = new Epoll();
    edge.add(3, file, POLL.IN | EPOLL.ET, 2n);
    file.filled = 1;
    expect([collect(edge), collect(edge)]).toEqual([[[2n, READY]], []]);
    file.read();
    file.filled = 1;
    expect([collect(edge), collect(edge)]).toEqual([[[2n, READY]], []]);
  });

  it('takes turns if there is more than fits', () => {
    const epoll = new Epoll();
    const counters = [1n, 2n, 3n].map((data) => {
      const counter = new EventFd(0n, false, 0).retain();
      epoll.add(Number(data), counter, POLL.IN, data);
      return counter;
    });
    for (const i of [2, 0, 1]) counters[i]?.write(new Uint8Array(8).fill(1));
    const order = Array.from({ length: 3 }, () => collect(epoll, 2).map(([data]) => data));
    expect(order).toEqual([[3n, 1n], [2n, 3n], [1n, 2n]]);
  });

  it('is quiet after one shot until it is armed anew', () => {
    const epoll = new Epoll();
    const [reader, writer] = pipe();
    epoll.add(3, reader, POLL.IN | EPOLL.ONESHOT, 1n);
    writer.write(X);
    expect(collect(epoll)).toHaveLength(1);
    writer.write(X);
    expect(collect(epoll)).toEqual([]);
    epoll.modify(3, reader, POLL.IN | EPOLL.ONESHOT, 2n);
    expect(collect(epoll)).toEqual([[2n, READY]]);
    writer.release();
    expect(collect(epoll)).toEqual([]);
  });

  it('tells of the other end, asked or not', () => {
    const epoll = new Epoll();
    const [reader, writer] = pipe();
    epoll.add(3, reader, EPOLL.ET, 1n);
    expect(collect(epoll)).toEqual([]);
    writer.release();
    expect(collect(epoll)).toEqual([[1n, POLL.HUP]]);
  });

  it('forgets a file with its last descriptor', () => {
    const epoll = new Epoll();
    const [reader, writer] = pipe();
    writer.write(X);
    reader.retain();
    epoll.add(3, reader, POLL.IN, 1n);
    reader.release();
    expect(collect(epoll)).toHaveLength(1);
    reader.release();
    expect(collect(epoll)).toEqual([]);
    expect(epoll.remove(3, reader)).toBe(-E.NOENT);
  });

  it('keeps what could not be delivered', () => {
    const epoll = new Epoll();
    const [reader, writer] = pipe();
    epoll.add(3, reader, POLL.IN | EPOLL.ET, 1n);
    writer.write(X);
    expect(() => epoll.collect(1, () => { throw new RangeError('bad address'); })).toThrow('bad address');
    expect(collect(epoll)).toHaveLength(1);
  });

  it('can be watched itself, but not in circles or too deep', () => {
    const chain = Array.from({ length: 6 }, () => new Epoll().retain());
    const [first, second] = chain as [Epoll, Epoll];
    const results = chain.slice(1).map((inner, i) => chain[i]?.add(3, inner, POLL.IN, BigInt(i)));
    expect(results).toEqual([0, 0, 0, 0, -E.LOOP]);
    expect(second.add(9, first, POLL.IN, 0n)).toBe(-E.LOOP);
    const [reader, writer] = pipe();
    chain[4]?.add(5, reader, POLL.IN, 7n);
    expect(collect(first)).toEqual([]);
    writer.write(X);
    expect(collect(first)).toEqual([[0n, READY]]);
    expect(first.poll()).toBe(POLL.IN | POLL.RDNORM);
    reader.read(new Uint8Array(1));
    expect(collect(first)).toEqual([]);
  });

  it('passes an exclusive wake-up to one that waits', () => {
    const [reader, writer] = pipe();
    const epolls = [1n, 2n, 3n].map((data) => {
      const epoll = new Epoll();
      expect(epoll.add(3, reader, POLL.IN | EPOLL.ET | EPOLL.EXCLUSIVE, data)).toBe(0);
      return epoll;
    });
    const [, second] = epolls as [Epoll, Epoll];
    second.waiting = 1;
    writer.write(X);
    expect(epolls.map((epoll) => collect(epoll).length)).toEqual([1, 1, 0]);
    expect(second.modify(3, reader, POLL.IN, 0n)).toBe(-E.INVAL);
    expect(second.add(4, reader, POLL.PRI | EPOLL.EXCLUSIVE, 0n)).toBe(-E.INVAL);
    expect(second.add(4, new Epoll(), POLL.IN | EPOLL.EXCLUSIVE, 0n)).toBe(-E.INVAL);
  });
});
