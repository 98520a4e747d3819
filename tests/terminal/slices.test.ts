/** Slices at the prompt: exact answers on two small programs, and that stops are at the very instances. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { SliceFiles } from '../../src/slices/sliceCommands.js';
import { compile } from './compiled.js';
import { type Talk, talk } from './transcripts.js';

const FLAGS = ['-O0', '-g'];
const saved = new Map<string, string>();
const files: SliceFiles = { besides: 'run.culprit.slices', read: (path) => saved.get(path), write: (path, text) => void saved.set(path, text) };
let session: Talk;
const say = async (line: string): Promise<string> => plain(await session.say(line));

/** Without what differs between machines. */
function plain(text: string): string {
  return text.replace(/\S*\/(\w+\.c):/g, '$1:').replace(/[\d,]+ instructions? of [\d,]+ \([\d.]+ %\), the (first|last) [\d,]+ (back|on)/g, 'N instructions').replace(/; \d+ system calls? had a part in it/g, '');
}

const membersOf = (text: string): number[] => [...text.matchAll(/^\[ ?\d+\] +(\d+) >/gm)].map(([, line]) => Number(line));
const stopOf = (text: string): string | undefined => /^(\d+)\t/m.exec(text)?.[1];

const OF_MOST = `7 lines in 2 functions; N instructions; 8 data edges, 5 control edges
data from maximum.c:20 (most)

maximum.c:
[1]  9 > {  (4 times)
              data from 20 ($rdi)
              control from 20
         ...
[2] 11 >     if (a > b)  (4 times)
              data from 9 (b)
              control from 20
[3] 12 >         return a;  (2 times)
              data from 9 (a)
              control from 11
[4] 13 >     return b;  (2 times)
              data from 9 (b)
              control from 11
         ...
[5] 18 >     int most = 0;
[6] 19 >     for (int i = 0; i < 4; i++)  (4 times)
[7] 20 >         most = larger(values[i], most);  (4 times)
              data from 13 ($rax), 19 (i), 12 ($rax), 18 (most)
              control from 19
`;

describe('a crash', () => {
  it('is what a slice is of if nothing is said', async () => {
    session = await talk(compile('terminal/programs/overwritten.c', FLAGS));
    const text = await say('slice');
    expect(text).toMatch(/^Slice 1: the crash at overwritten\.c:25 in \w+, time [\d,]+:\n/);
    expect(membersOf(text)).toEqual(expect.arrayContaining([20, 25]));
    expect(await say('deps')).toMatch(/^overwritten\.c:25#2 depends on:\n1 {2}overwritten\.c:/);
  }, 60_000);

  it('that leads nowhere is named by where control was before', async () => {
    session = await talk(compile('terminal/programs/smashed.c', [...FLAGS, '-fno-stack-protector']));
    const jump = 'at smashed.c:10 in copy_name from 0x[0-9a-f]+ to 0x74666172642e, where there is no code';
    expect(await say('slice')).toMatch(new RegExp(`^Slice 1: the jump ${jump}, time [\\d,]+:\\n`));
    expect(await say('slice show 1')).toContain('data from 9 (return address of copy_name), 25 (return address of copy_name)\n');
    expect(await say('deps')).toBe(`smashed.c:10#1 depends on:
1  smashed.c:9#1   data (return address of copy_name)  strcpy(room, name);
2  smashed.c:25#1  data (return address of copy_name)  copy_name("0123456789abcdef01234567.draft");
3  smashed.c:25#1  control  copy_name("0123456789abcdef01234567.draft");
`);
    await say('goto start');
    expect(await say('continue')).toMatch(/SIGSEGV.*\n0x000074666172642e in \?\? \(\)\nThe program counter went from 0x[0-9a-f]{16} to 0x000074666172642e, where there is no code, in\n0x[0-9a-f]+ in copy_name \(.*\) at smashed\.c:10\n10\t}\n$/);
    expect(await say('info line')).toMatch(/^Line 10 of /);
  }, 60_000);

  it('in a library is what the line depends on that called it', async () => {
    session = await talk(compile('terminal/programs/smashed.c', [...FLAGS, '-fno-stack-protector']), ['4']);
    expect(await say('slice')).toMatch(/^Slice 1: what sent SIGABRT in free, called at smashed\.c:18 in overrun, time/);
    expect(await say('deps')).toBe(`smashed.c:18#1 depends on:
1  smashed.c:17#4  data (first[i])  first[i] = 0;
2  smashed.c:15#1  data (second)  long *second = malloc(24);
3  smashed.c:24#1  control  overrun(atoi(argv[1]));
`);
    expect(await say('slice 0x10 8')).toBe('there is no memory at 0x10 here\n');
    expect(await say('slice 0xfffffffffffffff8 4')).toBe('there is no memory at 0xfffffffffffffff8 here\n');
    expect(await say('slice smashed.c:18 $rax 0x10 0')).toBe('a slice is of 1 to 16,777,216 bytes, not of 0\n');
  }, 60_000);

  it.skipIf(process.env['CULPRIT_LONG'] === undefined)('of a program without names is told by where its functions begin', async () => {
    session = await talk(compile('terminal/programs/smashed.c', ['-O0', '-s', '-fno-stack-protector']), ['4']);
    expect(await say('slice -data')).toMatch(/^Slice 1: what sent SIGABRT in free, called in 0x[0-9a-f]+, time[^]*\nwithout debug information:\n\[1\] {3}> 0x[0-9a-f]+\n$/);
  }, 60_000);
});

describe('slices at the prompt', () => {
  beforeAll(async () => {
    session = await talk(compile('terminal/programs/maximum.c', FLAGS), [], undefined, files);
  }, 60_000);

  it('says what a value depended on, with numbers for the slice and its members', async () => {
    expect(await say('info slices')).toBe('No slices.\n');
    expect(await say('slice maximum.c:21#1 most')).toBe(`Slice 1: most at maximum.c:21#1:\n${OF_MOST}`);
    expect(await say('slice show 1')).toBe(`Slice 1: most at maximum.c:21#1:\n${OF_MOST}`);
    expect(await say('info slices')).toBe('Num  Lines  Instances  Edges  Of\n1    7      77         14     most at maximum.c:21#1\n');
  });

  it('says what an instance depends on, goes there and comes back', async () => {
    await say('goto maximum.c:20#3');
    expect(await say('deps')).toBe(`maximum.c:20#3 depends on:
1  maximum.c:13#1  data ($rax)  return b;
2  maximum.c:19#3  data (i)  for (int i = 0; i < 4; i++)
3  maximum.c:19#3  control  for (int i = 0; i < 4; i++)
4  maximum.c:20#2  data (most)  most = larger(values[i], most);
`);
    expect(await say('follow 1')).toBe('larger (a=4, b=9) at maximum.c:13\n13\t    return b;\n');
    expect(await say('deps')).toBe('maximum.c:13#1 depends on:\n1  maximum.c:11#3  control  if (a > b)\n2  maximum.c:9#3   data (b)  {\n');
    expect(await say('back')).toBe('main () at maximum.c:20\n20\t        most = larger(values[i], most);\n');
    await say('goto end');
  });

  it('prunes: what is left is a part of the slice', async () => {
    const all = membersOf(await say('slice show 1'));
    expect(membersOf(await say('prune 1 larger'))).toEqual([19, 20]);
    expect(membersOf(await say('prune 1 $rax'))).toEqual([19, 20]);
    const without = membersOf(await say('prune 1 maximum.c:11'));
    expect(without).toEqual([9, 12, 13, 19, 20]);
    expect(without.every((line) => all.includes(line))).toBe(true);
    await say('goto maximum.c:20#4');
    const withoutIndex = await say('prune 1 i');
    expect(membersOf(withoutIndex).every((line) => all.includes(line))).toBe(true);
    expect(withoutIndex).not.toContain('(i)');
    expect(membersOf(await say('prune 1 most'))).toEqual([]);
    await say('sdelete 2 3 4 5 6');
    expect(await say('info slices')).toMatch(/^Num.*\n1 .*\n$/);
    await say('goto end');
  });

  it('stops at the very instances, forward and backward', async () => {
    expect(await say('sbreak 1 4,5')).toBe('Breakpoint 1 at slice 1 4,5: 3 instances\n');
    await say('goto start');
    const forward = [await say('c'), await say('c'), await say('c')];
    expect(forward.map(stopOf)).toEqual(['18', '13', '13']);
    expect(await say('c')).toMatch(/SIGABRT/);
    await say('goto end');
    expect([await say('rc'), await say('rc'), await say('rc')]).toEqual([...forward].reverse());
    expect(await say('rc')).toMatch(/No more reverse-execution history/);
    await say('delete 1');
    await say('goto maximum.c:20#3');
    expect(await say('sstep')).toMatch(/^\[1\] maximum\.c:9#3\nlarger \(.*\) at maximum\.c:9\n9\t\{\n$/);
    expect(await say('sstep')).toBe('[2] maximum.c:11#3\nlarger (a=4, b=9) at maximum.c:11\n11\t    if (a > b)\n');
    await say('rsstep');
    expect(await say('rsstep')).toBe('[7] maximum.c:20#3\nmain () at maximum.c:20\n20\t        most = larger(values[i], most);\n');
    await say('goto end');
  });

  it('combines, chops, and looks at parts of the run only', async () => {
    const made = await say('slice maximum.c:19#2');
    const other = /^Slice (\d+)/.exec(made)?.[1] ?? '';
    expect(membersOf(made)).toEqual([19]);
    expect(membersOf(await say(`slice minus 1 ${other}`))).toEqual([9, 11, 12, 13, 18, 20]);
    expect(membersOf(await say(`slice intersect 1 ${other}`))).toEqual([19]);
    expect(membersOf(await say(`slice union ${other} 1`))).toEqual(membersOf(OF_MOST));
    expect(membersOf(await say('chop maximum.c:18 maximum.c:21#1'))).toEqual([9, 11, 12, 13, 18, 20, 21]);
    expect(membersOf(await say('slice forward maximum.c:18#1'))).toEqual(expect.arrayContaining([9, 11, 18, 20, 21, 22]));
    expect(await say('record maximum.c:20#3 on')).toBe('maximum.c:20#3: from there on.\n');
    expect(membersOf(await say('slice maximum.c:21#1 most'))).toEqual([9, 11, 13, 19, 20]);
    expect(await say('record all')).toBe('Slices look at the whole run.\n');
  });

  it('keeps slices in files', async () => {
    expect(await say('slice save 1')).toBe('Slice 1, 7 lines, is in run.culprit.slices\n');
    const loaded = await say('slice load');
    expect(loaded.replace(/^Slice \d+/, 'Slice 1')).toBe(`Slice 1: most at maximum.c:21#1:\n${OF_MOST}`);
    const id = /^Slice (\d+)/.exec(loaded)?.[1] ?? '';
    expect(await say(`sbreak ${id} 4,5`)).toMatch(/: 3 instances\n$/);
    expect(await say(`prune ${id} larger`)).toBe(`slice ${id} was loaded, or made of other slices: prune those that "slice" has made\n`);
    await say('delete');
    saved.set('other', (saved.get('run.culprit.slices') as string).replace(/"recording":"\d+/, '"recording":"1'));
    expect(await say('slice load other')).toBe('other is a slice of another recording\n');
    saved.set('none', '{}');
    expect(await say('slice load none')).toBe('none is no slice that "slice save" has written\n');
    expect(await say('slice load missing')).toBe('missing cannot be read\n');
  });

  it.each([
    ['prune 1 nothing', 'there is no variable, register, line or function nothing here: variables can be left out where they are visible, or are global'],
    ['sbreak 1 99', 'there is no member 99 in it: they are numbered from 1 to 7 ("slice show ID")'],
    ['record 12', 'say whether slices look at what is after it or before it: record 12 on, or record 12 off'],
    ['record maximum.c:20#9 off', 'maximum.c:20 was reached 4 times, not 9'],
    ['record nowhere', 'there is no function nowhere here: write record FILE:LINE on, record FILE:LINE off, or record FUNCTION'],
    ['slice maximum.c:20#9', 'maximum.c:20 was reached 4 times, not 9'],
    ['slice show 77', 'there is no slice 77: "info slices" lists them'],
    ['slice -x', '-x is no option of slices: there are -data, -control, -frames, -into-libraries'],
    ['follow 99', 'say which of the dependences: follow 1 to follow 2'],
    ['chop maximum.c:22 maximum.c:20#1', 'maximum.c:20#1 does not depend on maximum.c:22'],
  ])('%s: one line, and nothing changes', async (line, answer) => {
    const before = await say('info slices');
    expect(await say(line)).toBe(`${answer}\n`);
    expect(await say('info slices')).toBe(before);
  });
});
