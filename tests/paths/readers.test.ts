/** Reports as tools really write them (fixtures/make.sh), and as their documents say. */
import { describe, expect, it } from 'vitest';
import type { PathReport } from '../../src/paths/model/path.js';
import { codeBase, codeLines, fixture, grammars, inputOf, program, reportsOf, textOf } from './harness.js';

const SOURCES = { '/src/lists.c': program('programs/lists.c'), '/src/race.c': program('programs/race.c'), '/src/simple.c': program('programs/simple.c') };

async function read(name: string, format?: string): Promise<{ readonly reports: PathReport[]; readonly lines: string[][]; readonly missing: number }> {
  const code = codeBase(SOURCES, { grammars: await grammars(), roots: ['/src'] });
  const reports = reportsOf(inputOf(fixture(name)), code, format);
  const texts = reports.map((report) => textOf(report, code));
  return { reports, lines: texts.map(({ lines }) => codeLines(lines).map((line) => line.replace('/build/programs/', ''))), missing: texts.reduce((sum, { tally }) => sum + tally.missing, 0) };
}

/** `first` is in what is shown of `use_freed`, and so on: numbers of lines, with the functions they are below. */
function brief(lines: readonly string[]): string {
  return lines.map((line) => (line.includes('\t') ? line.split('\t')[0] : line.replace(/^.*:/, ''))).join(' ');
}

function stepsIn({ paths }: PathReport): number {
  return paths.reduce((sum, { segments }) => sum + segments.reduce((all, { steps }) => all + steps.filter(({ why }) => why !== undefined).length, 0), 0);
}

const FREED = 'use_freed 33 34 35 make 11 12 13 14 16 19 use_freed 36 drop 21 22 23 24 25 26 use_freed 37 first 28 29 30 31 use_freed 38';
const NULL = 'use_null 40 41 42 44 46 48 49';

describe('GCC', () => {
  it.each(['gcc12.json', 'gcc12.txt'])('-fanalyzer of version 12: %s', async (name) => {
    const { reports, lines, missing } = await read(name);
    expect(lines.map(brief)).toEqual([FREED, NULL]);
    expect(reports.map(stepsIn)).toEqual([17, 6]);
    expect(reports.map(({ rule, level }) => [rule, level])).toEqual([['-Wanalyzer-use-after-free', 'warning'], ['-Wanalyzer-null-dereference', 'warning']]);
    expect(missing).toBe(0);
  });

  it('its JSON, one list after the other, with notes and without a path', () => {
    const one = (message: string, children: unknown[]): unknown => ({ kind: 'error', message, locations: [{ caret: { file: 'a.c', line: 3, column: 2 } }], children });
    const text = `${JSON.stringify([one('first', [])])}\n${JSON.stringify([one('second', [one('because', [])])])}\n`;
    expect(reportsOf(inputOf(text)).map(({ message, paths }) => [message, ...paths.map(({ role }) => role)])).toEqual([['first', 'location'], ['second', 'location', 'related']]);
  });

  it('SARIF of version 13: nesting levels, functions by name', async () => {
    const step = (line: number, name: string, nestingLevel: number, text: string): unknown => ({
      location: { physicalLocation: { artifactLocation: { uri: 'lists.c', uriBaseId: 'PWD' }, region: { startLine: line, startColumn: 3 } }, logicalLocations: [{ name, fullyQualifiedName: name, decoratedName: name, kind: 'function' }], message: { text } },
      nestingLevel, kinds: ['branch'], executionOrder: line,
    });
    const log = {
      version: '2.1.0',
      runs: [{
        tool: { driver: { name: 'GNU C17', version: '13.2.0' } }, originalUriBaseIds: { PWD: { uri: 'file:///src/' } },
        results: [{ ruleId: '-Wanalyzer-use-after-free', level: 'warning', message: { text: 'use after free' }, codeFlows: [{ threadFlows: [{ id: 'main', locations: [step(35, 'use_freed', 1, 'calling make'), step(13, 'make', 2, 'allocated'), step(36, 'use_freed', 1, 'calling drop'), step(24, 'drop', 2, 'freed')] }] }] }],
      }],
    };
    const code = codeBase(SOURCES, { grammars: await grammars(), roots: ['/src'] });
    const [report] = reportsOf(inputOf(JSON.stringify(log)), code);
    expect(report?.tool).toBe('GNU C17 13.2.0');
    expect(brief(codeLines(textOf(report!, code).lines))).toBe('use_freed 33 34 35 make 11 12 13 19 use_freed 36 drop 21 22 23 24 25 26 use_freed 38');
  });
});

describe("clang's analyser", () => {
  const CALLED = 'main 51 52 53 55 use_freed 33 34 35 make 11 12 13 14 19 use_freed 36 drop 21 22 23 24 25 26 use_freed 37 38 main 56';

  it.each(['clang14.sarif', 'clang14.txt'])('nesting from calls and returns alone: %s', async (name) => {
    const { lines, missing } = await read(name);
    expect(lines.map(brief)).toEqual([CALLED, `main 51 52 53 54 ${NULL} main 56`]);
    expect(missing).toBe(0);
  });

  it('property lists: depths of events, and the edges between them', async () => {
    const { reports, lines, missing } = await read('clang14.plist');
    expect(lines.map(brief)).toEqual([CALLED.replace('14 19', '14 16 18 19'), `main 51 52 53 54 ${NULL} main 56`]);
    expect(reports.map(({ rule, tool }) => [rule, tool])).toEqual([['unix.Malloc', 'Debian clang version 14.0.6'], ['core.NullDereference', 'Debian clang version 14.0.6']]);
    expect(missing).toBe(0);
  });
});

describe('cppcheck', () => {
  it.each(['cppcheck210.xml', 'cppcheck210.txt'])('%s', async (name) => {
    const { reports, lines } = await read(name);
    expect(lines.map(brief)).toEqual(['main 15 16 19 20 22 24', 'read_null 4 5 6 12 13']);
    expect(reports.map(({ rule }) => rule)).toEqual(['doubleFree', 'nullPointer']);
  });
});

describe('Infer and CodeQL, as they are documented', () => {
  it('levels of a bug trace', async () => {
    const step = (line: number, level: number, description: string): unknown => ({ level, filename: 'lists.c', line_number: line, column_number: 3, description });
    const report = [{ bug_type: 'USE_AFTER_FREE', qualifier: 'accessing memory that was invalidated', severity: 'ERROR', line: 30, column: 10, procedure: 'first', file: 'lists.c', bug_trace: [step(36, 0, 'in call to `drop`'), step(24, 1, 'was invalidated by call to `free()`'), step(37, 0, 'in call to `first`'), step(30, 1, 'invalid access occurs here')], key: 'lists.c|first|USE_AFTER_FREE' }];
    const code = codeBase(SOURCES, { grammars: await grammars(), roots: ['/src'] });
    const [read] = reportsOf(inputOf(JSON.stringify(report)), code);
    expect(brief(codeLines(textOf(read!, code).lines))).toBe('use_freed 33 34 36 drop 21 22 23 24 25 26 use_freed 37 first 28 29 30 31 use_freed 38');
  });

  it('a data flow without functions or levels: parameters are where functions begin', async () => {
    const step = (line: number, text: string): unknown => ({ location: { physicalLocation: { artifactLocation: { uri: 'lists.c', uriBaseId: '%SRCROOT%', index: 0 }, region: { startLine: line, startColumn: 1 } }, message: { text } } });
    const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [{ tool: { driver: { name: 'CodeQL', rules: [{ id: 'cpp/use-after-free', defaultConfiguration: { level: 'error' } }] } }, artifacts: [{ location: { uri: 'lists.c', uriBaseId: '%SRCROOT%', index: 0 } }], results: [{ ruleId: 'cpp/use-after-free', ruleIndex: 0, message: { text: 'Memory may have been previously freed by [call to free](1).' }, codeFlows: [{ threadFlows: [{ locations: [step(35, 'call to make'), step(37, 'list'), step(28, 'list'), step(30, 'list')] }] }], relatedLocations: [{ id: 1, physicalLocation: { artifactLocation: { uri: 'lists.c' }, region: { startLine: 24 } }, message: { text: 'call to free' } }] }] }] };
    const code = codeBase(SOURCES, { grammars: await grammars(), roots: ['/src'] });
    const [report] = reportsOf(inputOf(JSON.stringify(log)), code);
    expect([report?.level, report?.message]).toEqual(['error', 'Memory may have been previously freed by call to free.']);
    expect(brief(codeLines(textOf(report!, code).lines))).toBe('use_freed 33 34 35 37 first 28 29 30 31 use_freed 38 drop 21 22 23 24 25 26');
  });
});

describe('stacks in texts', () => {
  const IN_FIRST = 'main 51 52 55 use_freed 33 34 37 first 28 29 30 31 use_freed 38 main 56';

  it('gdb, with arguments as the state', async () => {
    const { reports, lines } = await read('gdb.txt');
    expect(lines.map(brief)).toEqual(['main 51 52 53 54 use_null 40 41 48 49 main 56']);
    expect(reports[0]?.paths[0]?.segments.map(({ steps: [step] }) => step?.state)).toEqual([{ argc: '2', argv: '0x7fffffffe798' }, { count: '2' }]);
  });

  it('gdb: threads, C++, signal handlers, frames that are broken over lines', () => {
    const text = ['Thread 2 (Thread 0x7ffff7d8a6c0 (LWP 7) "a"):', '#0  ns::A<int, (char)40>::f (this=0x0, s="a, b", p={x = 1, y = 2})', '    at ../a b/c.cc:7', '#1  0x00007ffff7e0a7b6 in ?? () from /lib/libc.so.6', '#2  <signal handler called>', '', 'Thread 1 (LWP 6):', '#0  main () at a.c:3'].join('\n');
    const [report] = reportsOf(inputOf(text));
    expect(report?.paths.map(({ title }) => title)).toEqual(['Thread 2 (Thread 0x7ffff7d8a6c0 (LWP 7) "a"):', 'Thread 1 (LWP 6):']);
    expect(report?.paths[0]?.segments).toEqual([
      { function: '<signal handler called>', steps: [{ detour: 1 }] },
      { steps: [{ module: '/lib/libc.so.6', detour: 2 }] },
      { function: 'ns::A<int, (char)40>::f', file: '../a b/c.cc', steps: [{ line: 7, state: { this: '0x0', s: '"a, b"', p: '{x = 1, y = 2}' } }] },
    ]);
  });

  it('AddressSanitizer: where it happened, was freed and allocated', async () => {
    const { reports, lines, missing } = await read('asan.txt');
    expect(reports.map(({ rule, paths }) => [rule, ...paths.map(({ title }) => title)])).toEqual([['heap-use-after-free', 'READ of size 4 at 0x602000000010 thread T0', 'freed by thread T0 here:', 'previously allocated by thread T0 here:']]);
    expect(brief(lines[0]!)).toContain(IN_FIRST);
    expect(missing).toBe(7);
  });

  it('ThreadSanitizer: both accesses, and who made the thread', async () => {
    const { reports, lines } = await read('tsan.txt');
    expect(reports[0]?.paths.map(({ segments }) => segments.map((segment) => segment.function))).toEqual([['main', 'count'], ['work', 'count'], ['main', 'pthread_create']]);
    expect(brief(lines[0]!)).toBe('main 20 21 24 count 7 8 9 10 main 28 work 12 13 15 16 count 7 8 9 10 work 18 main 20 21 23 pthread_create main 28');
  });

  it('valgrind', async () => {
    const { reports, lines } = await read('valgrind.txt');
    expect(reports.map(({ message, paths }) => [message, paths.length])).toEqual([['Invalid read of size 4', 3]]);
    expect(brief(lines[0]!)).toContain(IN_FIRST);
  });

  it('the kernel, with lines and without', () => {
    const text = ['[   12.345678] BUG: kernel NULL pointer dereference, address: 0000000000000008', '[   12.345680] #PF: supervisor read access in kernel mode', '[   12.345690] Oops: 0000 [#1] SMP', '[   12.345700] RIP: 0010:drop_node (drivers/demo/lists.c:24) demo', '[   12.345701] Code: 48 8b', '[   12.345710] Call Trace:', '[   12.345711]  <TASK>', '[   12.345712]  ? __die+0x23/0x70', '[   12.345713]  use_freed+0x1a/0x40 [demo]', '[   12.345714]  do_one_initcall (init/main.c:1234 (discriminator 3))', '[   12.345715]  </TASK>', '[   12.345720] ---[ end trace 0000000000000000 ]---', '[   13.0] WARNING: CPU: 0 PID: 1 at a.c:1 f+0x1/0x2', '[   13.0] Call Trace:', '[   13.0]  [<ffffffff81000000>] g+0x1/0x2'].join('\n');
    const reports = reportsOf(inputOf(text));
    expect(reports.map(({ message, rule, paths }) => [message, rule, paths.map(({ segments }) => segments.map((one) => one.function))])).toEqual([
      ['BUG: kernel NULL pointer dereference, address: 0000000000000008', 'bug', [['do_one_initcall', 'use_freed', 'drop_node']]],
      ['WARNING: CPU: 0 PID: 1 at a.c:1 f+0x1/0x2', 'warning', [['g']]],
    ]);
    expect(reports[0]?.paths[0]?.segments.map(({ file, steps: [step] }) => [file, step?.line, step?.module])).toEqual([['init/main.c', 1234, undefined], [undefined, undefined, 'demo'], ['drivers/demo/lists.c', 24, 'demo']]);
  });
});

describe('nesting without levels', () => {
  it('kinds of steps, and what their messages say', () => {
    const step = (name: string, line: number, kinds: string[], text: string): unknown => ({ kinds, location: { physicalLocation: { artifactLocation: { uri: 'a.c' }, region: { startLine: line } }, logicalLocations: [{ name, kind: 'function' }], message: { text } } });
    const log = { runs: [{ results: [{ message: { text: '' }, codeFlows: [{ threadFlows: [{ locations: [
      step('main', 1, ['call'], ''), step('f', 11, [], ''), step('f', 12, ['call'], ''), step('f', 10, ['enter'], ''), step('f', 13, ['return'], ''), step('main', 2, [], ''), step('other', 20, [], ''),
    ] }] }] }] }] };
    const [report] = reportsOf(inputOf(JSON.stringify(log)));
    expect(report?.paths[0]?.segments.map((segment) => [segment.function, segment.steps.map(({ line, detour }) => [line, detour])])).toEqual([
      ['main', [[1, 1], [2, undefined]]], ['f', [[11, undefined], [12, 2]]], ['f', [[10, undefined], [13, undefined]]], ['other', [[20, undefined]]],
    ]);
  });
});

it('says what is no report', () => {
  expect(() => reportsOf(inputOf('Hello.'))).toThrow(/^report: this is no report that is known; --format says what it is \(json, sarif, /);
  expect(() => reportsOf(inputOf('{}'), undefined, 'word')).toThrow(/^--format word is not known/);
});
