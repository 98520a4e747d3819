import { expect, it } from 'vitest';
import { Progress } from './progress.js';

/** What is shown of these reports, a second after the other. */
function shown(parts: readonly (number | undefined)[]): string[] {
  let now = 0;
  const lines: string[] = [];
  const progress = new Progress('searching', true, { isTerminal: true, now: () => now, write: (text) => void lines.push(text.replace('\r\u001b[Kculprit: searching: ', '')) });
  for (const part of parts) {
    now += 1000;
    progress.report(part);
  }
  return lines;
}

it('says nothing of what is soon over, and then how much is done', () => {
  expect(shown([0.1, 0.2, 0.25, 0.5, 1, 1.1])).toEqual(['20%', '25%', '50%', '100%', '100%']);
});

it('never goes backward: when another part begins, it shows how long it has taken', () => {
  expect(shown([0, 0.9, 0.95, 0.1, 0.5, 0.99])).toEqual(['90%', '95%', '4 s', '5 s', '6 s']);
  expect(shown([0, undefined, undefined, 0.2])).toEqual(['2 s', '3 s', '4 s']);
});

it('what was over before anything was shown does not count', () => {
  expect(shown([0.99, 0.1, 0.2, 0.3])).toEqual(['10%', '20%', '30%']);
});
