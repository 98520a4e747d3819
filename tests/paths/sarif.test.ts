/** What SARIF can say: every flow, thread, stack and graph of it becomes a path. */
import { describe, expect, it } from 'vitest';
import { readReports } from '../../src/paths/readers/readers.js';
import { codeBase, codeLines, inputOf, reportsOf, textOf } from './harness.js';

const place = (uri: string, startLine: number, more: object = {}): object => ({ physicalLocation: { artifactLocation: { uri }, region: { startLine } }, ...more });
const logOf = (run: object): string => JSON.stringify({ version: '2.1.0', runs: [run] });
const resultOf = (result: object, run: object = {}): string => logOf({ results: [{ message: { text: 'm' }, ...result }], tool: { driver: { name: 't' } }, ...run });

describe('SARIF', () => {
  it('all flows with all threads, with their order, states, kinds and importance', () => {
    const thread = (id: string, ...lines: number[]): object => ({ id, locations: lines.map((line) => ({ location: place('a.c', line, { message: { text: `at ${line}` } }), executionOrder: line, importance: 'essential', kinds: ['acquire', 'lock'], module: 'a.out', state: { x: { text: '{0}', arguments: [String(line)] } } })) });
    const [report] = reportsOf(inputOf(resultOf({ codeFlows: [{ message: { text: 'one' }, threadFlows: [thread('t1', 1, 3), thread('t2', 2)] }, { threadFlows: [thread('t1', 4)] }] })));
    expect(report?.paths.map(({ role, title, group, thread: id }) => [role, title, group, id])).toEqual([['flow', 'one', 0, 't1'], ['flow', 'one', 0, 't2'], ['flow', undefined, undefined, 't1']]);
    expect(report?.paths[0]?.segments[0]?.steps[1]).toEqual({ line: 3, why: 'at 3', order: 3, importance: 'essential', kinds: ['acquire', 'lock'], module: 'a.out', state: { x: '3' } });
  });

  it('stacks, their parameters, and stacks of steps', () => {
    const stack = { message: { text: 'there' }, frames: [{ location: place('a.c', 2, { logicalLocations: [{ fullyQualifiedName: 'f' }] }), parameters: ['x=1', 'y'], module: 'a.so' }, { location: place('b.c', 9) }] };
    const [report] = reportsOf(inputOf(resultOf({ stacks: [stack], codeFlows: [{ threadFlows: [{ locations: [{ location: place('a.c', 2), stack }] }] }] })));
    expect(report?.paths.map(({ role, title }) => [role, title])).toEqual([['flow', undefined], ['stack', 'there'], ['stack', 'there']]);
    expect(report?.paths[2]?.segments).toEqual([{ file: 'b.c', steps: [{ line: 9, detour: 1 }] }, { function: 'f', file: 'a.c', steps: [{ line: 2, state: { x: '1', y: '' }, module: 'a.so' }] }]);
  });

  it('graphs, ways through them, and graphs of the run', () => {
    const graph = { nodes: [{ id: 'a', location: place('a.c', 1), label: { text: 'start' }, children: [{ id: 'c', location: place('a.c', 3) }] }, { id: 'b', location: place('a.c', 2) }], edges: [{ id: 'e', sourceNodeId: 'a', targetNodeId: 'c' }, { id: 'g', sourceNodeId: 'c', targetNodeId: 'a' }] };
    const traversal = { runGraphIndex: 0, initialState: { x: { text: '0' } }, edgeTraversals: [{ edgeId: 'e', message: { text: 'go' }, finalState: { x: { text: '1' } } }, { edgeId: 'g' }, { edgeId: 'e' }] };
    const [report] = reportsOf(inputOf(resultOf({ graphs: [graph], graphTraversals: [traversal] }, { graphs: [graph] })));
    expect(report?.paths.map(({ role, segments }) => [role, segments.flatMap(({ steps }) => steps.map(({ line }) => line))])).toEqual([['traversal', [1, 3, 1, 3]], ['graph', [1, 2, 3]]]);
    expect(report?.paths[0]?.segments[0]?.steps[1]).toEqual({ line: 3, why: 'go', state: { x: '1' } });
  });

  it('what the run says once: rules, messages, locations by number, bases of bases, whatever comes first', () => {
    const run = {
      results: [{ ruleIndex: 0, message: { id: 'bad', arguments: ['x'] }, suppressions: [{ kind: 'external', status: 'accepted', justification: 'known' }], codeFlows: [{ threadFlows: [{ locations: [{ index: 0 }, { index: 0, importance: 'unimportant' }] }] }] }],
      threadFlowLocations: [{ location: { physicalLocation: { artifactLocation: { index: 1 }, region: { startLine: 5, snippet: { text: '  five();\n' } } }, logicalLocations: [{ index: 0 }] } }],
      logicalLocations: [{ name: 'f', kind: 'function' }],
      artifacts: [{ location: { uri: 'other.c' } }, { location: { uri: 'sub%20dir/a.c', uriBaseId: 'SRC' }, hashes: { 'sha-256': 'ABCD' }, contents: { text: 'one\ntwo' } }],
      originalUriBaseIds: { SRC: { uri: 'src/', uriBaseId: 'ROOT' }, ROOT: { uri: 'file:///home/a/' }, LOOP: { uri: 'x/', uriBaseId: 'LOOP' } },
      tool: { driver: { name: 't', version: '2', rules: [{ id: 'R1', messageStrings: { bad: { text: '{0} is bad' } }, defaultConfiguration: { level: 'note' } }] } },
    };
    const input = inputOf(logOf(run), { piece: 7 });
    const [report] = reportsOf(input);
    expect(report).toEqual({
      rule: 'R1', level: 'note', message: 'x is bad', tool: 't 2', suppressions: [{ kind: 'external', status: 'accepted', justification: 'known' }],
      paths: [{ role: 'flow', segments: [{ function: 'f', file: 'sub dir/a.c', steps: [{ line: 5, snippet: '  five();' }, { line: 5, snippet: '  five();', importance: 'unimportant' }] }] }],
    });
    expect(readReports(input).files.get('sub dir/a.c')).toEqual({ name: 'sub dir/a.c', path: '/home/a/src/sub dir/a.c', hashes: { 'sha-256': 'abcd' }, text: 'one\ntwo' });
  });

  it('bases that go round in circles end', () => {
    const [report] = reportsOf(inputOf(resultOf({ locations: [{ physicalLocation: { artifactLocation: { uri: 'a.c', uriBaseId: 'LOOP' }, region: { startLine: 1 } } }] }, { originalUriBaseIds: { LOOP: { uri: 'x/', uriBaseId: 'LOOP' } } })));
    expect(report?.paths[0]?.segments[0]?.file).toBe('a.c');
  });

  it('locations where no path is, and what is related', () => {
    const [report] = reportsOf(inputOf(resultOf({ locations: [place('a.c', 1), place('a.c', 2)], relatedLocations: [place('a.c', 3), place('b.c', 4)], codeFlows: [{ threadFlows: [{ locations: [{ location: place('a.c', 2) }] }] }] })));
    expect(report?.paths.map(({ role, segments }) => [role, segments.map(({ file, steps }) => [file, steps.map(({ line }) => line)])])).toEqual([['flow', [['a.c', [2]]]], ['location', [['a.c', [1]]]], ['related', [['a.c', [3]], ['b.c', [4]]]]]);
  });

  it('parts of a log in files beside it', () => {
    const reference = (uri: string): object => ({ location: { uri } });
    const log = logOf({ tool: { driver: { name: 't' } }, externalPropertyFileReferences: { results: [reference('parts/r.json')], artifacts: [reference('parts/a.json')], driver: reference('parts/a.json') } });
    const beside = {
      'parts/r.json': JSON.stringify({ version: '2.1.0', results: [{ message: { text: 'from there' }, locations: [{ physicalLocation: { artifactLocation: { index: 0 }, region: { startLine: 2 } } }] }] }),
      'parts/a.json': JSON.stringify({ artifacts: [{ location: { uri: 'a.c' }, contents: { text: 'x\ny\n' } }], driver: { name: 'other' } }),
    };
    const input = inputOf(log, { beside });
    const [report] = reportsOf(input);
    expect([report?.message, report?.tool]).toEqual(['from there', 'other']);
    expect(codeLines(textOf(report!, codeBase({}, { files: readReports(input).files })).lines)).toEqual(['a.c:-', '2\ty']);
    expect(() => reportsOf(inputOf(logOf({ externalPropertyFileReferences: { results: [reference('../../etc/passwd')] } })))).toThrow('report: a part of it is in ../../etc/passwd, which is not in its folder or below');
  });

  it('is read piece by piece, however the pieces are cut', () => {
    const log = resultOf({ locations: [place('é"\\.c', 7)], message: { text: 'x\\"[{é' } }, { properties: { deep: [[[{ a: '}]"' }]], 1.5e-7, true, null] } });
    const bytes = new TextEncoder().encode(log).length;
    const whole = reportsOf(inputOf(log, { piece: bytes }));
    for (let piece = 1; piece < 60; piece++) expect(reportsOf(inputOf(log, { piece }))).toEqual(whole);
    expect(whole[0]?.message).toBe('x\\"[{é');
  });

  it('our own reports', () => {
    const [report] = reportsOf(inputOf(logOf({
      tool: { driver: { name: 'culprit', semanticVersion: '0.1.0', rules: [{ id: 'memory.corruption' }] } }, originalUriBaseIds: { SRCROOT: { uri: 'file:///w/' } },
      results: [{ ruleId: 'memory.corruption', ruleIndex: 0, level: 'error', message: { text: 'why' }, locations: [{ physicalLocation: { artifactLocation: { uri: 'a.c', uriBaseId: 'SRCROOT' }, region: { startLine: 3 } }, logicalLocations: [{ name: 'f', fullyQualifiedName: 'f@0x1', kind: 'function' }] }], codeFlows: [{ message: { text: 'from the corruption to what failed' }, threadFlows: [{ locations: [{ executionOrder: 1, location: { physicalLocation: { artifactLocation: { uri: 'a.c', uriBaseId: 'SRCROOT' }, region: { startLine: 3 } }, logicalLocations: [{ name: 'f', kind: 'function' }], message: { text: 'corrupts' } } }] }] }] }],
    })));
    expect(report).toMatchObject({ rule: 'memory.corruption', level: 'error', tool: 'culprit 0.1.0', paths: [{ role: 'flow', title: 'from the corruption to what failed', segments: [{ function: 'f', file: 'a.c', steps: [{ line: 3, order: 1, why: 'corrupts' }] }] }] });
  });
});
