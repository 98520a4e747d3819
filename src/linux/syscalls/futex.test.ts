import { beforeEach, describe, expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { ERESTART } from '../signals/restart.js';
import { SIG } from '../../base/signalNumbers.js';
import { CLONE } from '../tasks/cloneRequest.js';
import type { Task } from '../tasks/task.js';
import { type Argument, SyscallBench } from '../testing/syscallBench.js';
import { Wait } from '../waiting.js';

const [WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, LOCK_PI, UNLOCK_PI, TRYLOCK_PI, WAIT_BITSET, WAKE_BITSET] = [0, 1, 3, 4, 5, 6, 7, 8, 9, 10];
const PRIVATE = 128;
const CLOCK_REALTIME = 256;
const THREAD_FLAGS = CLONE.VM | CLONE.FS | CLONE.FILES | CLONE.SIGHAND | CLONE.THREAD;

let bench: SyscallBench;
let word: number;
beforeEach(() => {
  bench = new SyscallBench();
  word = bench.allocate(16);
});

function thread(): Task {
  const tid = bench.call('clone', THREAD_FLAGS, 0x7000, 0, 0, 0);
  return bench.process.tasks.find((task) => task.tid === tid) as Task;
}

/** Makes the call as that thread, which is to wait in it. */
function sleepIn(task: Task, ...args: readonly Argument[]): Wait {
  const caller = bench.process.task;
  bench.process.actFor(task);
  const wait = bench.start('futex', ...args);
  bench.process.actFor(caller);
  if (!(wait instanceof Wait)) throw new TypeError(`does not wait: ${wait}`);
  task.sleep(202, wait);
  return wait;
}

function isAwake(task: Task): boolean {
  bench.world.waking.wakeTasks();
  return task.wait === undefined;
}

describe('waiting and waking', () => {
  it('fails if the word is not what it should be, or nowhere', () => {
    bench.space.writeU32(word, 7);
    expect(bench.call('futex', word, WAIT, 8, 0)).toBe(-E.AGAIN);
    expect(bench.call('futex', word + 1, WAIT, 7, 0)).toBe(-E.INVAL);
    expect(bench.call('futex', 0x1000, WAIT, 7, 0)).toBe(-E.FAULT);
    expect(bench.call('futex', word, WAIT_BITSET, 7, 0, 0, 0)).toBe(-E.INVAL);
    expect(bench.call('futex', word, WAIT | CLOCK_REALTIME, 7, 0)).toBe(-E.NOSYS);
    expect(bench.call('futex', word, 99, 7, 0)).toBe(-E.NOSYS);
  });

  it('wakes in order, and as many as it is told', () => {
    const tasks = [thread(), thread(), thread()] as const;
    for (const task of tasks) sleepIn(task, word, WAIT | PRIVATE, 0, 0);
    expect(tasks.map(isAwake)).toEqual([false, false, false]);
    expect(bench.call('futex', word, WAKE | PRIVATE, 2)).toBe(2);
    expect(tasks.map(isAwake)).toEqual([true, true, false]);
    expect(tasks[0].takeEndedCall()).toEqual({ number: 202, result: 0 });
    expect(bench.call('futex', word, WAKE | PRIVATE, 100)).toBe(1);
    expect(bench.call('futex', word, WAKE | PRIVATE, 100)).toBe(0);
  });

  it('wakes only who has a bit in common', () => {
    const [one, two] = [thread(), thread()];
    sleepIn(one, word, WAIT_BITSET, 0, 0, 0, 1);
    sleepIn(two, word, WAIT_BITSET, 0, 0, 0, 2);
    expect(bench.call('futex', word, WAKE_BITSET, 10, 0, 0, 2)).toBe(1);
    expect([isAwake(one), isAwake(two)]).toEqual([false, true]);
    expect(bench.call('futex', word, WAKE_BITSET, 10, 0, 0, 0)).toBe(-E.INVAL);
  });

  it('times out, at a relative time or an absolute one', async () => {
    const time = bench.allocate(16);
    bench.space.writeNum64(time + 8, 3_000_000);
    const began = bench.world.clock.now();
    expect(await bench.wait('futex', word, WAIT, 0, time)).toBe(-E.TIMEDOUT);
    expect(bench.world.clock.now()).toBe(began + 3_000_000);
    const { seconds, nanoseconds } = bench.world.clock.realtime();
    bench.space.writeNum64(time, seconds - 1);
    bench.space.writeNum64(time + 8, nanoseconds);
    expect(await bench.wait('futex', word, WAIT_BITSET | CLOCK_REALTIME, 0, time, 0, 0xffff_ffff)).toBe(-E.TIMEDOUT);
    expect(bench.call('futex', word, WAKE, 1)).toBe(0);
  });

  it('is interrupted by a signal, and goes on with its old deadline if no handler ran', async () => {
    const time = bench.allocate(16);
    bench.space.writeNum64(time, 5);
    setTimeout(() => bench.signals.raise(SIG.USR1), 5);
    expect(await bench.wait('futex', word, WAIT, 0, time)).toBe(-ERESTART.RESTARTBLOCK);
    expect(bench.call('futex', word, WAKE, 1)).toBe(0);
    const again = bench.start('restart_syscall') as Wait;
    expect(again.deadline).toBe(5e9);
  });
});

describe('waking and moving', () => {
  it('moves who is not woken to another futex', () => {
    const tasks = [thread(), thread(), thread(), thread()];
    for (const task of tasks) sleepIn(task, word, WAIT, 0, 0);
    expect(bench.call('futex', word, CMP_REQUEUE, 1, 2, word + 4, 9)).toBe(-E.AGAIN);
    expect(bench.call('futex', word, CMP_REQUEUE, 1, 2, word + 4, 0)).toBe(3);
    expect(tasks.map(isAwake)).toEqual([true, false, false, false]);
    expect(bench.call('futex', word + 4, WAKE, 10)).toBe(2);
    expect(tasks.map(isAwake)).toEqual([true, true, true, false]);
    expect(bench.call('futex', word, REQUEUE, 0, 5, word + 8)).toBe(1);
    expect(bench.call('futex', word, WAKE, 10)).toBe(0);
    expect(bench.call('futex', word, REQUEUE, -1, 5, word + 8)).toBe(-E.INVAL);
  });

  it.each([
    ['sets', 0, 5, 12, 12],
    ['adds', 1, 5, 12, 17],
    ['ors', 2, 5, 12, 13],
    ['clears', 3, 13, 12, 1],
    ['exclusive-ors', 4, 5, 12, 9],
    ['shifts first', 8 + 2, 1, 4, 17],
  ])('FUTEX_WAKE_OP %s', (_, operation, before, operand, after) => {
    bench.space.writeU32(word + 4, before);
    const encoded = (operation << 28) | (0 << 24) | (operand << 12) | before;
    const [one, two] = [thread(), thread()];
    sleepIn(one, word, WAIT, 0, 0);
    sleepIn(two, word + 4, WAIT, before, 0);
    expect(bench.call('futex', word, WAKE_OP, 1, 1, word + 4, encoded >>> 0)).toBe(2);
    expect(bench.space.readU32(word + 4)).toBe(after);
  });
});

describe('with priority inheritance', () => {
  it('hands the lock to who waits first', () => {
    const [one, two] = [thread(), thread()];
    const me = bench.process.tid;
    expect(bench.call('futex', word, UNLOCK_PI)).toBe(-E.PERM);
    expect(bench.call('futex', word, LOCK_PI, 0, 0)).toBe(0);
    expect(bench.space.readU32(word)).toBe(me);
    expect(bench.call('futex', word, LOCK_PI, 0, 0)).toBe(-E.DEADLK);
    for (const task of [one, two]) sleepIn(task, word, LOCK_PI, 0, 0);
    expect(bench.space.readU32(word)).toBe((me | 0x8000_0000) >>> 0);
    expect(bench.call('futex', word, UNLOCK_PI)).toBe(0);
    expect(bench.space.readU32(word)).toBe((one.tid | 0x8000_0000) >>> 0);
    expect([isAwake(one), isAwake(two)]).toEqual([true, false]);
    expect(bench.call('futex', word, TRYLOCK_PI)).toBe(-E.AGAIN);
    bench.process.actFor(one);
    bench.call('futex', word, UNLOCK_PI);
    expect(bench.space.readU32(word)).toBe(two.tid);
  });

  it('tells the heir that the owner died', () => {
    const [owner, heir] = [thread(), thread()];
    bench.space.writeU32(word, owner.tid);
    sleepIn(heir, word, LOCK_PI, 0, 0);
    bench.process.actFor(owner);
    expect(bench.start('exit', 0)).toBe('noreturn');
    expect(bench.space.readU32(word)).toBe(heir.tid | 0x4000_0000);
    expect(isAwake(heir)).toBe(true);
  });

  it('fails if there is no owner', () => {
    bench.space.writeU32(word, 12345);
    expect(bench.call('futex', word, LOCK_PI, 0, 0)).toBe(-E.SRCH);
  });
});

describe('the end of a thread', () => {
  it('clears its number, and wakes who joins it', () => {
    const joined = bench.allocate(16);
    const flags = THREAD_FLAGS | CLONE.PARENT_SETTID | CLONE.CHILD_CLEARTID;
    const tid = bench.call('clone', flags, 0x7000, joined, joined, 0);
    expect(bench.space.readU32(joined)).toBe(tid);
    const task = bench.process.tasks.find((one) => one.tid === tid) as Task;
    const joiner = thread();
    sleepIn(joiner, joined, WAIT, tid, 0);
    bench.process.actFor(task);
    bench.start('exit', 0);
    expect(bench.space.readU32(joined)).toBe(0);
    expect(isAwake(joiner)).toBe(true);
    expect(bench.process.tasks).not.toContain(task);
  });

  it('walks the robust list', () => {
    const dying = thread();
    const [head, entry, pending] = [bench.allocate(32), bench.allocate(32), bench.allocate(32)];
    bench.space.writeNum64(head, entry);
    bench.space.writeNum64(head + 8, 16);
    bench.space.writeNum64(head + 16, pending);
    bench.space.writeNum64(entry, head);
    bench.space.writeU32(entry + 16, (dying.tid | 0x8000_0000) >>> 0);
    bench.space.writeU32(pending + 16, dying.tid);
    const waiter = thread();
    sleepIn(waiter, entry + 16, WAIT, (dying.tid | 0x8000_0000) >>> 0, 0);
    bench.process.actFor(dying);
    expect(bench.call('set_robust_list', head, 23)).toBe(-E.INVAL);
    expect(bench.call('set_robust_list', head, 24)).toBe(0);
    bench.start('exit', 0);
    expect(bench.space.readU32(entry + 16)).toBe(0xc000_0000);
    expect(bench.space.readU32(pending + 16)).toBe(0x4000_0000);
    expect(isAwake(waiter)).toBe(true);
  });

  it('survives a robust list that leads nowhere', () => {
    const dying = thread();
    dying.robustList = { head: 0x1000, length: 24 };
    bench.process.actFor(dying);
    expect(bench.start('exit', 0)).toBe('noreturn');
    expect(dying.ended).toBe(true);
  });
});

describe('clone', () => {
  it('refuses flags that do not go together', () => {
    expect(bench.call('clone', CLONE.THREAD, 0, 0, 0, 0)).toBe(-E.INVAL);
    expect(bench.call('clone', CLONE.SIGHAND, 0, 0, 0, 0)).toBe(-E.INVAL);
    expect(bench.call('clone', CLONE.THREAD | CLONE.SIGHAND, 0, 0, 0, 0)).toBe(-E.INVAL);
    const args = bench.allocate(88);
    expect(bench.call('clone3', args, 63)).toBe(-E.INVAL);
    expect(bench.call('clone3', args, 5000)).toBe(-E['2BIG']);
    bench.space.writeNum64(args + 40, 0x1000);
    expect(bench.call('clone3', args, 88)).toBe(-E.INVAL);
  });

  it('gives the thread its stack, its thread pointer and the mask of its maker', () => {
    bench.signals.thread.blocked = 5n;
    const args = bench.allocate(88);
    bench.space.writeNum64(args, THREAD_FLAGS | CLONE.SETTLS);
    bench.space.writeNum64(args + 40, 0x10000);
    bench.space.writeNum64(args + 48, 0x2000);
    bench.space.writeNum64(args + 56, 0x7777);
    const tid = bench.call('clone3', args, 88);
    const task = bench.process.tasks.find((one) => one.tid === tid) as Task;
    const view = new DataView(task.registers.buffer);
    expect([view.getUint32(32, true), view.getUint32(176, true), view.getUint32(0, true)]).toEqual([0x12000, 0x7777, 0]);
    expect(task.signals.blocked).toBe(5n);
  });
});
