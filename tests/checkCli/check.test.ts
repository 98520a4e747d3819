/** What `culprit check` says about programs with bugs, and where. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';
import { compiled, inFolder, lineOf } from './checked.js';
import { sarifProblems } from './sarifSchema.js';

const BUG = lineOf('doubleFree', 'BUG');
const ROOT = lineOf('doubleFree', 'ROOT');

interface SarifResult {
  readonly ruleId: string;
  readonly level: string;
  readonly locations: readonly { readonly physicalLocation: { readonly region: { readonly startLine: number } } }[];
  readonly codeFlows: readonly { readonly threadFlows: readonly { readonly locations: readonly { readonly location: { readonly physicalLocation: { readonly region: { readonly startLine: number } } } }[] }[] }[];
}

describe('a double free', () => {
  it('is stopped, told in order, and can be gone to', () => {
    inFolder(({ check, file, path }) => {
      const { status, stdout, stderr } = check('--record', 'bug.culprit', '--sarif', 'found.sarif', '--gen-suppressions', compiled('doubleFree'));
      expect({ status, stdout }).toEqual({ status: 99, stdout: 'working\n' });
      expect(stderr).toMatch(/^error: 0x[0-9a-f]+ is freed twice: .* \[double\.free\]\n {2}call of free \(\) in release \(\) at .*doubleFree\.c:/);
      expect(stderr).toContain(`  > ${BUG} |     free(a->php); /* BUG */\n`);
      expect(stderr).toMatch(/At the begin of a freed block of 6 bytes, allocated by malloc \(\) at time [\d,]+:\n {2}#1 +copy \(\) at /);
      expect(stderr).toMatch(/It was freed by free \(\) at time [\d,]+:\n {2}#1 +release \(\) at /);
      expect(stderr).toContain('the pointer that is freed and the pointer of the first free, from here on the same:');
      for (const unwanted of ['Killed', '\u001b']) expect(stderr).not.toContain(unwanted);
      expect(stderr).toContain('\ndouble.free\nfun:free\nfun:release\nfun:main\n');
      const [command = '', time = ''] = /culprit debug -ex 'goto (\d+)' bug\.culprit/.exec(stderr) ?? [];
      expect(command).not.toBe('');
      const debugged = culprit(['debug', '--batch', '-ex', `goto ${time}`, '-ex', 'frame function release', '-ex', 'print a->name', 'bug.culprit'], { cwd: path });
      expect(debugged.stdout).toContain('"one"');
      expect(sarifProblems(JSON.parse(file('found.sarif')))).toEqual([]);
      const { version, runs } = JSON.parse(file('found.sarif')) as { version: string; runs: { tool: { driver: { name: string; rules: { id: string; help: { text: string } }[] } }; results: SarifResult[] }[] };
      expect({ version, runs: runs.length, name: runs[0]?.tool.driver.name }).toEqual({ version: '2.1.0', runs: 1, name: 'culprit' });
      expect(runs[0]?.tool.driver.rules.find(({ id }) => id === 'double.free')?.help.text).toContain('detect <Trace; free r>');
      expect(runs[0]?.results).toMatchObject([{ ruleId: 'double.free', level: 'error', locations: [{ physicalLocation: { region: { startLine: BUG } } }] }]);
      const flows = runs[0]?.results[0]?.codeFlows.map(({ threadFlows }) => threadFlows[0]?.locations.map(({ location }) => location.physicalLocation.region.startLine));
      expect(flows).toHaveLength(2);
      expect(flows?.[0]?.slice(-2)).toEqual([ROOT, BUG]);
      expect(readdirSync(path).toSorted()).toEqual(['bug.culprit', 'found.sarif']);
    });
  });

  it('that is suppressed does not stop the program', () => {
    inFolder(({ check, path }) => {
      writeFileSync(join(path, 'known.txt'), 'double.free\n...\nfun:main\n');
      const { status, stdout, stderr } = check('--suppressions', 'known.txt', compiled('doubleFree'));
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'working\nnever said\n', stderr: 'culprit: 1 finding was suppressed\n' });
      expect(readdirSync(path)).toEqual(['known.txt']);
    });
  });
});

it('a call that is given the middle of something is told where in it that is', () => {
  inFolder(({ check }) => {
    const { stderr } = check('--keep-going', compiled('middle'));
    expect(stderr).toMatch(/memset is given 30 bytes at .*\n[^]*?^7 bytes inside of a block of 20 bytes, allocated by malloc/m);
    expect(stderr).toMatch(/memset is given 20 bytes at .*\n[^]*?^5 bytes inside of genstr, a global variable of 16 bytes\.$/m);
    expect(stderr).not.toContain('At the begin');
  });
});

it('names of C++ keep their underscores', () => {
  inFolder(({ check }) => {
    const { status, stderr } = check(compiled('iterator', 'cc'));
    expect(status).toBe(99);
    expect(stderr).toMatch(/ __gnu_cxx::__normal_iterator<int\*, std::vector<int, std::allocator<int> > >::operator\* \(\)/);
    expect(stderr).not.toMatch(/(?<!__)gnu_cxx::/);
  });
});

describe('--keep-going', () => {
  it('reports every place once, and leaks by place', () => {
    inFolder(({ check, file }) => {
      const { status, stdout, stderr } = check('--keep-going', '--leaks', '--error-exitcode', '7', '--json-file', 'found.json', '--sarif', 'found.sarif', compiled('several'));
      expect({ status, stdout }).toEqual({ status: 7, stdout: 'done\n' });
      const reports = JSON.parse(file('found.json')) as { rule: string; alike?: number; bytes?: number; access?: { kind: string; size: number }; stack: { isUsers: boolean; line: number; calledAs?: string }[] }[];
      const shown = reports.map(({ rule, alike, stack }) => ({ rule, alike, line: stack.find(({ isUsers }) => isUsers)?.line }));
      expect(shown).toEqual([
        { rule: 'heap.buffer.overflow', alike: 2, line: lineOf('several', 'LOOP') },
        // The call is wrong before it does anything, and then what it does is.
        { rule: 'libc.block.too.small', alike: undefined, line: lineOf('several', 'THREAD') },
        { rule: 'heap.buffer.overflow', alike: undefined, line: lineOf('several', 'THREAD') },
        { rule: 'definite.leak', alike: 2, line: undefined },
      ]);
      expect(reports[0]?.access).toMatchObject({ kind: 'write', size: 1 });
      expect(sarifProblems(JSON.parse(file('found.sarif')))).toEqual([]);
      expect(stderr).toMatch(/ {2}write of \d+ bytes? by memset \(\) in clear \(\) at .*several\.c:\d+, thread 2 \(\d+\)\n/);
      expect(stderr).toContain('2 more like it from the same place, 600 bytes altogether.');
      expect(stderr).toContain(`  > ${lineOf('several', 'LEAK')} |     char *lost = malloc(size);`);
    });
  });
});

it('what is fine ends as it does, and says nothing', () => {
  inFolder(({ check, path }) => {
    expect(check('--', 'sh', '-c', 'echo fine; exit 5')).toEqual({ status: 5, stdout: 'fine\n', stderr: '' });
    expect(readdirSync(path)).toEqual([]);
  });
});

describe('rules that are switched while the program runs', () => {
  function found(...options: string[]): { readonly lines: number[]; readonly times: number[]; readonly stdout: string } {
    return inFolder(({ check, file }) => {
      const { stdout } = check('--keep-going', '--json-file', 'found.json', ...options, compiled('switched'));
      const reports = JSON.parse(file('found.json')) as { time: number; stack: { line: number }[] }[];
      return { lines: reports.map(({ stack }) => stack[0]?.line ?? 0), times: reports.map(({ time }) => time), stdout };
    });
  }
  const [FIRST, SECOND, THIRD] = ['FIRST', 'SECOND', 'THIRD'].map((mark) => lineOf('switched', mark)) as [number, number, number];

  it('look on from one function to another', () => {
    expect(found('--disable', 'all', '--switch', 'checked=+heap.*', '--switch', 'unchecked=-all')).toMatchObject({ lines: [SECOND], stdout: 'done\n' });
  });

  it('look on from a time, or up to one', () => {
    const { lines, times: [, second = 0] } = found();
    expect(lines).toEqual([FIRST, SECOND, THIRD]);
    expect(found('--switch', `${second}=-all`)).toMatchObject({ lines: [FIRST], stdout: 'done\n' });
    expect(found('--switch', '0=-all', '--switch', `${second}=+heap.*,+dangling.*`)).toMatchObject({ lines: [SECOND, THIRD], stdout: 'done\n' });
  });

  it('let what they are about happen as long as they are off', () => {
    expect(found('--disable', 'heap.*', '--disable', 'dangling.*')).toMatchObject({ lines: [], stdout: 'done\n' });
  });
});

describe('a recording that was made by culprit check', () => {
  it('says once more what is wrong in it, with other rules, at other times, and with suppressions', () => {
    inFolder(({ check, file, path }) => {
      const [FIRST, SECOND, THIRD] = ['FIRST', 'SECOND', 'THIRD'].map((mark) => lineOf('switched', mark));
      const live = check('--keep-going', '--json-file', 'live.json', '--record', 'run.culprit', '--switch', '0=-all,+heap.*', compiled('switched'));
      expect(live).toMatchObject({ status: 99, stdout: 'done\n' });
      const again = (...options: string[]): { readonly status: number | null; readonly lines: (number | undefined)[]; readonly times: number[] } => {
        const { status, stdout } = check('--json-file', 'again.json', ...options, 'run.culprit');
        expect(stdout).toBe('');
        const reports = JSON.parse(file('again.json')) as { time: number; stack: { line: number }[] }[];
        return { status, lines: reports.map(({ stack }) => stack[0]?.line), times: reports.map(({ time }) => time) };
      };
      expect(again('--keep-going', '--switch', '0=-all,+heap.*').lines).toEqual([FIRST, SECOND]);
      expect(JSON.parse(file('again.json'))).toEqual(JSON.parse(file('live.json')));
      const { lines, times: [, second = 0] } = again('--keep-going');
      expect(lines).toEqual([FIRST, SECOND, THIRD]);
      expect(again()).toMatchObject({ status: 99, lines: [FIRST] });
      expect(again('--keep-going', '--switch', `${second}=-all`).lines).toEqual([FIRST]);
      expect(again('--keep-going', '--switch', '0=-all', '--switch', `${second}=+heap.*,+dangling.*`).lines).toEqual([SECOND, THIRD]);
      expect(again('--disable', 'heap.*', '--disable', 'dangling.*')).toMatchObject({ status: 0, lines: [] });
      writeFileSync(join(path, 'known.supp'), 'heap.*\nsrc:switched.c\n');
      expect(again('--suppressions', 'known.supp').lines).toEqual([THIRD]);
      expect(check('--suppressions', 'known.supp', 'run.culprit').stderr).toContain('culprit: 2 findings were suppressed');
    });
  });

  it('has what is left at the end', () => {
    inFolder(({ check, file }) => {
      const found = (name: string): { readonly rule: string }[] => JSON.parse(file(name)) as { rule: string }[];
      const program = compiled('several');
      check('--keep-going', '--leaks', '--json-file', 'live.json', '--record', 'run.culprit', program);
      expect(check('--keep-going', '--leaks', '--json-file', 'again.json', 'run.culprit').status).toBe(99);
      expect(found('again.json')).toEqual(found('live.json'));
      check('--keep-going', '--json-file', 'again.json', 'run.culprit');
      expect(found('again.json')).toEqual(found('live.json').filter(({ rule }) => rule !== 'definite.leak'));
    });
  });

  it('says what it cannot know', () => {
    inFolder(({ check, path }) => {
      check('--record', 'run.culprit', '--disable', 'all', '--enable', 'heap.*', compiled('switched'));
      expect(check('--disable', 'all', '--enable', 'heap.*', '--enable', 'double.free', 'run.culprit').stderr).toContain('culprit: nobody asked these rules when run.culprit was made: double.free\n');
      expect(check('--switch', 'main=-all', 'run.culprit')).toMatchObject({ status: 2, stderr: 'culprit: --switch main=...: in a recording rules are switched at times\n' });
      expect(check('run.culprit', 'word')).toMatchObject({ status: 2, stderr: 'culprit: run.culprit is a recording and takes no arguments: word\n' });
      expect(check('--allocator', 'a(size)=b(ptr)', 'run.culprit').status).toBe(2);
      culprit(['record', '-o', 'plain.culprit', 'true'], { cwd: path });
      expect(check('plain.culprit')).toMatchObject({ status: 2, stderr: 'culprit: plain.culprit was not made by culprit check --record: what is wrong in it was not looked for when it was made\n' });
    });
  });
});

describe('wrong use', () => {
  it.each([
    [['--error-exitcode', '300', 'true'], "culprit: option '--error-exitcode <N>' argument '300' is invalid. It should be a number from 0 to 255.\n"],
    [['--suppressions', 'nowhere.txt', 'true'], 'culprit: --suppressions nowhere.txt: No such file or directory\n'],
    [['--sarif', 'no/where.sarif', 'true'], 'culprit: --sarif no/where.sarif: No such file or directory\n'],
    [['--enable', 'nonsense', 'true'], 'culprit: no rule is called nonsense; see culprit rules list\n'],
    [['--switch', 'main', 'true'], "culprit: --switch main: write 'TIME=+rule,-rule' or 'FUNCTION=+rule,-rule'\n"],
    [['--switch', '7=+nonsense', 'true'], 'culprit: no rule is called nonsense; see culprit rules list\n'],
    [[], "culprit: missing required argument 'PROGRAM'\n"],
  ])('%j is one line', (args, stderr) => {
    expect(inFolder(({ check }) => check(...args))).toEqual({ status: 2, stdout: '', stderr });
  });
});

it('functions of C++ are named without their parameters', () => {
  inFolder(({ check }) => {
    const { status, stderr } = check('--enable', 'leak.in.ts', '--functions', 'ts=shop::transaction', compiled('transactions', 'cc'));
    expect(stderr).toMatch(/^warning: 30 bytes that malloc allocated at time \d+, inside of the transaction that began at \d+, outlive it \[leak\.in\.ts\]\n {2}in shop::transaction \(\) at /);
    expect(status).toBe(99);
  });
});

it('a rule may be about any argument of a function that is chosen by the CPU', () => {
  inFolder(({ check, path }) => {
    writeFileSync(join(path, 'locale.bug'), '[no.locale] detect <call strncasecmp_l(., ., ., where)>: where == NULL\n');
    const { status, stderr } = check('--rules', 'locale.bug', compiled('noLocale'));
    expect(stderr).toMatch(/^error: .*\[no\.locale\]\n {2}call of strncasecmp_l \(\) in main \(\) at /);
    expect(status).toBe(99);
  });
});
