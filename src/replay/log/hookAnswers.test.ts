import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GUEST_SPACE_SIZE } from '../../layout/memoryMap.js';
import { countHookAnswers, HookAnswerQueue, HookAnswers } from './hookAnswers.js';

const view = fc.record({ tag: fc.integer({ min: 0x100, max: 0xffff }), high: fc.integer({ min: 0, max: 0xffff }), offset: fc.integer({ min: 0, max: GUEST_SPACE_SIZE - 1 }), size: fc.nat(1 << 20) })
  .map(({ tag, high, offset, size }) => ({ begin: tag * GUEST_SPACE_SIZE + offset, size, real: high * GUEST_SPACE_SIZE + offset }));
const call = fc.record({
  later: fc.integer({ min: 1, max: 2 ** 33 }), given: fc.nat(2 ** 31 - 1), hides: fc.constantFrom('nothing', 'given', 'other', 'counted'), shown: fc.option(view, { nil: undefined }), result: fc.option(fc.constant(5), { nil: undefined }),
});

it('answers are given again at their times, from anywhere on', () => {
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 30 }), fc.nat(), (calls, somewhere) => {
      const answers = new HookAnswers();
      let time = 0;
      const made = calls.map(({ later, given, hides, shown, result }) => {
        const hidden = { nothing: undefined, given, other: given + 1, counted: undefined }[hides];
        const answer = { result: result ?? shown?.begin ?? 0, hidden, shown, ...(hides === 'counted' ? { count: given * 3 } : {}) };
        answers.add((time += later), answer, given);
        return { time, given, answer };
      });
      const bytes = answers.take();
      expect(answers.any).toBe(false);
      expect(countHookAnswers(bytes)).toBe(made.length);
      const first = somewhere % made.length;
      const queue = new HookAnswerQueue(bytes, made[first]!.time);
      for (const one of made.slice(first)) {
        expect(queue.takeAt(one.time - 1, one.given)).toBeUndefined();
        expect(queue.takeAt(one.time, one.given)).toEqual(one.answer);
      }
      expect(queue.takeAt(time, 0)).toBeUndefined();
    }),
  );
});

it('what is usual takes few bytes', () => {
  const answers = new HookAnswers();
  const shown = { begin: 0x4473_77cd_1000, size: 40, real: 0x7fff_77cd_1000 };
  answers.add(1000, { result: shown.begin, hidden: undefined, shown }, 40);
  const before = answers.take().length;
  answers.add(1000, { result: shown.begin, hidden: undefined, shown }, 40);
  answers.add(1100, { result: 0, hidden: shown.begin, shown: undefined }, shown.begin);
  answers.add(1200, { result: shown.begin, hidden: undefined, shown }, 40);
  expect(answers.take().length - before).toBeLessThanOrEqual(10);
});
