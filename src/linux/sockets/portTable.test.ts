import { expect, it } from 'vitest';
import { E } from '../../base/errno.js';
import { ANY4, ANY6, type IpAddress, LOOPBACK4 } from './ipAddress.js';
import type { NetworkSettings } from './networkSettings.js';
import { type PortHolder, PortTable } from './portTable.js';

const SETTINGS = { firstEphemeralPort: 100, lastEphemeralPort: 103 } as NetworkSettings;

function holder(boundIp: IpAddress, more: Partial<PortHolder> = {}): PortHolder {
  return { boundIp, ipv6Only: false, reuseAddress: false, reusePort: false, ownerUid: 0, isListening: false, ...more };
}

function conflict(first: PortHolder, second: PortHolder, sharing: 'tcp' | 'udp' = 'tcp'): boolean {
  const table = new PortTable<PortHolder>(() => SETTINGS);
  table.add(first, 80);
  return table.conflicts(second, 80, sharing);
}

it('addresses that overlap are in conflict', () => {
  expect(conflict(holder(ANY4), holder(LOOPBACK4))).toBe(true);
  expect(conflict(holder(LOOPBACK4), holder(ANY4))).toBe(true);
  expect(conflict(holder(LOOPBACK4), holder('127.0.0.2' as IpAddress))).toBe(false);
  expect(conflict(holder(ANY6), holder(ANY4))).toBe(true);
  expect(conflict(holder(ANY6, { ipv6Only: true }), holder(ANY4))).toBe(false);
  expect(conflict(holder(ANY6), holder('fe80::1' as IpAddress))).toBe(true);
});

it('ports are shared by those who agree', () => {
  const reusing = { reuseAddress: true };
  expect(conflict(holder(ANY4, reusing), holder(ANY4))).toBe(true);
  expect(conflict(holder(ANY4, reusing), holder(ANY4, reusing))).toBe(false);
  expect(conflict(holder(ANY4, { ...reusing, isListening: true }), holder(ANY4, reusing))).toBe(true);
  expect(conflict(holder(ANY4, { ...reusing, isListening: true }), holder(ANY4, reusing), 'udp')).toBe(false);
  expect(conflict(holder(ANY4, { reusePort: true, isListening: true }), holder(ANY4, { reusePort: true }))).toBe(false);
  expect(conflict(holder(ANY4, { reusePort: true }), holder(ANY4, { reusePort: true, ownerUid: 5 }))).toBe(true);
});

it('free ports come in turn, until there are none', () => {
  const table = new PortTable<PortHolder>(() => SETTINGS);
  const taken: [PortHolder, number][] = [];
  for (let i = 0; i < 4; i++) {
    const one = holder(ANY4);
    const port = table.findFree();
    table.add(one, port);
    taken.push([one, port]);
  }
  expect(taken.map(([, port]) => port)).toEqual([100, 101, 102, 103]);
  expect(table.findFree()).toBe(-E.ADDRNOTAVAIL);
  table.remove(...(taken[2] as [PortHolder, number]));
  expect(table.findFree()).toBe(102);
});
