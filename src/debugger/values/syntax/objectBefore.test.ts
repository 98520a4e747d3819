import { describe, expect, it } from 'vitest';
import { objectBefore } from './objectBefore.js';

describe('the object before an access', () => {
  it.each([
    ['a', 'a'], ['a.b', 'a.b'], ['a->b[2]', 'a->b[2]'], ['f(a.b', 'a.b'], ['x + y', 'y'], ['(*p)', '(*p)'], ['3 * (*p)->q', '(*p)->q'],
    ['geometry::made', 'geometry::made'], ['a[f(1, b[2])]', 'a[f(1, b[2])]'], ['f(a)', 'f(a)'], ['$rip', '$rip'], ['a . b', 'a . b'], ['x ? y : z', 'z'], ['', ''], [')', ''], ['a)]', ''],
  ])('of %j is %j', (text, object) => {
    expect(objectBefore(text)).toBe(object);
  });
});
