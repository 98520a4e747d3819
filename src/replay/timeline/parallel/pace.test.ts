import { expect, it } from 'vitest';
import { timedPace } from './pace.js';

it('asks for help when the rest takes long at the present pace, not at that of the beginning', () => {
  let now = 0;
  const pace = timedPace(() => now);
  const after = (milliseconds: number, done: number, left: number): boolean => {
    now = milliseconds;
    return pace.needsHelp(done, left);
  };
  // Code is translated.
  expect(after(300, 1e6, 1e9)).toBe(false);
  expect(after(700, 200e6, 1e9)).toBe(false);
  expect(after(1000, 350e6, 1e9)).toBe(false);
  // Much is found from here on.
  expect(after(1100, 351e6, 1e9)).toBe(false);
  expect(after(1300, 353e6, 1e9)).toBe(true);
  expect(after(1300, 353e6, 1e6)).toBe(false);
});
