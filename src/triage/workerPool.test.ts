import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../base/errors.js';
import { CLEAN } from './testing/answers.js';
import type { TriageJob } from './triageJob.js';
import { type InputWorker, WorkerLost, WorkerPool } from './workerPool.js';

const job = (hash: string): TriageJob => ({ command: { program: '/a', args: [], directory: '/', limits: { seconds: 1, instructions: null, megabytes: 16 }, method: 'guards', repeat: 1 }, hash, path: `/in/${hash}` });
const tick = async (): Promise<void> => new Promise((go) => setImmediate(go));

/** A worker whose death `dies` decides, by the input and how often that was tried. */
function worker(dies: (hash: string, attempt: number) => boolean, attempts: Map<string, number>, alive: { now: number; most: number }): InputWorker {
  let isDead = false;
  return {
    async blame({ hash }) {
      if (isDead) throw new WorkerLost('it is dead');
      alive.now++;
      alive.most = Math.max(alive.most, alive.now);
      await tick();
      alive.now--;
      const attempt = (attempts.get(hash) ?? 0) + 1;
      attempts.set(hash, attempt);
      if (!dies(hash, attempt)) return [CLEAN];
      isDead = true;
      throw new WorkerLost(`out of memory with ${hash}`);
    },
    close: async () => undefined,
  };
}

describe('a pool of workers', () => {
  it('loses only the inputs that kill two workers, whichever die', async () => {
    await fc.assert(fc.asyncProperty(fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 4 }), async (deaths, count) => {
      const attempts = new Map<string, number>();
      const alive = { now: 0, most: 0 };
      const pool = new WorkerPool(count, () => worker((hash, attempt) => attempt <= (deaths[Number(hash)] ?? 0), attempts, alive));
      const results = await Promise.all(deaths.map((_, i) => pool.blame(job(String(i)))));
      await pool.close();
      expect(results).toEqual(deaths.map((times, i) => (times < 2 ? { hash: String(i), answers: [CLEAN] } : { hash: String(i), answers: [], lost: `out of memory with ${i}` })));
      expect(alive.most).toBeLessThanOrEqual(count);
      expect([...attempts.values()].every((times) => times <= 2)).toBe(true);
    }), { numRuns: 40 });
  });

  it('hands on what is a mistake of the user, and goes on', async () => {
    const pool = new WorkerPool(1, () => ({
      async blame({ hash }) {
        if (hash === 'bad') throw new UserError('no such program');
        return [CLEAN];
      },
      close: async () => undefined,
    }));
    await expect(pool.blame(job('bad'))).rejects.toThrow('no such program');
    expect(await pool.blame(job('good'))).toEqual({ hash: 'good', answers: [CLEAN] });
  });
});
