/** Reports from anywhere: what is meant to do harm is refused in one line, or shown as what it is. */
import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/errors.js';
import type { ReportInput } from '../../src/paths/readers/reading.js';
import { readReports } from '../../src/paths/readers/readers.js';
import { codeBase, inputOf, reportsOf, textOf } from './harness.js';

/** Throws if it is not refused in one line. */
function refusal(input: ReportInput, format?: string): string {
  try {
    reportsOf(input, undefined, format);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    expect(error.message).not.toContain('\n');
    return error.message;
  }
  throw new Error('it was read');
}

describe('XML', () => {
  it.each([
    ['entities that grow', '<!DOCTYPE path [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><path>&b;</path>', 'report:1: a document type with definitions of its own is not read'],
    ['files from outside', '<!DOCTYPE path [<!ENTITY x SYSTEM "file:///etc/passwd">]>\n<path>&x;</path>', 'report:1: a document type with definitions of its own is not read'],
    ['entities that are not there', '<path>&x;</path>', 'report:1: &x; is not known'],
    ['half an entity', '<path>&amp</path>', 'report:1: &amp is not known'],
    ['characters that are none', '<path>&#xD800;</path>', 'report:1: &#xD800; is not known'],
    ['an attribute twice', '<path name="a" name="b"/>', 'report:1: attribute name is there twice'],
    ['ends that do not fit', '<path></detour></path>', 'report:1: </path> should be here'],
    ['more ends than beginnings', '<path/></path>', 'report:1: something is closed that is not open'],
    ['what is no tag', '<path><marker line=1/></path>', 'report:1: this is no XML'],
    ['comments without an end', '<path><!-- </path>', 'report:1: --> is missing'],
  ])('refuses %s', (_, text, message) => {
    expect(refusal(inputOf(text), 'pathreport')).toBe(message);
  });

  it('that is deep is only deep', () => {
    const depth = 10_000;
    const text = `${'<path name="f" file="a.c"><detour line="1">'.repeat(depth)}<path/>${'</detour></path>'.repeat(depth)}`;
    const [report] = reportsOf(inputOf(text, { piece: 1 << 16 }));
    expect(report?.paths[0]?.segments.length).toBe(depth + 1);
    expect(textOf(report!, codeBase({ '/work/a.c': 'void f() { f(); }' })).tally.shown).toBe(depth);
  });

  it('property lists have no prototype to spoil', () => {
    const text = '<plist><dict><key>__proto__</key><dict><key>diagnostics</key><array/></dict></dict></plist>';
    expect(refusal(inputOf(text))).toBe('report: a property list without diagnostics');
  });
});

describe('JSON', () => {
  const log = (results: string): string => `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"t"}},"results":${results}}]}`;

  it.each([
    ['what ends too soon', '{"version":"2.1.0","runs":[{', /^report: it ends too soon, at byte \d+$|^report: a name should be here, at byte \d+$/],
    ['what ends in a text', '{"version":"2.1.0","runs":[{"tool', /^report: a text does not end, at byte \d+$/],
    ['a result that is deep', log(`[${'['.repeat(300)}${']'.repeat(300)}]`), /^report: it is deeper than 200 levels, at byte \d+$/],
    ['a table that is deep', `{"version":"2.1.0","runs":[{"graphs":${'['.repeat(300)}${']'.repeat(300)}}]}`, /^report: it is deeper than 200 levels, at byte \d+$/],
    ['a result that is no JSON', log('[{"message":{"text":"\u0001"}}]'), /^report: it is no JSON, at byte \d+$/],
    ['words that are none', log('[nothing!]'), /^report: (?:it is no JSON|a comma should be here), at byte \d+$/],
    ['what follows its end', `${log('[]')} x`, /^report: something follows the end, at byte \d+$/],
    ['another version', '{"version":"1.0.0","runs":[]}', /^report: SARIF 1\.0\.0, and 2\.1\.0 is what is read$/],
  ])('refuses %s', (_, text, message) => {
    expect(refusal(inputOf(text, { piece: 5 }))).toMatch(message);
  });

  it('of the wrong types has nothing in it', () => {
    const values = ['null', '1', '"x"', '[]', '{}', '[null]', '[[]]', '{"text":1}'];
    for (const value of values) {
      const text = log(`[{"ruleId":${value},"message":${value},"locations":${value},"codeFlows":[{"threadFlows":[{"locations":[{"location":${value},"state":${value},"kinds":${value}},${value}]},${value}]},${value}],"stacks":[{"frames":[${value}]},${value}],"graphs":[${value}],"graphTraversals":[${value}],"suppressions":${value}},${value}]`);
      const code = codeBase({});
      for (const report of reportsOf(inputOf(text))) expect(textOf(report, code, true).tally.shown).toBe(0);
    }
  });

  it('with more steps than are meant seriously is refused, and one of any length is read in bounded memory', () => {
    const step = ',{"index":0}'.repeat(1000);
    const pieces = function* (count: number): Generator<Uint8Array> {
      const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
      yield encode('{"version":"2.1.0","runs":[{"results":[{"message":{"text":"m"},"codeFlows":[{"threadFlows":[{"locations":[{"index":0}');
      for (let i = 0; i < count; i++) yield encode(step);
      yield encode(']}]}]}],"threadFlowLocations":[{"location":{"message":{"text":"x"}}}]}]}');
    };
    const input = (count: number): ReportInput => ({ name: 'report', chunks: () => pieces(count), beside: () => undefined });
    expect(refusal(input(1000))).toBe('report: a report has 1000001 steps, and more than 1000000 are not read');
    expect(refusal(input(6000))).toMatch(/^report: a result has \d+ bytes, and more than 67108864 are not read$/);
  });

  it('is not UTF-8 all the time: what is not is shown as such', () => {
    const bytes = new TextEncoder().encode(log('[{"message":{"text":"a?b"}}]'));
    bytes[bytes.indexOf(0x3f)] = 0xff;
    expect(reportsOf(inputOf(bytes))[0]?.message).toBe('a\ufffdb');
  });
});

describe('our own JSON', () => {
  const documentOf = (segments: unknown, more: object = {}): string => JSON.stringify({ form: 'culprit-paths', version: 1, reports: [{ message: 'm', paths: [{ role: 'flow', segments }], ...more }] });

  it.each([
    ['cycles', documentOf([{ steps: [{ detour: 1 }] }, { steps: [{ detour: 1 }] }]), 'report: reports[0].paths[0].segments[1].steps[0].detour: segment 1 does not come after segment 1'],
    ['a segment of two callers', documentOf([{ steps: [{ detour: 1 }, { detour: 1 }] }, { steps: [] }]), 'report: reports[0].paths[0].segments[0].steps[1].detour: segment 1 has another detour already'],
    ['a segment that is not there', documentOf([{ steps: [{ detour: 7 }] }]), 'report: reports[0].paths[0].segments[0].steps[0].detour: there is no segment 7'],
    ['line 0', documentOf([{ steps: [{ line: 0 }] }]), 'report: reports[0].paths[0].segments[0].steps[0].line: is no whole number from 1 on'],
    ['half a line', documentOf([{ steps: [{ line: 1.5 }] }]), 'report: reports[0].paths[0].segments[0].steps[0].line: is no whole number from 1 on'],
    ['fields that are not known', documentOf([{ steps: [], x: 1 }]), 'report: reports[0].paths[0].segments[0]: has a field x, which is not known'],
    ['fields of every object', documentOf([{ steps: [{ toString: 'x' }] }]), 'report: reports[0].paths[0].segments[0].steps[0]: has a field toString, which is not known'],
    ['what is missing', JSON.stringify({ form: 'culprit-paths', version: 1, reports: [{ paths: [] }] }), 'report: reports[0]: has no message'],
    ['ranges that do not fit', documentOf([{ steps: [] }], { text: { whole: 'x', ranges: [] } }), 'report: reports[0].text.ranges: has 0 entries for 1 segments and steps'],
    ['another version', JSON.stringify({ form: 'culprit-paths', version: 2, reports: [] }), 'report: version: is 2; this culprit reads 1'],
    ['no list of reports', JSON.stringify({ form: 'culprit-paths', version: 1, reports: 1, files: [{}] }), 'report: files[0]: has no name'],
  ])('refuses %s', (_, text, message) => {
    expect(refusal(inputOf(text, { piece: 9 }))).toBe(message);
  });
});

it('texts of all bytes are read, or refused', () => {
  const bytes = Uint8Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256);
  for (const format of ['json', 'sarif', 'infer', 'gcc-json', 'plist', 'cppcheck', 'pathreport', 'sanitizer', 'valgrind', 'oops', 'gdb', 'compiler']) {
    try {
      expect([...readReports(inputOf(bytes), format).reports].length).toBe(0);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  }
});

it('patterns do not take for ever on texts that nearly fit', () => {
  const long = 'a'.repeat(200_000);
  for (const text of [`#0  ${'('.repeat(100_000)}`, `#0  f (${long}`, `==1== ${long}`, `ERROR: AddressSanitizer: x\n    #0 0x1 in ${long} ${long}`, `BUG: x\nRIP: 0010:${long}`, `${long}:1:1: warning: ${'['.repeat(50_000)}`, `<path ${'a="b" '.repeat(20_000)}`, `<path>${'&'.repeat(100_000)}</path>`]) {
    try {
      expect([...readReports(inputOf(text, { piece: 1 << 20 })).reports].length).toBeLessThan(2);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
    }
  }
});
