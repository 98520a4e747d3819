import { beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { SyscallBench } from '../testing/syscallBench.js';
import { IPC } from './ipcObjects.js';
import { MessageQueue } from './messageQueue.js';
import { SemaphoreSet, type SemaphoreRequest, type UndoList } from './semaphoreSet.js';

const SEM_UNDO = 0x1000;
let bench: SyscallBench;
beforeEach(() => {
  bench = new SyscallBench();
});

function request(undo: UndoList, ...operations: readonly (readonly [number, number, number?])[]): SemaphoreRequest {
  return { undo, pid: 7, operations: operations.map(([index, change, flags = 0]) => ({ index, change, flags })) };
}

describe('semaphores', () => {
  it('do all operations or none, and serve who waits for zero first', () => {
    const set = new SemaphoreSet(bench.process, 1, 0o600, 2);
    const undo: UndoList = new Map();
    expect(set.perform(request(undo, [0, 1], [1, -1, IPC.NOWAIT]))).toBe(-E.AGAIN);
    expect(set.values).toEqual([0, 0]);
    set.setValues(0, [1, 0], 5);
    const served: string[] = [];
    const note = (name: string) => (result: number) => {
      served.push(name);
      return result;
    };
    const waits = [
      set.line.wait(bench.process, request(undo, [0, -2]), {}, note('two')),
      set.line.wait(bench.process, request(undo, [0, -1]), {}, note('one')),
      set.line.wait(bench.process, request(undo, [0, 0]), {}, note('zero')),
    ];
    expect([set.waitersFor(0, 'growth'), set.waitersFor(0, 'zero')]).toEqual([1, 1]);
    set.serve();
    expect(waits.map((wait) => wait.attempt())).toEqual([-E.AGAIN, 0, 0]);
    expect(served).toEqual(['one', 'zero']);
    set.setValues(0, [2], 5);
    expect(waits[0]?.attempt()).toBe(0);
  });

  it('give back what a process took with SEM_UNDO', () => {
    const set = new SemaphoreSet(bench.process, 1, 0o600, 1);
    set.setValues(0, [5], 1);
    const undo: UndoList = new Map();
    set.perform(request(undo, [0, -3, SEM_UNDO]));
    set.perform(request(undo, [0, 1, SEM_UNDO]));
    expect(set.values).toEqual([3]);
    set.undo(undo, 9);
    expect([set.values, set.pids]).toEqual([[5], [9]]);
  });

  it('forget who gave up waiting', () => {
    const set = new SemaphoreSet(bench.process, 1, 0o600, 1);
    const wait = set.line.wait(bench.process, request(new Map(), [0, -1]), {});
    wait.finish(-E.INTR);
    set.setValues(0, [1], 1);
    expect(set.values).toEqual([1]);
  });
});

describe('message queues', () => {
  const message = (type: number, length: number) => ({ pid: 1, message: { type, bytes: new Uint8Array(length) } });
  const reception = (type: number, largest = 100) => ({ type, flags: 0, largest, pid: 2, taken: undefined });

  it('hand a message to the first for whom it is', () => {
    const queue = new MessageQueue(bench.process, 1, 0o600);
    const [short, five, any] = [reception(0, 1), reception(5), reception(0)];
    const waits = [short, five, any].map((one) => queue.receivers.wait(bench.process, one, {}));
    expect(queue.send(message(4, 2), 0)).toBe(true);
    expect(waits.map((wait) => wait.attempt())).toEqual([-E['2BIG'], -E.AGAIN, 0]);
    expect(any.taken).toMatchObject({ type: 4 });
    expect(queue.count).toBe(0);
  });

  it('let senders in as there is room', () => {
    const queue = new MessageQueue(bench.process, 1, 0o600);
    expect(queue.send(message(1, 16_000), 0)).toBe(true);
    expect(queue.send(message(2, 1000), 0)).toBe(false);
    const wait = queue.senders.wait(bench.process, message(2, 1000), {});
    expect(queue.receive(reception(0, 20_000), 0)).toBe(0);
    expect([wait.attempt(), queue.count, queue.bytes]).toEqual([0, 1, 1000]);
    queue.remove();
  });
});
