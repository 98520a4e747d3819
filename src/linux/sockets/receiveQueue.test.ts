import { expect, it } from 'vitest';
import { FilesInFlight } from './message.js';
import { ReceiveQueue } from './receiveQueue.js';

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const bytes = (value: string): Uint8Array => new Uint8Array(Buffer.from(value));

function read(queue: ReceiveQueue, room: number, peek = false, apart = false): string {
  const target = new Uint8Array(room);
  return text(target.subarray(0, queue.takeBytes(target, { peek, apart }).count));
}

it('reads a stream across segments', () => {
  const queue = new ReceiveQueue();
  queue.add({ bytes: bytes('abc') });
  queue.append(bytes('def'));
  queue.append(bytes('ghi'));
  expect(queue.size).toBe(9);
  expect(read(queue, 4, true)).toBe('abcd');
  expect(read(queue, 4)).toBe('abcd');
  expect(read(queue, 100)).toBe('efghi');
  expect(queue.isEmpty).toBe(true);
});

it('keeps messages apart, empty ones too', () => {
  const queue = new ReceiveQueue();
  for (const message of ['long one', '', 'x']) queue.add({ bytes: bytes(message) });
  const target = new Uint8Array(4);
  expect(queue.takeMessage(target, true)).toMatchObject({ count: 4, length: 8 });
  expect(queue.takeMessage(target, false)).toMatchObject({ count: 4, length: 8 });
  expect(queue.takeMessage(target, false)).toMatchObject({ count: 0, length: 0 });
  expect(queue.takeMessage(target, false)).toMatchObject({ count: 1, length: 1 });
  expect(queue.takeMessage(target, false)).toBeUndefined();
});

it('stops behind files, and gives them once', () => {
  const queue = new ReceiveQueue();
  const files = new FilesInFlight([]);
  queue.add({ bytes: bytes('one') });
  queue.add({ bytes: bytes('two'), files });
  queue.add({ bytes: bytes('three') });
  const target = new Uint8Array(5);
  expect(queue.takeBytes(target, { peek: false, apart: false })).toMatchObject({ count: 5, files });
  expect(queue.takeBytes(target, { peek: false, apart: false }).files).toBeUndefined();
});

it('does not mix senders if asked', () => {
  const queue = new ReceiveQueue();
  const sender = (pid: number): { pid: number; uid: number; gid: number } => ({ pid, uid: 0, gid: 0 });
  queue.add({ bytes: bytes('a'), credentials: sender(1) });
  queue.add({ bytes: bytes('b'), credentials: sender(1) });
  queue.add({ bytes: bytes('c'), credentials: sender(2) });
  expect(read(queue, 9, true)).toBe('abc');
  expect(read(queue, 9, false, true)).toBe('ab');
});

it('gives senders their room back when a segment is read or thrown away', () => {
  const queue = new ReceiveQueue();
  const gone: string[] = [];
  for (const name of ['a', 'b', 'c']) queue.add({ bytes: bytes('xx'), onGone: () => gone.push(name) });
  read(queue, 1);
  expect(gone).toEqual([]);
  read(queue, 2);
  expect(gone).toEqual(['a']);
  queue.clear();
  expect(gone).toEqual(['a', 'b', 'c']);
});

it('stays correct over many small segments', () => {
  const queue = new ReceiveQueue();
  let [put, got] = ['', ''];
  for (let i = 0; i < 2000; i++) {
    const piece = String(i);
    put += piece;
    queue.add({ bytes: bytes(piece) });
    if (i % 3 === 0) got += read(queue, 5);
  }
  got += read(queue, 100_000);
  expect(got).toBe(put);
});
