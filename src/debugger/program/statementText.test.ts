import { expect, it } from 'vitest';
import { parseCall, parseStatement } from './statementText.js';

it.each([
  ['tally.c:19', { file: 'tally.c', line: 19 }],
  ['src/tally.c:19.2', { file: 'src/tally.c', line: 19, part: 2 }],
  ['tally.c:19#7', { file: 'tally.c', line: 19, instance: 7 }],
  ['"a b.c":19.2#-1', { file: 'a b.c', line: 19, part: 2, instance: -1 }],
  ['19', { file: undefined, line: 19 }],
  ['19.1#3', { file: undefined, line: 19, part: 1, instance: 3 }],
  ['main', undefined], ['a::b', undefined], ['tally.c:main', undefined], ['*0x1234', undefined], ['', undefined], ['x#2', undefined], ['1,234', undefined],
])('reads the statement %s', (text, expected) => expect(parseStatement(text)).toEqual(expected));

it.each([
  ['main#1', { function: 'main', instance: 1 }], ['ns::f(int)#12', { function: 'ns::f(int)', instance: 12 }],
  ['main', undefined], ['a.c:5#1', undefined], ['*0x12#1', undefined],
])('reads the call %s', (text, expected) => expect(parseCall(text)).toEqual(expected));
