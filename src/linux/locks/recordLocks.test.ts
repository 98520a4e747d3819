import { describe, expect, it } from 'vitest';
import { type LockKind, RecordLocks } from './recordLocks.js';

const [me, you] = [{ name: 'me' }, { name: 'you' }];
const lock = (owner: object, kind: LockKind, start: number, end: number) => ({ owner, kind, start, end, pid: 1 });
const shown = (locks: RecordLocks, owner: object): string =>
  locks.ofOwner(owner).map(({ kind, start, end }) => `${kind} ${start}-${end}`).join(', ');

describe('record locks', () => {
  it('split, merge and replace each other', () => {
    const locks = new RecordLocks();
    locks.set(lock(me, 'read', 0, 99));
    locks.set(lock(me, 'write', 40, 59));
    expect(shown(locks, me)).toBe('read 0-39, write 40-59, read 60-99');
    locks.set(lock(me, 'read', 40, 59));
    expect(shown(locks, me)).toBe('read 0-99');
    locks.set(lock(me, 'read', 100, Infinity));
    expect(shown(locks, me)).toBe('read 0-Infinity');
    locks.clear(me, { start: 10, end: 19 });
    expect(shown(locks, me)).toBe('read 0-9, read 20-Infinity');
    locks.clear(me, { start: 0, end: Infinity });
    expect(locks.isEmpty).toBe(true);
  });

  it('conflict with those of others, unless both only read', () => {
    const locks = new RecordLocks();
    locks.set(lock(you, 'read', 10, 19));
    expect(locks.conflict(lock(me, 'read', 0, 99))).toBeUndefined();
    expect(locks.conflict(lock(me, 'write', 0, 9))).toBeUndefined();
    expect(locks.conflict(lock(me, 'write', 19, 30))).toMatchObject({ owner: you, start: 10, end: 19 });
    expect(locks.conflict(lock(you, 'write', 0, 99))).toBeUndefined();
    locks.clearAll(you);
    expect(locks.conflict(lock(me, 'write', 0, 99))).toBeUndefined();
  });
});
