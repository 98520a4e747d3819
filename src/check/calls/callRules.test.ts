import { describe, expect, it } from 'vitest';
import { RuleSet } from '../../rules/evaluate/ruleSet.js';
import { compileRuleFiles } from '../../rules/testing/ruleFiles.js';
import { CallRules } from './callRules.js';

function rulesOf(text: string): CallRules {
  return new CallRules(new RuleSet(compileRuleFiles(['test.bug'], () => text)));
}

describe('rules about calls', () => {
  it('name the functions to stop at, unless they ask what is not tracked', () => {
    const rules = rulesOf('[a] detect <call f(s)>: s == NULL\n[b] detect <ret g v>: v == 0\n[c] detect <S; call h(p, n)>: exists frame(?f, p, .) in S');
    expect([...rules.calls]).toEqual(['f']);
    expect([...rules.returns]).toEqual(['g']);
    expect(rules.at('call', 'f')).toHaveLength(1);
    expect(rules.at('ret', 'f')).toHaveLength(0);
  });

  it('know which arguments have to be NULL', () => {
    const rules = rulesOf('[a] detect <call f(s) | call g(s)>: s == NULL\n[b] detect <call f(., s)>: s == NULL\n[c] detect <call g(., n)>: n > 5\n[d] detect <call h(s)>: s == NULL\n[e] detect <Trace; call i(s)>: s == NULL && FindLast(k, call, h, s)');
    expect(rules.nullArguments('f')).toEqual([0, 1]);
    expect(rules.nullArguments('g')).toBeUndefined();
    expect(rules.nullArguments('h')).toBeUndefined();
  });

  it('know which arguments have to be strings that have not been written', () => {
    const rules = rulesOf([
      '[a] detect <call f(s)>: s != NULL && !Initialized(s, Length(s) + 1)',
      '[b] detect <call g(a, b)>: Compared(a, b) > 0 && (!Initialized(a, Compared(a, b)) || !Initialized(b, Compared(a, b)))',
      '[c] detect <call g(s, .)>: s == NULL',
      '[d] detect <call h(s, c)>: !Initialized(s, Searched(s, c)) && Searched(s, c) > 0',
      '[e] detect <call i(s, n)>: !Initialized(s, Searched(s, 0, n)) && Searched(s, 0, n) > 0',
      '[f] detect <call j(a, b)>: !Initialized(a, Compared(a, b)) || b == NULL',
      '[g] detect <call k(a, b, n)>: !Initialized(a, ComparedBytes(a, b, n))',
      '[h] detect <call l(., s)>: s < End(s) && s + Length(s) >= End(s)',
      '[i] detect <call m(s)>: s + Length(s) > End(s)',
      '[j] detect <call n(a, b)>: a + Length(b) >= End(a)',
    ].join('\n'));
    expect(['f', 'g', 'h', 'l'].map((name) => rules.stringArguments(name))).toEqual([[0], [0, 1], [0], [1]]);
    for (const name of ['i', 'j', 'k', 'm', 'n']) expect(rules.stringArguments(name), name).toBeUndefined();
  });
});
