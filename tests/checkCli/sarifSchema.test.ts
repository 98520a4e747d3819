import { describe, expect, it } from 'vitest';
import { sarifProblems } from './sarifSchema.js';

const RULES = [{ id: 'a.rule' }];
const logOf = (result: object): unknown => ({ version: '2.1.0', runs: [{ tool: { driver: { name: 'culprit', rules: RULES } }, results: [result] }] });
const place = (region: object): object => ({ message: { text: 'x' }, locations: [{ physicalLocation: { artifactLocation: { uri: 'a%20b.c' }, region } }] });

describe('the rules of SARIF', () => {
  it('allow what is right', () => {
    expect(sarifProblems(logOf({ ruleId: 'a.rule', ruleIndex: 0, ...place({ startLine: 3 }) }))).toEqual([]);
  });

  it.each([
    ['a message without text', { message: {} }, ['$.runs[0].results[0].message: should have text or id']],
    ['no message', {}, ['$.runs[0].results[0]: should have message']],
    ['line 0', place({ startLine: 0 }), ['$.runs[0].results[0].locations[0].physicalLocation.region.startLine: 0 should be an integer from 1 on']],
    ['a property of ours', { message: { text: 'x' }, chains: [] }, ['$.runs[0].results[0]: has a property chains']],
    ['a flow without locations', { message: { text: 'x' }, codeFlows: [{ threadFlows: [{ locations: [] }] }] }, ['$.runs[0].results[0].codeFlows[0].threadFlows[0].locations: should have at least 1']],
    ['a path that is no URI', { message: { text: 'x' }, locations: [{ physicalLocation: { artifactLocation: { uri: 'a b.c' } } }] }, ['$.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri: "a b.c" should be a URI reference']],
    ['the number of another rule', { message: { text: 'x' }, ruleId: 'b.rule', ruleIndex: 0 }, ['rule 0 is not b.rule']],
  ])('forbid %s', (_, result, problems) => {
    expect(sarifProblems(logOf(result))).toEqual(problems);
  });
});
