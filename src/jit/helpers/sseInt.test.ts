/** The string comparison against a model that follows the manual element by element. */
import { describe, expect, it } from 'vitest';
import { STATE_BASE } from '../../layout/memoryMap.js';
import type { HelperDef } from '../emit.js';
import { buildHelpers, type HelperFn } from '../softfloat/helperTesting.js';
import { SSE_INT_HELPERS } from './sseInt.js';

/** JavaScript cannot pass vectors: this takes them from memory. */
function fromMemory(name: string): HelperDef {
  return {
    name: `test.${name}`, params: ['i32', 'i32', 'i32'], results: ['i32'],
    build(code, helper) {
      code.i32(STATE_BASE).mem('v128.load', 0).i32(STATE_BASE).mem('v128.load', 16);
      code.get(0).get(1).get(2).call(helper(name));
    },
  };
}

const wasm = buildHelpers([...SSE_INT_HELPERS, ...SSE_INT_HELPERS.map((h) => fromMemory(h.name))]);

function elements(bytes: readonly number[], control: number): number[] {
  const view = new DataView(Uint8Array.from(bytes).buffer);
  const signed = (control & 2) !== 0;
  return control & 1
    ? Array.from({ length: 8 }, (_, i) => (signed ? view.getInt16(i * 2, true) : view.getUint16(i * 2, true)))
    : Array.from({ length: 16 }, (_, i) => (signed ? view.getInt8(i) : view.getUint8(i)));
}

/** IntRes2, by the pseudo-code of the manual (SDM volume 2, 4.1). */
function model(x: number[], y: number[], lengthX: number, lengthY: number, control: number): number {
  const n = x.length;
  const aggregation = (control >> 2) & 3;
  const equal = (i: number, j: number): boolean => {
    const [vx, vy] = [i < lengthX, j < lengthY];
    if (vx && vy) return x[i] === y[j];
    if (aggregation < 2) return false;
    return aggregation === 2 ? !vx && !vy : !vx;
  };
  const inRange = (i: number, j: number): boolean => i + 1 < lengthX && j < lengthY && y[j]! >= x[i]! && y[j]! <= x[i + 1]!;
  const all = x.map((_, i) => i);
  const bit = (j: number): boolean => {
    if (aggregation === 0) return all.some((i) => equal(i, j));
    if (aggregation === 1) return all.some((i) => i % 2 === 0 && inRange(i, j));
    if (aggregation === 2) return equal(j, j);
    return all.every((i) => i + j >= n || equal(i, i + j));
  };
  const negated = (j: number): boolean => (control & 0x30) === 0x10 || ((control & 0x30) === 0x30 && j < lengthY);
  return all.reduce((bits, j) => bits | (bit(j) !== negated(j) ? 1 << j : 0), 0);
}

/** A small linear congruential generator: the same cases every time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 0x1_0000_0000) * below);
  };
}

describe('pcmpstr', () => {
  it.each(Array.from({ length: 64 }, (_, control) => control))('control byte %i', (control) => {
    const next = numbers(control + 1);
    const count = control & 1 ? 8 : 16;
    const helper = wasm.call[control & 1 ? 'test.pcmpstr.words' : 'test.pcmpstr.bytes'] as HelperFn;
    // Few different bytes, so that matches happen; 0x80 and 0xff tell signed from unsigned.
    const alphabet = [0, 1, 2, 3, 0x80, 0xff];
    for (let round = 0; round < 60; round++) {
      const [x, y] = [0, 1].map(() => Array.from({ length: 16 }, () => alphabet[next(round % 2 ? 3 : 6)]!)) as [number[], number[]];
      const [lengthX, lengthY] = [round % 5 === 0 ? next(4) : next(count + 1), round % 7 === 0 ? count : next(count + 1)];
      [...x, ...y].forEach((byte, i) => wasm.state.setUint8(i, byte));
      const expected = model(elements(x, control), elements(y, control), lengthX, lengthY, control);
      expect(helper(lengthX, lengthY, control), `${x} / ${y}, ${lengthX}, ${lengthY}`).toBe(expected);
    }
  });
});
