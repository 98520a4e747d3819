import { describe, expect, it } from 'vitest';
import { sampled } from '../table/testTable.js';
import { compile, VARIANTS as ALL_VARIANTS } from './compiled.js';
import { type Comparison, compare } from './executed.js';

const VARIANTS = sampled(ALL_VARIANTS, 3);

/** Programs of Debian that every test machine has; each takes many ways through the C library. */
const DEBIAN: readonly (readonly string[])[] = [
  ['/bin/ls', '-la', '/usr/bin/env', '/etc/passwd'],
  ['/bin/bash', '-c', 'for i in 1 2 3; do x=$((i*7 % 5)); case $x in 2) echo two;; *) echo "${x/2/3}";; esac; done; printf "%05d %s\\n" 7 abc; f() { local y=$1; echo $((y ** 2)); }; f 9'],
  ['/usr/bin/mawk', 'BEGIN { for (i = 0; i < 20; i++) { s = s sprintf("%d,%s;", i * i, substr("hello", i % 5)); n[i % 3] += i }; print s, length(s); gsub(/1/, "x", s); print s, n[1] }'],
  ['/usr/bin/perl', '-e', 'my %h = map { $_ => $_ ** 2 } 1..20; for (sort { $h{$a} <=> $h{$b} } keys %h) { print "$_ $h{$_}\n" if /1/ } my $s = join ",", map { sprintf "%03d", $_ } 1..9; $s =~ s/([0-9]+)/<$1>/g; print $s; eval { die "x" }; print $@'],
  ['/usr/bin/sort', '-n', '/etc/passwd'],
];
/** Those that are there only if they were installed. */
const MORE: readonly (readonly string[])[] = [
  ['/usr/bin/sqlite3', ':memory:', "create table t(a, b); insert into t values (1, 'x'), (2, 'y'), (3, 'z'); select a, upper(b), sum(a) over (order by a) from t where a > 1 group by b order by a desc;"],
  ['/usr/bin/gawk', 'BEGIN { split("a b c", parts); for (k in parts) t = t parts[k]; print toupper(t), match("foobar", /o+/), strftime("%Y", 0) }'],
];

function summary({ steps, indirect, functions, spent, slowest, misses }: Comparison): string {
  return `${steps} steps, ${indirect} of indirect jumps, ${misses.length} unknown; ${functions} functions in ${spent.toFixed()} ms, slowest ${slowest.name}: ${slowest.nodes} nodes in ${slowest.spent.toFixed(1)} ms`;
}

describe('every step that a program makes is an edge', () => {
  it.each(VARIANTS)('switches, %s', async (_, flags) => {
    const result = await compare([compile('switches.c', flags)], true);
    expect(result.misses).toEqual([]);
    expect(result.steps).toBeGreaterThan(100);
    expect(result.indirect).toBeGreaterThan(40);
  });

  it.each(VARIANTS)('borders, %s', async (_, flags) => {
    const result = await compare([compile('borders.c', flags)], true);
    expect(result.misses).toEqual([]);
  });

  it('hand-written code of the C library', async () => {
    const result = await compare([compile('strings.c', [])]);
    expect(result.misses).toEqual([]);
    expect(result.indirect).toBeGreaterThan(40);
  });

  it.each(VARIANTS)('exceptions, %s', async (_, flags) => {
    const result = await compare([compile('exceptions.cc', flags)], true);
    expect(result.misses).toEqual([]);
  });

  it.each(sampled([...DEBIAN, ...MORE], 2).map((words) => [words[0] as string, words] as const))('%s', async (_, words) => {
    const result = await compare(words);
    expect(result.misses, summary(result)).toEqual([]);
    expect(result.indirect).toBeGreaterThan(10);
  });
});
