/** Where code ends in the middle of an instruction, the CPU faults on the page that is missing. */
import { expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { AddressSpace, anonymousMapping, PROT } from './addressSpace.js';
import { Cpu } from './cpu.js';
import { Engine } from './engine.js';
import { LinearMemory } from './linearMemory.js';

const CODE = 0x400000;
const END = CODE + 4096;

function runAt(address: number, bytes: readonly number[], nextPage: boolean) {
  const linear = new LinearMemory();
  const space = new AddressSpace(linear);
  const end = guestAddr(nextPage ? END + 4096 : END);
  space.map(anonymousMapping({ start: guestAddr(CODE), end, prot: PROT.READ | PROT.EXEC }));
  space.poke(address, Uint8Array.from(bytes));
  const cpu = new Cpu(linear);
  cpu.rip = guestAddr(address);
  const engine = new Engine(linear, cpu, space);
  return { stop: engine.run(2), cpu };
}

/** nop; mov eax, 5 */
const NOP_MOV = [0x90, 0xb8, 5, 0, 0, 0];

it('faults at the first byte that is missing, with rip at the instruction', () => {
  const { stop, cpu } = runAt(END - 3, NOP_MOV.slice(0, 3), false);
  expect(stop).toEqual({ kind: 'pageFault', address: BigInt(END), access: 'execute', mapped: false });
  expect(cpu.rip).toBe(END - 2);
});

it('executes instructions across pages', () => {
  const { stop, cpu } = runAt(END - 3, NOP_MOV, true);
  expect(stop).toEqual({ kind: 'budget' });
  expect(cpu.rip).toBe(END + 3);
});

it('faults at the page itself when control runs off its end', () => {
  const { stop } = runAt(END - 1, [0x90], false);
  expect(stop).toEqual({ kind: 'pageFault', address: BigInt(END), access: 'execute', mapped: false });
});
