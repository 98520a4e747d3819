import { describe, expect, it } from 'vitest';
import { DEEPEST_JSON, parseJson } from './json.js';

describe('JSON from anywhere', () => {
  it('is parsed as always', () => {
    for (const value of [null, 1, 'a', '[[[', '"\\"[', [], {}, { a: [{ b: '}\\' }] }, Array.from({ length: 1000 }, () => [{}])]) expect(parseJson(JSON.stringify(value))).toEqual(value);
    expect(parseJson('{"a":1}', (_, value) => (value === 1 ? 2 : value))).toEqual({ a: 2 });
    expect(() => parseJson('[')).toThrow(SyntaxError);
  });

  it('is refused if it is deeper than anything that is meant seriously', () => {
    const nested = (open: string, inner: string, close: string, depth: number): string => open.repeat(depth) + inner + close.repeat(depth);
    expect(() => parseJson(nested('[', '', ']', DEEPEST_JSON))).not.toThrow();
    for (const text of [nested('[', '', ']', DEEPEST_JSON + 1), nested('{"a":', '1', '}', DEEPEST_JSON + 1), '['.repeat(60_000_000)]) expect(() => parseJson(text)).toThrow(/deeper than 200 levels/);
  });
});
