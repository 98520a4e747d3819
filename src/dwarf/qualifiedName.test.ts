import { expect, it } from 'vitest';
import { IntervalMap } from './intervalMap.js';
import { canonicalName, splitQualified } from './qualifiedName.js';
import { normalised } from './sourceIndex.js';

it.each([
  ['f', ['f']], ['a::b::f', ['a', 'b', 'f']], ['std::map<int, std::string>::find', ['std', 'map<int, std::string>', 'find']],
  ['A::operator<', ['A', 'operator<']], ['A::operator()', ['A', 'operator()']], ['A<(B::x)>::operator->', ['A<(B::x)>', 'operator->']],
  ['A::operator<< <int>', ['A', 'operator<< <int>']], ['(anonymous namespace)::f', ['(anonymous namespace)', 'f']],
  ['f(a::b)::c', ['f(a::b)', 'c']],
])('%s is taken apart', (name, parts) => {
  expect(splitQualified(name)).toEqual(parts);
});

it.each([
  ['long unsigned int', 'unsigned long'], ['short int', 'short'], ['long long unsigned int', 'unsigned long long'], ['unsigned int', 'unsigned int'],
  ['vector<long int, allocator<short unsigned int> >', 'vector<long, allocator<unsigned short> >'], ['__int128 unsigned', 'unsigned __int128'], ['printing', 'printing'],
])('%s is %s', (name, short) => {
  expect(canonicalName(name)).toBe(short);
});

it('stretches of addresses are found, overlapping ones too', () => {
  const map = new IntervalMap([{ low: 10, high: 100, value: 'a' }, { low: 20, high: 30, value: 'b' }, { low: 40, high: 41, value: 'c' }, { low: 200, high: 201, value: 'd' }]);
  expect([9, 10, 25, 30, 40, 41, 99, 100, 200, 201].map((address) => map.find(address).join(''))).toEqual(['', 'a', 'ba', 'a', 'ca', 'a', 'a', '', 'd', '']);
});

it.each([['/a/b/../c', '/a/c'], ['/a/./b//c', '/a/b/c'], ['../x.c', '../x.c'], ['a/../../x.c', '../x.c'], ['/plain/x.c', '/plain/x.c']])('%s is %s', (path, plain) => {
  expect(normalised(path)).toBe(plain);
});
