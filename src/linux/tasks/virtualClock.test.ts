import { expect, it } from 'vitest';
import type { HostClock } from '../../host/host.js';
import { VirtualClock } from './virtualClock.js';

function clockAt(seconds: number, nanoseconds: number): VirtualClock {
  const time = { seconds, nanoseconds };
  const host: Pick<HostClock, 'realtime' | 'monotonic' | 'boottime'> = {
    realtime: () => time, monotonic: () => ({ seconds: 100, nanoseconds: 0 }), boottime: () => ({ seconds: 200, nanoseconds: 5 }),
  };
  return new VirtualClock(host as HostClock);
}

it('moves only when told to', () => {
  const clock = clockAt(1_700_000_000, 10);
  expect(clock.now()).toBe(0);
  clock.advance(20);
  expect(clock.now()).toBe(20);
  expect(clock.realtime()).toEqual({ seconds: 1_700_000_001, nanoseconds: 20 });
  expect(clock.monotonic()).toEqual({ seconds: 100, nanoseconds: 20 });
  clock.advance(3e9);
  expect(clock.boottime()).toEqual({ seconds: 203, nanoseconds: 20 });
});

it('has time stamps that always grow, and follow the time', () => {
  const clock = clockAt(0, 0);
  const first = clock.timeStamp();
  const second = clock.timeStamp();
  expect(second).toBeGreaterThan(first);
  clock.advance(1e6);
  expect(clock.timeStamp()).toBe((100e9 + 1e6) * 2);
});
