import { expect, it } from 'vitest';
import { LINEAR_MEMORY_PAGES } from '../layout/memoryMap.js';
import { LinearMemory } from './linearMemory.js';

it('a memory that was made before us is taken, once', () => {
  const early = new WebAssembly.Memory({ initial: LINEAR_MEMORY_PAGES, maximum: LINEAR_MEMORY_PAGES });
  Object.assign(globalThis, { [Symbol.for('culprit.earlyMemory')]: early });
  expect(new LinearMemory().memory).toBe(early);
  expect(new LinearMemory().memory).not.toBe(early);
});
