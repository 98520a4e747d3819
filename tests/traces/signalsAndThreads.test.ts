/** What the recording says about signals and threads, and the state of several threads at one time. */
import { expect, it } from 'vitest';
import { compile, executionOf } from './recordedExecution.js';

it('signals are there with their names, whether they are handled, and where they came', async () => {
  const execution = await executionOf([compile('signals.c')]);
  const signals = (await execution.signals().toArray()).map(({ value }) => value);
  expect(execution.cost).toBe(0);
  expect(signals.map(({ signal }) => signal)).toEqual([
    { name: 'SIGUSR1', number: 10, handled: true }, { name: 'SIGUSR1', number: 10, handled: true }, { name: 'SIGTERM', number: 15, handled: false },
  ]);
  expect(await execution.signals('SIGTERM').length).toBe(1);
  // Each before its handler has run.
  expect(signals.map((s) => s.readVar('seen').number)).toEqual([0, 10, 20]);
  expect(signals[1]?.backtrace().map((frame) => frame.function)).toContain('main');
  const handled = await execution.breakpoints('handle').toArray();
  expect(handled.map(({ time }, i) => time > (signals[i]?.time ?? Infinity))).toEqual([true, true]);
});

it('a snapshot of one thread leads to the others at the same time', async () => {
  const execution = await executionOf([compile('race.c')]);
  const [main, ...others] = (await execution.threads().filter(({ change }) => change === 'start').toArray()).map(({ value }) => value.threadId);
  const first = (await execution.breakpoints('careless').first())!.value;
  expect(others).toContain(first.threadId);
  expect(first.backtrace()[0]?.function).toBe('careless');
  const waiting = first.of(main!);
  expect([waiting.time, waiting.threadId]).toEqual([first.time, main]);
  expect(waiting.backtrace().map((frame) => frame.function)).toContain('main');
  expect(() => first.of(1)).toThrow('no thread 1 at time');
});

it('values of pointers lead to what they point to, by name and by number', async () => {
  const execution = await executionOf([compile('calls.c')]);
  const { value } = (await execution.breakpoints('foo').first())!;
  const origin = value.readVar('origin');
  expect(origin.field('next').deref().field('x').number).toBe(origin.field('x').number);
  expect(origin.field('next').number).toBe(origin.addressOf());
  expect(origin.field('next').field('y').bigint).toBe(BigInt(origin.field('y').number));
});
