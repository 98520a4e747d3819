/** What users write for alterations, and lists of them. */
import { describe, expect, it } from 'vitest';
import { alterationText, parseAlteration } from './alteration.js';
import { activeOf, alterationLines, loadedAlterations, NO_ALTERATIONS, savedAlterations, switched, withAlteration, withoutAlteration } from './alterations.js';

describe('an alteration as text', () => {
  it.each([
    ['switch', 'a.c:3', { place: 'a.c:3', which: 'all' }],
    ['switch', ' a.c:3.2#7 ', { place: 'a.c:3.2', which: 7 }],
    ['switch', 'a.c:3 once', { place: 'a.c:3', which: 'once' }],
    ['switch', 'a.c:3 12', { place: 'a.c:3', which: 12 }],
    ['switch', "a.c:3#2 to 'x'", { place: 'a.c:3', which: 2, to: 120n }],
    ['switch', 'a.c:3 all to -7', { place: 'a.c:3', which: 'all', to: -7n }],
    ['switch', 'a.c:3 to default', { place: 'a.c:3', which: 'all', to: 'default' }],
    ['suppress', 'malloc#3 = 0', { place: 'malloc', which: 3, value: '0' }],
    ['suppress', 'half=-2.5', { place: 'half', which: 'all', value: '-2.5' }],
    ['suppress', '*0x401136', { place: '*0x401136', which: 'all' }],
  ] as const)('%s %s', (what, text, wanted) => {
    const parsed = parseAlteration(what, text);
    expect(parsed).toEqual({ what, ...wanted });
    expect(parseAlteration(what, alterationText(parsed).slice(what.length))).toEqual(parsed);
  });

  it.each([
    ['switch', ''], ['switch', 'a.c:3#0'], ['switch', 'a.c:3#1 2'], ['switch', 'a.c:3 = 4'], ['switch', 'a.c:3 to x'], ['suppress', 'f to 3'], ['suppress', 'f = x'], ['suppress', 'a b'],
  ] as const)('refuses %s %s in one line', (what, text) => {
    expect(() => parseAlteration(what, text)).toThrow(/^[^\n]+$/);
  });
});

describe('a list of alterations', () => {
  const list = [parseAlteration('switch', 'a.c:3#2'), parseAlteration('suppress', 'f = 4'), parseAlteration('switch', 'b.c:9 to 100')].reduce(withAlteration, NO_ALTERATIONS);

  it('is edited, and numbers are not used again', () => {
    const without = withAlteration(withoutAlteration(switched(list, 1, false), 3), parseAlteration('suppress', 'g'));
    expect(alterationLines(without)).toEqual(['1   off switch a.c:3#2', '2   on  suppress f all = 4', '4   on  suppress g all']);
    expect(activeOf(without).map(({ place }) => place)).toEqual(['f', 'g']);
    expect(() => switched(list, 9, true)).toThrow('there is no alteration 9');
  });

  it('is what was saved', () => {
    expect(loadedAlterations(savedAlterations(switched(list, 2, false)), 'x')).toEqual(switched(list, 2, false));
  });

  it.each(['', '{}', '[]', 'null', '{"kind":"culprit alterations","version":2,"alterations":[]}', '{"kind":"culprit alterations","version":1,"alterations":[{"id":1}]}', '{"kind":"culprit alterations","version":1,"alterations":[{"id":0,"on":true,"alteration":"switch a.c:3"}]}'])('refuses %s in one line', (text) => {
    expect(() => loadedAlterations(text, 'file')).toThrow(/^file: [^\n]+$/);
  });
});
