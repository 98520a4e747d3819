import { expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import { RIP, XMM } from '../../layout/cpuState.js';
import { anonymousMapping, PROT, type AddressSpace } from '../../machine/addressSpace.js';
import { newMachine } from '../../machine/machinePool.js';
import { type ComparableState, compareStates } from './compareStates.js';

const START = 0x1000_0000;

function space(pages: number): AddressSpace {
  const made = newMachine().space;
  made.map(anonymousMapping({ start: guestAddr(START), end: guestAddr(START + pages * 4096), prot: PROT.READ | PROT.WRITE }));
  return made;
}

function state(memory: AddressSpace, words: Uint32Array): ComparableState {
  return { spaces: new Map([['a', memory]]), threads: new Map([['one', words]]) };
}

it('finds changed bytes, as ranges, and changed registers', () => {
  const [first, second] = [space(4), space(3)];
  const [words, others] = [new Uint32Array(256), new Uint32Array(256)];
  first.write(START + 4090, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
  second.write(START + 4090, Uint8Array.of(1, 2, 9, 9, 9, 9, 9, 8));
  others[RIP.offset / 4 + 1] = 1;
  others[XMM[3]!.offset / 4 + 3] = 2;
  expect(compareStates(state(first, words), state(second, others))).toEqual({
    registers: [
      { thread: 'one', register: 'rip', values: [0n, 1n << 32n] },
      { thread: 'one', register: 'xmm3', values: [0n, 2n << 96n] },
    ],
    memory: [
      { space: 'a', start: START + 4092, end: START + 4097, kind: 'changed' },
      { space: 'a', start: START + 3 * 4096, end: START + 4 * 4096, kind: 'only in first' },
    ],
    onlyInFirst: [],
    onlyInSecond: [],
  });
});

it('finds no difference where nothing was written, and touches nothing', () => {
  const [first, second] = [space(4), space(4)];
  first.write(START, Uint8Array.of(0, 0));
  expect(compareStates(state(first, new Uint32Array(256)), state(second, new Uint32Array(256)))).toMatchObject({ registers: [], memory: [] });
  expect(second.isResident(START)).toBe(false);
});

it('says who is only in one of them', () => {
  const memory = space(1);
  const other = { spaces: new Map([['b', memory]]), threads: new Map([['one', new Uint32Array(256)], ['two', new Uint32Array(256)]]) };
  expect(compareStates(state(memory, new Uint32Array(256)), other)).toMatchObject({ onlyInFirst: ['a'], onlyInSecond: ['b', 'two'] });
});
