import { describe, expect, it } from 'vitest';
import type { SourceLink } from '../../flow/describe.js';
import { loadRulesOrThrow } from '../../rules/language/load.js';
import type { ReportedFrame } from './frames.js';
import type { Report, ReportedBlock } from './report.js';
import { placeInBlock, reportText, shortPath } from './reportText.js';
import { sarifLog } from './sarif.js';
import { colourStyle } from './textStyle.js';

const DIRECTORY = '/home/me/my project';

function frame(level: number, name: string, line: number, more: Partial<ReportedFrame> = {}): ReportedFrame {
  return { level, function: name, file: `${DIRECTORY}/src/list.c`, line, column: 9, text: `        ${name}_text();`, address: 0x401000n, object: `${DIRECTORY}/prog`, isUsers: true, ...more };
}

const LIBRARY = { isUsers: false, file: undefined, line: 0, object: '/lib/libc.so.6' };
const STACK = [frame(0, '__memset_inner', 0, LIBRARY), frame(1, '__memset', 0, { ...LIBRARY, calledAs: 'memset' }), frame(2, 'clear', 6), frame(3, 'main', 20), frame(4, 'clone3', 0, LIBRARY)];
const BLOCK: ReportedBlock = {
  begin: 0x5000, size: 16, offset: 16, freed: undefined,
  allocated: { time: 12345, by: 'malloc', stack: [frame(0, '__malloc', 0, { ...LIBRARY, calledAs: 'malloc' }), frame(1, 'main', 10)] },
};
const LINK: SourceLink = {
  kind: 'constant', time: 99, thread: 0, address: 0x401000, functionName: 'main', fileName: 'list.c', path: `${DIRECTORY}/src/list.c`, line: 18, text: '  p = 0;', target: 'p', source: undefined,
  value: '0x0', offset: undefined, called: undefined, syscall: undefined, links: [],
};
const REPORT: Report = {
  rule: 'heap.buffer.overflow', severity: 'error', message: 'too far', time: 777, thread: { number: 2, tid: 101, pid: 100, threads: 3, processes: 1 },
  access: { kind: 'write', address: 0x500cn, size: 8 }, stack: STACK, excerpt: { frame: frame(2, 'clear', 6), first: 5, lines: ['{', '\tmemset(p, 0, 20);', '}'] },
  block: BLOCK, chains: [{ locator: 'VPC(r)', of: 'the pointer', chain: { links: [LINK], isComplete: true, steps: 1 } }], alike: { count: 0, bytes: 0 },
};

describe('the text of a report', () => {
  it('says what, where, whose, and how it came to be', () => {
    expect(reportText(REPORT, { directory: DIRECTORY, command: (time) => `goto ${time}` })).toBe(`error: too far [heap.buffer.overflow]
  write of 8 bytes by memset () in clear () at src/list.c:6, thread 2 (101)

    5 | {
  > 6 | \tmemset(p, 0, 20);
      | \t       ^
    7 | }

  #1   memset ()
  #2   clear () at src/list.c:6
  #3   main () at src/list.c:20

12 bytes inside of a block of 16 bytes and beyond its end, allocated by malloc () at time 12,345:
  #1   main () at src/list.c:10
          main_text();

Where the pointer comes from, newest first:
  #0    time 99  main () at list.c:18
        18\tp = 0;
        p = 0x0, a constant
  1 step to where it was made.

goto 777`);
  });

  it('of a leak begins with where it was allocated', () => {
    const text = reportText({ ...REPORT, stack: [], access: undefined, excerpt: undefined, chains: [], alike: { count: 2, bytes: 1048 } }, { directory: DIRECTORY });
    expect(text).toBe(`error: too far [heap.buffer.overflow]

A block of 16 bytes, allocated by malloc () at time 12,345:
  #1   main () at src/list.c:10
          main_text();

2 more like it from the same place, 1,048 bytes altogether.`);
  });

  it('has colours only if asked', () => {
    expect(reportText(REPORT)).not.toContain('\u001b');
    expect(reportText(REPORT, { style: colourStyle })).toContain('\u001b[1;31merror:\u001b[0m');
  });
});

it.each([
  [-4, 16, false, '4 bytes before a block of 16 bytes'],
  [16, 16, false, '0 bytes after a block of 16 bytes'],
  [17, 16, true, '1 byte after a freed block of 16 bytes'],
  [0, 1, true, 'at the begin of a freed block of 1 byte'],
  [5, 16, false, '5 bytes inside of a block of 16 bytes'],
  [undefined, 16, false, 'a block of 16 bytes'],
])('byte %i of %i bytes, freed: %s', (offset, size, isFreed, text) => {
  expect(placeInBlock({ ...BLOCK, offset, size, freed: isFreed ? BLOCK.allocated : undefined }, undefined)).toBe(text);
});

it('long paths show their end', () => {
  expect(shortPath('/a/b.c')).toBe('/a/b.c');
  expect(shortPath('/work/of/somebody/with/a/long/path/to/his/source.c')).toBe('…/with/a/long/path/to/his/source.c');
  expect(shortPath(`${DIRECTORY}/src/list.c`, DIRECTORY)).toBe('src/list.c');
});

it('SARIF has rules, places relative to the directory, and chains in the order of time', () => {
  const rules = loadRulesOrThrow(['a.bug'], () => '[heap.buffer.overflow] detect <deref r>: r == NULL message "at {r}" severity error help "Stay inside."', {});
  const older = { ...LINK, line: 3, path: '/elsewhere/a b.c' };
  const report: Report = { ...REPORT, chains: [{ locator: 'VPC(r)', of: 'the pointer', chain: { links: [LINK, older], isComplete: true, steps: 2 } }] };
  const place = (uri: object, startLine: number): object => ({ physicalLocation: { artifactLocation: uri, region: { startLine } } });
  const own = { uri: 'src/list.c', uriBaseId: 'SRCROOT' };
  expect(sarifLog([report], { version: '1.2.3', rules, commandLine: './prog', exitCode: 137, directory: DIRECTORY })).toMatchObject({
    version: '2.1.0',
    runs: [{
      tool: { driver: { name: 'culprit', rules: [{ id: 'heap.buffer.overflow', shortDescription: { text: 'at r' }, help: { text: 'Stay inside.\n\n[heap.buffer.overflow] detect <deref r>: r == NULL' }, defaultConfiguration: { level: 'error', enabled: true } }] } },
      originalUriBaseIds: { SRCROOT: { uri: 'file:///home/me/my%20project/' } },
      results: [{
        ruleId: 'heap.buffer.overflow', ruleIndex: 0, level: 'error', locations: [place(own, 6)],
        stacks: [{ frames: [{ module: '/lib/libc.so.6' }, { location: place(own, 6) }, { location: place(own, 20) }] }],
        relatedLocations: [place(own, 10)],
        codeFlows: [{ threadFlows: [{ locations: [{ executionOrder: 1, location: place({ uri: 'file:///elsewhere/a%20b.c' }, 3) }, { executionOrder: 2, location: place(own, 18) }] }] }],
      }],
    }],
  });
});
