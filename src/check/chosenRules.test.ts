import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UserError } from '../base/errors.js';
import { loadRulesOrThrow } from '../rules/language/load.js';
import { chosenRules, type RuleChoice } from './chosenRules.js';

const SHIPPED = loadRulesOrThrow(['rules/all.bug'], (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));

function names(choice: RuleChoice): string[] {
  return chosenRules(SHIPPED, choice).rules.map(({ rule }) => rule.name);
}

const DEFAULT = names({});

describe('the choice of rules', () => {
  it('is what is on by default, unless the user says something', () => {
    expect(DEFAULT).toContain('double.free');
    expect(DEFAULT).not.toContain('definite.leak');
    expect(names({ enable: ['definite.leak'] })).toEqual(expect.arrayContaining([...DEFAULT, 'definite.leak']));
    expect(names({ disable: ['double.free'] })).toEqual(DEFAULT.filter((name) => name !== 'double.free'));
    expect(names({ disable: ['all'] })).toEqual([]);
  });

  it('goes by what is said of fewer rules', () => {
    expect(names({ disable: ['all'], enable: ['double.free', 'unmatched.free'] })).toEqual(['unmatched.free', 'double.free']);
    expect(names({ disable: ['all'], enable: ['libc.*'] })).toEqual(expect.arrayContaining(['libc.alignment', 'libc.null.string']));
    expect(names({ disable: ['all', 'libc.alignment'], enable: ['libc.*'] })).not.toContain('libc.alignment');
    expect(names({ disable: ['libc.*'], enable: ['libc.alignment'] }).filter((name) => name.startsWith('libc.'))).toEqual(['libc.alignment']);
    expect(names({ disable: ['double.free'], enable: ['double.free'] })).not.toContain('double.free');
  });

  it('has to be of rules that there are', () => {
    expect(() => names({ enable: ['dubble.free'] })).toThrow(UserError);
    expect(() => names({ disable: ['nothing.*'] })).toThrow('nothing.*');
  });
});
