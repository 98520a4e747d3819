import { describe, expect, it } from 'vitest';
import { parseAllocator } from './customAllocators.js';

describe('--allocator', () => {
  it('says by position what arguments mean', () => {
    expect(parseAllocator('pool_get(_, size) = pool_put(_, ptr)')).toEqual({
      pool_get: { does: 'allocate', family: 'pool_put', size: 1 },
      pool_put: { does: 'free', family: 'pool_put', pointer: 1 },
    });
    expect(parseAllocator('a(size),c(count,size),r(ptr,size),m(alignment,size)=f(ptr)')).toEqual({
      a: { does: 'allocate', family: 'f', size: 0 },
      c: { does: 'allocate', family: 'f', size: 1, count: 0, zeroed: true },
      r: { does: 'resize', family: 'f', pointer: 0, size: 1 },
      m: { does: 'allocate', family: 'f', size: 1, alignment: 0 },
      f: { does: 'free', family: 'f', pointer: 0 },
    });
  });

  it.each([
    ['my_alloc', "write 'my_alloc(size)=my_free(ptr)'"],
    ['my_alloc=my_free', "'my_alloc' is no function with its parameters"],
    ['my_alloc(size)=', "'' is no function with its parameters"],
    ['my_alloc(bytes)=my_free(ptr)', "my_alloc has a parameter 'bytes'; those that count are size, count, ptr and alignment"],
    ['my_alloc(size,size)=my_free(ptr)', "my_alloc has two parameters 'size'"],
    ['my_alloc(_)=my_free(ptr)', 'my_alloc has no parameter size'],
    ['my_alloc(size)=my_free(size)', 'my_free has no parameter ptr'],
    ['f(size,_,_,_,_,_,_)=g(ptr)', 'more than 6 parameters'],
  ])('%s is a mistake', (text, message) => {
    expect(() => parseAllocator(text)).toThrow(message);
  });
});
