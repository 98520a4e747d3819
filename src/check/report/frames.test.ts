import { expect, it } from 'vitest';
import { frameName, type ReportedFrame, shownFrames, userFrame } from './frames.js';

function frame(name: string | undefined, more: Partial<ReportedFrame> = {}): ReportedFrame {
  return { level: 0, function: name, file: 'a.c', line: 1, column: 0, text: undefined, address: 0n, object: '/bin/a', isUsers: true, ...more };
}

const library = (name: string, calledAs?: string): ReportedFrame => frame(name, { isUsers: false, file: undefined, line: 0, ...(calledAs === undefined ? {} : { calledAs }) });
const shown = (...stack: ReportedFrame[]): string[] => shownFrames(stack).map(frameName);

it('what a library does below a call is one frame, by the name that was called', () => {
  expect(shown(library('__memmove_avx'), library('__memcpy', 'memcpy'), frame('copy'), frame('main'))).toEqual(['memcpy', 'copy', 'main']);
  expect(shown(frame('compare'), library('msort'), library('__qsort_r', 'qsort'), frame('main'))).toEqual(['compare', 'qsort', 'main']);
});

it('what is above the user is left out, also where main is not known', () => {
  expect(shown(frame('worker'), library('start_thread'), library('clone3'))).toEqual(['worker']);
  expect(shown(frame(undefined), frame(undefined), library('__libc_start_call_main'), library('__libc_start_main_impl', 'start_main'), frame('_start'))).toEqual(['??', '??']);
});

it('a stack of libraries alone is shown as it is', () => {
  expect(shown(library('a'), library('b'))).toEqual(['a', 'b']);
  expect(userFrame([library('a')])).toBeUndefined();
});

it('to blame is the first line of the user', () => {
  expect(userFrame([library('a', 'b'), frame('c', { line: 0 }), frame('d')])?.function).toBe('d');
});
