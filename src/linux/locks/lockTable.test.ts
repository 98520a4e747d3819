import { describe, expect, it } from 'vitest';
import { type LockableFile, LockTable, type LockingTable } from './lockTable.js';
import type { RecordLock } from './recordLocks.js';

class TestFile implements LockableFile {
  private listener = (): void => {};
  constructor(private readonly inode: bigint) {}
  stat(): { device: bigint; inode: bigint } {
    return { device: 1n, inode: this.inode };
  }
  whenClosed(listener: () => void): void {
    this.listener = listener;
  }
  close(): void {
    this.listener();
  }
}

const process = (): LockingTable => ({ onClose: undefined });
const write = <T extends object>(owner: T, start = 0, end = Infinity): RecordLock & { owner: T } => ({ kind: 'write', owner, start, end, pid: 1 });

describe('locks of processes', () => {
  it('go with any descriptor of the file', () => {
    const table = new LockTable();
    const [me, you] = [process(), process()];
    const [first, second] = [new TestFile(7n), new TestFile(7n)];
    table.takeForProcess(first, write(me));
    expect(table.conflict(second, write(you))).toBeDefined();
    me.onClose?.(new TestFile(8n));
    expect(table.conflict(second, write(you))).toBeDefined();
    me.onClose?.(second);
    expect(table.conflict(second, write(you))).toBeUndefined();
  });

  it('do not wait in a circle', () => {
    const table = new LockTable();
    const [a, b, c] = [process(), process(), process()];
    const file = new TestFile(7n);
    [a, b, c].forEach((owner, i) => table.takeForProcess(file, write(owner, i, i)));
    expect(table.wouldDeadlock(file, write(a, 1, 1))).toBe(false);
    table.startWaiting(file, write(a, 1, 1));
    const stop = table.startWaiting(file, write(b, 2, 2));
    expect(table.wouldDeadlock(file, write(c, 0, 0))).toBe(true);
    stop();
    expect(table.wouldDeadlock(file, write(c, 0, 0))).toBe(false);
  });
});

describe('locks of open files', () => {
  it('stand against those of processes, and go with the file', () => {
    const table = new LockTable();
    const [file, other] = [new TestFile(7n), new TestFile(7n)];
    table.takeForFile(file, write(file, 0, 9));
    expect(table.conflict(other, write(process()))).toMatchObject({ start: 0, end: 9 });
    expect(table.conflict(other, write(other))).toBeDefined();
    file.close();
    expect(table.conflict(other, write(other))).toBeUndefined();
  });

  it('of flock are apart, shared or not, and lost in a vain exchange', () => {
    const table = new LockTable();
    const [file, other] = [new TestFile(7n), new TestFile(7n)];
    table.takeForFile(other, write(other));
    expect([table.takeFlock(file, 'read'), table.takeFlock(other, 'read')]).toEqual([true, true]);
    expect(table.takeFlock(file, 'write')).toBe(false);
    expect(table.takeFlock(other, 'write')).toBe(true);
    other.close();
    expect(table.takeFlock(file, 'write')).toBe(true);
  });
});
