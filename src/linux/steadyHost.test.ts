import { expect, it } from 'vitest';
import { NodeHost } from '../host/nodeHost.js';
import { steadyHost } from './steadyHost.js';

it('has the same numbers and randomness every time', () => {
  const [one, two] = [steadyHost(new NodeHost(), () => undefined), steadyHost(new NodeHost(), () => undefined)];
  const [a, b] = [new Uint8Array(32), new Uint8Array(32)];
  one.random(a);
  two.random(b);
  expect(a).toEqual(b);
  expect(new Set(a).size).toBeGreaterThan(16);
  expect(one.identity.pid).toBe(20_000);
  expect(one.identity.parentPid).not.toBe(process.ppid);
  expect(one.identity.uid).toBe(process.getuid?.());
});

it('knows processes outside by their new numbers', () => {
  const host = new NodeHost();
  const sent: number[][] = [];
  Object.assign(host, { signals: { listen: () => () => {}, send: (pid: number, signal: number) => sent.push([pid, signal]) } });
  const steady = steadyHost(host, () => undefined);
  steady.signals.send(steady.identity.pid, 19);
  steady.signals.send(steady.identity.parentPid, 15);
  steady.signals.send(4_000_000, 1);
  expect(sent).toEqual([[host.identity.pid, 19], [host.identity.parentPid, 15], [4_000_000, 1]]);
});
