import { describe, expect, it } from 'vitest';
import { compile, VARIANTS } from './compiled.js';
import { compare } from './executed.js';

describe('every step that a program makes is an edge', () => {
  it.each(VARIANTS)('switches, %s', async (_, flags) => {
    const result = await compare([compile('switches.c', flags)]);
    expect(result.misses).toEqual([]);
    expect(result.steps).toBeGreaterThan(1000);
    console.log(_, result);
  });
});
