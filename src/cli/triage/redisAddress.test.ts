import { describe, expect, it } from 'vitest';
import { redisAddress } from './redisAddress.js';

const read = (text: string, environment = {}): unknown => redisAddress('--queue', text, environment);

describe('addresses of Redis', () => {
  it('are URLs', () => {
    expect(read('redis://localhost')).toEqual({ host: 'localhost', port: 6379, db: 0, isEncrypted: false, shown: 'redis://localhost:6379' });
    expect(read('rediss://me:p%40ss@[::1]:7000/3')).toEqual({ host: '::1', port: 7000, db: 3, username: 'me', password: 'p@ss', isEncrypted: true, shown: 'rediss://[::1]:7000/3' });
    expect(read('redis://h', { CULPRIT_REDIS_PASSWORD: 'secret' })).toMatchObject({ password: 'secret', shown: 'redis://h:6379' });
  });

  it('are refused in one line that does not repeat what may be a password', () => {
    for (const text of ['http://secret@h', 'redis://', 'secret', 'redis://:secret@h/x', 'redis://:secret%ZZ@h', 'redis://:secret@h?a=b']) {
      expect(() => read(text)).toThrow(/^--queue: (?!.*secret)[^\n]*$/);
    }
  });
});
