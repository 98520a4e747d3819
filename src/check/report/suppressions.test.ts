import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.js';
import type { ReportedFrame } from './frames.js';
import { parseSuppressions, suppressionFor, suppressionOf } from './suppressions.js';

function frame(name: string, more: Partial<ReportedFrame> = {}): ReportedFrame {
  return { level: 0, function: name, file: `/home/me/src/${name}.c`, line: 7, column: 1, text: undefined, address: 0x1000n, object: '/home/me/prog', isUsers: true, ...more };
}

const MEMSET = frame('__memset_sse2', { isUsers: false, calledAs: 'memset', file: undefined, line: 0, object: '/lib/libc.so.6' });
const STACK = [frame('inner_of_libc', { isUsers: false }), MEMSET, frame('clear'), frame('reset', { line: 12 }), frame('main'), frame('start_thread', { isUsers: false })];

function applies(text: string, rule = 'heap.buffer.overflow', stack = STACK): boolean {
  return suppressionOf(parseSuppressions(text, 'known.txt'), { rule, allocatedIn: ['make_pool', 'ns::make'], stack }) !== undefined;
}

describe('a suppression', () => {
  it.each([
    ['heap.buffer.overflow', true], ['*', true], ['heap.*', true], ['double.free', false],
    ['*\nfun:memset', true], ['*\nfun:mem*\nfun:clear', true], ['*\nfun:clear', false], ['*\n...\nfun:main', true], ['*\n...\nfun:reset\nfun:clear', false],
    ['*\n...\nsrc:reset.c:12', true], ['*\n...\nsrc:reset.c:13', false], ['*\n...\nsrc:src/reset.c', true], ['*\n...\nsrc:eset.c', false], ['*\n...\nsrc:/home/*/reset.c', true],
    ['*\nobj:*/libc.so*\nobj:*/prog', true], ['*\nobj:*/libm.so*', false], ['*\n...', true],
    ['*\nfun:memset\nfun:clear\nfun:reset\nfun:main\nfun:more', false], ['*\nfun:memset\nfun:clear\nfun:reset\nfun:main\n...', true],
    ['*\nalloc:make_pool', true], ['*\nalloc:ns::make', true], ['*\nalloc:make', false], ['double.free\nalloc:make_pool', false], ['*\nalloc:make_pool\nfun:memset', true], ['*\nalloc:make_pool\nfun:clear', false],
  ])('%j applies: %s', (text, expected) => {
    expect(applies(text)).toBe(expected);
  });

  it('that names no frames does without the stack', () => {
    const one = (text: string, allocatedIn: readonly string[]): string | undefined => suppressionOf(parseSuppressions(text, 'a'), { rule: 'x', allocatedIn, stack: [] })?.place;
    expect(one('*\nalloc:g\nfun:x\n\ny\nfun:x\n\n*\nalloc:f', ['f'])).toBe('a:8');
    expect(one('*\nfun:x', [])).toBeUndefined();
  });

  it('is one paragraph of several, between comments', () => {
    const text = '# old\ndouble.free\nfun:x\n\n\n  # new\n  heap.buffer.overflow  \r\n  fun:memset\n';
    expect(parseSuppressions(text, 'a').map(({ place }) => place)).toEqual(['a:2', 'a:7']);
    expect(applies(text)).toBe(true);
  });

  it('with a mistake says where', () => {
    expect(() => parseSuppressions('*\n\n*\nfunc:x', 'known.txt')).toThrow(new UserError('known.txt:4: a frame is fun:NAME, src:FILE:LINE, obj:FILE or "...", not "func:x"'));
    expect(() => parseSuppressions('*\nalloc:my*', 'known.txt')).toThrow('known.txt:2: alloc: wants the name of a function, not "my*"');
    expect(() => parseSuppressions('*\nfun:x\nalloc:f', 'known.txt')).toThrow('not "alloc:f"; alloc: comes before the frames');
    expect(() => parseSuppressions('fun:x\n', 'known.txt')).toThrow('known.txt:1: a suppression begins with the name of a rule');
  });

  it('that is made for a report applies to it and to no other', () => {
    const made = suppressionFor('heap.buffer.overflow', STACK);
    expect(made).toBe('heap.buffer.overflow\nfun:memset\nfun:clear\nfun:reset\nfun:main');
    expect(applies(made)).toBe(true);
    expect(applies(made, 'double.free')).toBe(false);
    expect(applies(made, 'heap.buffer.overflow', STACK.slice(2))).toBe(false);
  });

  it('can be made where nothing has a name', () => {
    const nameless = [frame('', { function: undefined, line: 0, file: undefined }), frame('', { function: undefined, object: undefined })];
    expect(suppressionFor('double.free', nameless)).toBe('double.free\nobj:*/prog\n...');
    expect(applies(suppressionFor('double.free', nameless), 'double.free', nameless)).toBe(true);
  });
});
