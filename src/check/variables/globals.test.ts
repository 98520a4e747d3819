import { expect, it } from 'vitest';
import { guestAddr } from '../../base/types.js';
import type { Process } from '../../linux/process.js';
import { AddressSpace, anonymousMapping, PROT } from '../../machine/addressSpace.js';
import { LinearMemory } from '../../machine/linearMemory.js';
import { isGlobalAddress } from '../../layout/viewAddresses.js';
import type { GlobalPointers } from './globalPointers.js';
import { Globals } from './globals.js';

const [CODE, DATA, RELOCATIONS, TABLE] = [0x5555_5555_5000, 0x5555_5555_8000, 0x5555_5555_4000, 0x5555_5000_0000];
const VARIABLE = { name: 'row', address: DATA + 64, size: 32, isAggregate: true, elementSize: 4, isRow: true, declared: undefined, isPlain: true };
const POINTERS: GlobalPointers = { variables: [{ variable: VARIABLE, instructions: [{ at: CODE, offset: 0 }, { at: CODE + 7, offset: 32 }], addends: [{ at: RELOCATIONS, offset: 32 }] }], bias: 0x5555_5555_4000 };

function machine(mapsTable = true): { readonly process: Process; readonly space: AddressSpace } {
  const space = new AddressSpace(new LinearMemory());
  for (const start of [CODE, DATA, RELOCATIONS]) map(space, start);
  load(space);
  const mmap = ({ address }: { address: number }): number => (address === 0 || !mapsTable ? -12 : map(space, TABLE));
  return { space, process: { space, memory: { mmap, munmap: () => 0 } } as unknown as Process };
}

function map(space: AddressSpace, start: number): number {
  space.map(anonymousMapping({ start: guestAddr(start), end: guestAddr(start + 4096), prot: PROT.READ | PROT.WRITE }));
  return start;
}

/**
 * `lea rax, [rip + row]; lea rax, [rip + row + 32]`, and the addend of a relocation to its end: as they are in the
 * file.
 */
function load(space: AddressSpace): void {
  const code = new Uint8Array(14);
  const view = new DataView(code.buffer);
  for (const [at, target] of [[0, VARIABLE.address], [7, VARIABLE.address + 32]] as const) {
    code.set([0x48, 0x8d, 0x05], at);
    view.setInt32(at + 3, target - (CODE + at + 7), true);
  }
  space.poke(CODE, code);
  space.poke(RELOCATIONS, word(VARIABLE.address + 32 - POINTERS.bias));
}

function word(value: number): Uint8Array {
  return new Uint8Array(BigUint64Array.of(BigInt(value)).buffer);
}

/** It may be negative: what is added to it is not. */
function numberAt(space: AddressSpace, at: number): number {
  const bytes = space.peek(at, 8) as Uint8Array;
  return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(0, true));
}

/** What the instruction at an address puts into its register. */
function pointerFrom(space: AddressSpace, at: number): number {
  const code = space.peek(at, 7) as Uint8Array;
  const target = at + 7 + new DataView(code.buffer, code.byteOffset).getInt32(3, true);
  return code[1] === 0x8d ? target : space.readNum64(target);
}

it('all pointers to a variable lead to its view', () => {
  const { process, space } = machine();
  const globals = new Globals();
  globals.move(process, POINTERS);
  const begin = globals.viewOf(VARIABLE) ?? 0;
  expect(isGlobalAddress(begin)).toBe(true);
  expect([pointerFrom(space, CODE), pointerFrom(space, CODE + 7)]).toEqual([begin, begin + 32]);
  expect(numberAt(space, RELOCATIONS) + POINTERS.bias).toBe(begin + 32);
  expect([space.resolve(begin + 28, 4, 'read').ok, space.resolve(begin + 32, 1, 'read').ok, space.resolve(begin - 1, 1, 'read').ok]).toEqual([true, false, false]);
  expect(globals.of(begin + 40)).toMatchObject({ begin, size: 32, real: VARIABLE.address, variable: 'row' });
});

it('a file that has been seen to is left as it is', () => {
  const { process, space } = machine();
  const globals = new Globals();
  globals.move(process, POINTERS);
  const begin = globals.viewOf(VARIABLE) as number;
  globals.move(process, POINTERS);
  expect([globals.viewOf(VARIABLE), pointerFrom(space, CODE), space.resolve(begin, 4, 'read').ok]).toEqual([begin, begin, true]);
});

it('a file that is mapped again gets other views, and the old ones are gone', () => {
  const { process, space } = machine();
  const globals = new Globals();
  globals.move(process, POINTERS);
  const before = globals.viewOf(VARIABLE) as number;
  load(space);
  globals.move(process, POINTERS);
  const after = globals.viewOf(VARIABLE) as number;
  expect(after).not.toBe(before);
  expect([space.resolve(before, 4, 'read').ok, space.resolve(after, 4, 'read').ok, pointerFrom(space, CODE)]).toEqual([false, true, after]);
});

it('nothing is changed where there is no room for a table', () => {
  const { process, space } = machine(false);
  const globals = new Globals();
  globals.move(process, POINTERS);
  expect([globals.viewOf(VARIABLE), pointerFrom(space, CODE)]).toEqual([undefined, VARIABLE.address]);
});
