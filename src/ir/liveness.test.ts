import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { RAX, RBX } from '../layout/cpuState.js';
import { IrBuilder } from './builder.js';
import type { Block } from './ir.js';
import { Liveness } from './liveness.js';
import { OPS } from './ops.js';

/** rax = 1; load [rbx]; rax = 2 */
function twoWrites(): Block {
  const b = new IrBuilder(guestAddr(0x1000));
  const address = b.get(RBX);
  b.set(RAX, b.i64(1));
  b.opImm('load64', 0, address);
  b.set(RAX, b.i64(2));
  return b.finish({ kind: 'jump', target: guestAddr(0x2000) }, guestAddr(0x1010));
}

/** Of each `set`: whether it is needed. */
function neededSets(live: Liveness, block: Block): boolean[] {
  return block.nodes.flatMap(({ op }, i) => (OPS[op]?.effect === 'set' ? [live.needed[i] === 1] : []));
}

describe('Liveness', () => {
  it('keeps what a load that may stop would show', () => {
    const block = twoWrites();
    const live = new Liveness();
    live.analyse(block);
    expect(neededSets(live, block)).toEqual([true, true]);
  });

  it('drops what is overwritten before anybody can look', () => {
    const b = new IrBuilder(guestAddr(0x1000));
    b.set(RAX, b.i64(1));
    b.set(RAX, b.i64(2));
    const block = b.finish({ kind: 'jump', target: guestAddr(0x2000) }, guestAddr(0x1010));
    const live = new Liveness();
    live.analyse(block);
    expect(neededSets(live, block)).toEqual([false, true]);
  });

  it('has forgotten the block before, whatever their sizes', () => {
    const live = new Liveness();
    const b = new IrBuilder(guestAddr(0x1000));
    let value = b.get(RBX);
    for (let i = 0; i < 400; i++) value = b.op('i64.add', b.op('i64.xor', value, b.i64(i)), b.get(RAX));
    b.set(RAX, value);
    const large = b.finish({ kind: 'jump', target: guestAddr(0x2000) }, guestAddr(0x1010));
    const small = twoWrites();
    for (const block of [small, large, small]) {
      live.analyse(block);
      const fresh = new Liveness();
      fresh.analyse(block);
      const count = block.nodes.length;
      expect(live.needed.slice(0, count)).toEqual(fresh.needed.slice(0, count));
      expect(live.uses.slice(0, count)).toEqual(fresh.uses.slice(0, count));
      expect(live.lastUse.slice(0, count)).toEqual(fresh.lastUse.slice(0, count));
    }
  });
});
