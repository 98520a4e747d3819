import { describe, expect, it } from 'vitest';
import { type OpenCall, OpenCalls } from './openCalls.js';

const TOP = 0x7fff_0000;

function call(callee: string, slot: number, returnsTo: number): OpenCall {
  return { callees: [callee], slot, returnsTo, tid: 1, began: 0, blocksBefore: 0 };
}

describe('calls that are under way', () => {
  it('end where they return to, with the stack as it was, innermost first', () => {
    const open = new OpenCalls();
    open.begin(call('f', TOP, 0x100));
    open.begin(call('f', TOP - 64, 0x200));
    open.begin(call('f', TOP - 128, 0x200));
    expect(open.end(0x200, TOP - 128 + 8)?.slot).toBe(TOP - 128);
    expect(open.end(0x200, TOP - 64 + 8)?.slot).toBe(TOP - 64);
    expect(open.end(0x200, TOP - 64 + 8)).toBeUndefined();
    expect(open.end(0x100, TOP + 8)?.slot).toBe(TOP);
  });

  it('are not ended by another thread that comes by', () => {
    const open = new OpenCalls();
    open.begin(call('f', TOP, 0x100));
    expect(open.end(0x100, TOP - 400)).toBeUndefined();
    expect(open.end(0x104, TOP + 8)).toBeUndefined();
    expect(open.end(0x100, TOP + 8)?.callees).toEqual(['f']);
  });

  it('are given up where a jump past them lands, but not on another stack', () => {
    const open = new OpenCalls();
    open.begin(call('f', TOP, 0x100));
    open.begin(call('g', TOP - 0x4000_0000, 0x300));
    open.landed(TOP + 32);
    expect(open.end(0x100, TOP + 8)).toBeUndefined();
    expect(open.end(0x300, TOP - 0x4000_0000 + 8)?.callees).toEqual(['g']);
  });
});
