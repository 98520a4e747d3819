/**
 * Programs of others as they are while their authors work on them: with debug information and without optimisation, so
 * that locals and globals are watched (`sources/packages.ts`). Nothing is reported but what is wrong, and what comes
 * out is what comes out natively. CULPRIT_LONG=1 only: it takes the network, and some minutes to build them.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';
import { built, type Package } from './sources/packages.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const OURS = fileURLToPath(new URL('sources/', import.meta.url));
/** Some text to work on: a source of ours that does not change every day. */
const TEXT = fileURLToPath(new URL('../../bench/integerLoop.c', import.meta.url));
const OTHER_TEXT = fileURLToPath(new URL('../../bench/matrixLoop.c', import.meta.url));

interface Run {
  readonly name: string;
  readonly package: Package;
  /** The program, in the folder where it was built. */
  readonly program: string;
  readonly args: (folder: string) => readonly string[];
  readonly input?: string;
  /** Bugs that it has. */
  readonly finds?: readonly string[];
}

const RUNS: readonly Run[] = [
  { name: 'lua', package: 'lua5.4', program: 'src/lua', args: () => [`${OURS}all.lua`] },
  // RIGHT_BUCKET in its malloc.c looks at binsizes[-1].
  { name: 'bash', package: 'bash', program: 'bash', args: () => [`${OURS}all.sh`], finds: ['global.buffer.overflow'] },
  { name: 'sqlite3', package: 'sqlite3', program: 'sqlite3', args: () => [':memory:'], input: readFileSync(`${OURS}all.sql`, 'utf8') },
  { name: 'tcc -run', package: 'tcc', program: 'tcc', args: (folder) => [`-B${folder}`, `-I${folder}/include`, '-run', `${OURS}small.c`] },
  { name: 'tcc compiles itself', package: 'tcc', program: 'tcc', args: (folder) => [`-B${folder}`, `-I${folder}/include`, `-I${folder}`, '-DONE_SOURCE=1', '-c', '-o', `${folder}/self.o`, `${folder}/tcc.c`] },
  { name: 'xmllint', package: 'libxml2', program: 'xmllint', args: () => ['--format', '--noent', '--valid', `${OURS}small.xml`] },
  { name: 'xmllint --html', package: 'libxml2', program: 'xmllint', args: () => ['--html', '--recover', '-'], input: '<html><p>un<b>closed<td>x &nbsp; &copy;</html>' },
  { name: 'xz', package: 'xz-utils', program: 'src/xz/xz', args: () => ['-c', '-k', '-T1', TEXT] },
  { name: 'bzip2', package: 'bzip2', program: 'bzip2', args: () => ['-c', TEXT] },
  { name: 'gzip', package: 'gzip', program: 'gzip', args: () => ['-9nc', TEXT] },
  { name: 'sed', package: 'sed', program: 'sed/sed', args: () => ['-nE', '/static/{s/(int|char) +([a-z_]+)/\\2:\\1/gp;=};$!N;P;D;y/abc/xyz/', TEXT] },
  { name: 'm4', package: 'm4', program: 'src/m4', args: () => [], input: "define(`f',`ifelse($1,0,1,`eval($1*f(decr($1)))')')f(6) translit(`hello',`a-z',`A-Z') regexp(`foobar',`o+') patsubst(`a-b-c',`-',`+') format(`%05d',42) divert(1)later\ndivert(0)now\n" },
  { name: 'ed', package: 'ed', program: 'ed', args: () => ['-s', TEXT], input: '1,5p\n/static/\n,s/int/INT/g\n1,3p\ng/char/s//CHAR/\n1,2t5\n3,4m10\n5,8n\nu\nQ\n' },
  { name: 'diff', package: 'diffutils', program: 'src/diff', args: () => ['-u', '-p', '--ignore-all-space', '--label=a', '--label=b', TEXT, OTHER_TEXT] },
  { name: 'diff -y', package: 'diffutils', program: 'src/diff', args: () => ['-y', '-W', '90', TEXT, OTHER_TEXT] },
  { name: 'grep', package: 'grep', program: 'src/grep', args: () => ['-niE', '(st[a-z]+) +\\w+|([0-9])\\2', TEXT] },
  { name: 'mawk', package: 'mawk', program: 'mawk', args: () => ['{ n[$1]++; s += NF; gsub(/a/, "b"); l = l substr($0, 1, 1) } END { for (k in n) c++; print c, s, length(l), sprintf("%05.1f|%-5s|%x", 3.14, "ab", 255), index("hello", "l"), split("a b c", q) }', TEXT] },
];

describe('programs of others, without optimisation', () => {
  it.runIf(LONG).each(RUNS)('$name', async ({ package: name, program, args, input = '', finds = [] }) => {
    const folder = await built(name);
    const command = [`${folder}/${program}`, ...args(folder)];
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
    const native = spawnSync(command[0] as string, command.slice(1), { input, env, encoding: 'utf8' });
    const { status, stdout, stderr } = culprit(['check', '--keep-going', '--', ...command], { input, env });
    expect([...stderr.matchAll(/ \[([a-z]+(?:\.[a-z]+)+)\]$/gm)].map(([, rule]) => rule)).toEqual(finds);
    expect({ stdout, status }).toEqual({ stdout: native.stdout, status: finds.length > 0 ? 99 : native.status });
  });
});
