import { describe, expect, it } from 'vitest';
import { guestAddr } from '../base/types.js';
import { RAX, RBX } from '../layout/cpuState.js';
import { IrBuilder } from './builder.js';
import type { Block, End, Value } from './ir.js';
import { verifyBlock } from './verify.js';

const AT = guestAddr(0x1000);
const NEXT = guestAddr(0x1004);

function block(build: (b: IrBuilder) => End | void): Block {
  const b = new IrBuilder(AT);
  b.insn(AT);
  return b.finish(build(b) ?? { kind: 'jump', target: NEXT }, NEXT);
}

describe('verifyBlock', () => {
  it('accepts a good block', () => {
    expect(verifyBlock(block((b) => {
      const value = b.opImm('load64', 8, b.get(RAX));
      b.set(RBX, value);
    }))).toEqual([]);
  });

  it('finds arguments of the wrong type, missing and superfluous', () => {
    expect(verifyBlock(block((b) => void b.op('trapIf', b.get(RAX))))[0]).toContain('is i64, not i32');
    expect(verifyBlock(block((b) => void b.op('trapIf')))[0]).toContain('not defined before');
    expect(verifyBlock(block((b) => void b.op('trapIf', 99 as Value)))[0]).toContain('not defined before');
    expect(verifyBlock(block((b) => void b.op('trapIf', b.i32(1), b.i32(2))))[0]).toContain('should be absent');
  });

  it('finds changes of state before a fault', () => {
    const twoStores = (probe: boolean) => block((b) => {
      const at = b.get(RAX);
      if (probe) b.opImm('probeWrite', 16, at);
      b.opImm('store64', 0, at, at);
      b.opImm('store64', 8, at, at);
    });
    expect(verifyBlock(twoStores(false))).toEqual([expect.stringContaining('may fault after state has changed')]);
    expect(verifyBlock(twoStores(true))).toEqual([]);
    expect(verifyBlock(block((b) => {
      b.set(RBX, b.get(RAX));
      b.opImm('load64', 0, b.get(RAX));
    }))).toHaveLength(1);
  });

  it('starts afresh with every instruction', () => {
    expect(verifyBlock(block((b) => {
      b.set(RBX, b.get(RAX));
      b.insn(NEXT);
      b.opImm('load64', 0, b.get(RAX));
    }))).toEqual([]);
  });

  it('checks the end', () => {
    expect(verifyBlock(block((b) => ({ kind: 'indirect', target: b.i32(1), via: 'jump' })))).toEqual([expect.stringContaining('is i32, not i64')]);
  });
});
