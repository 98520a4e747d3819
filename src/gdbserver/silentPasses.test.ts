import { describe, expect, it } from 'vitest';
import type { Debuggee } from './debuggee.js';
import { SilentPasses } from './silentPasses.js';

const [FUNCTION_RETURN, ELSEWHERE, THREAD, STACK] = [0x401634, 0x401700, 7, 0x7000n];

/** A thread whose stack has the return address. */
function debuggee(): Debuggee {
  const read = (_thread: number, _address: number, size: number): Uint8Array | null => {
    if (size > 4096) return null;
    const bytes = new Uint8Array(size);
    new DataView(bytes.buffer).setBigUint64(64, BigInt(FUNCTION_RETURN), true);
    return bytes;
  };
  return { state: { register: () => STACK, read } } as unknown as Debuggee;
}

/** After so many hits that the client passed, each at another depth. */
function limitAfter(passes: SilentPasses, count: number, address: number): bigint | undefined {
  let limit = passes.goes(debuggee(), THREAD);
  for (let i = 0; i < count; i++) {
    passes.hasStopped({ address, thread: THREAD, stack: 0x6000n - BigInt(i % 4) * 64n });
    limit = passes.goes(debuggee(), THREAD);
  }
  return limit?.stack;
}

describe('breakpoints that the client passes without a word', () => {
  it('are passed here when that has become a habit', () => {
    const passes = new SilentPasses();
    passes.hasInserted(FUNCTION_RETURN);
    expect(limitAfter(passes, 10, FUNCTION_RETURN)).toBeUndefined();
    expect(limitAfter(passes, 20, FUNCTION_RETURN)).toBe(0x6001n);
  });

  it('are not if they may be the user\'s: there before, or where nothing returns to', () => {
    const passes = new SilentPasses();
    passes.hasInserted(FUNCTION_RETURN);
    passes.hasInserted(ELSEWHERE);
    expect(limitAfter(passes, 40, ELSEWHERE)).toBeUndefined();
    passes.begin();
    passes.hasInserted(FUNCTION_RETURN);
    expect(limitAfter(passes, 40, FUNCTION_RETURN)).toBeUndefined();
  });

  it('are not if another stop comes in between', () => {
    const passes = new SilentPasses();
    passes.hasInserted(FUNCTION_RETURN);
    for (let round = 0; round < 5; round++) {
      expect(limitAfter(passes, 10, FUNCTION_RETURN)).toBeUndefined();
      passes.hasStopped(undefined);
    }
  });
});
