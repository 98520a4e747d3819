import { expect, it } from 'vitest';
import { jsonText, shellWord, visible, visibleLines } from './visible.js';

const ALL = Array.from({ length: 0x2070 }, (_, code) => String.fromCharCode(code)).join('');
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

it('leaves nothing that controls a terminal, and everything else', () => {
  expect(visible(ALL)).not.toMatch(CONTROL);
  expect(visible('naïve 名前 "a\\b"')).toBe('naïve 名前 "a\\b"');
  expect(visible('a\u001b[31m\nb\t\u009b\u202e\u007f\0')).toBe('a\\e[31m\\nb\\t\\x9b\\u202e\\x7f\\0');
});

it('keeps lines, and colours if they are ours', () => {
  expect(visibleLines('a\n\tb\r\u001b[1mc')).toBe('a\n\tb\\r\\e[1mc');
  expect(visibleLines('\u001b[1;31merror\u001b[0m\u001b[2J\u001b]0;title\u0007', true)).toBe('\u001b[1;31merror\u001b[0m\\e[2J\\e]0;title\\x07');
});

it('quotes for shells', () => {
  expect(['a', "it's", 'a b', 'a\u001b[m', "a'\n\\"].map(shellWord)).toEqual(['a', `'it'\\''s'`, "'a b'", "$'a\\e[m'", "$'a\\'\\n\\\\'"]);
});

it('is still JSON', () => {
  expect(jsonText({ text: ALL })).not.toMatch(CONTROL);
  expect(JSON.parse(jsonText({ text: ALL }))).toEqual({ text: ALL });
});
