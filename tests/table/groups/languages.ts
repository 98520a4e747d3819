/** Interpreters on real scripts (../scripts): they exercise libc, libm and large amounts of code. */
import { readFileSync } from 'node:fs';
import { numbers, prose } from '../inputs.js';
import { type Invocation, row } from '../invocation.js';

function script(name: string): string {
  return readFileSync(new URL(`../scripts/${name}`, import.meta.url), 'utf8');
}

/** Runs a script of ours, copied to where it runs. */
function scripted(program: readonly string[], name: string, more: Partial<Invocation> = {}): Invocation {
  const { files, ...rest } = more;
  return row(`${program[0]} ${name}`, [...program, name], { files: { [name]: script(name), ...files }, ...rest });
}

const PYTHON = ['/usr/bin/python3', '-S', '-B'];
/** Python hashes strings by a random key otherwise. */
const SAME_HASHES = { environment: { PYTHONHASHSEED: '0' } };

export const LANGUAGES = [
  scripted(PYTHON, 'collections.py', SAME_HASHES),
  scripted(PYTHON, 'numbers.py'),
  scripted(PYTHON, 'text.py', SAME_HASHES),
  scripted(PYTHON, 'errors.py', SAME_HASHES),
  scripted(PYTHON, 'files.py'),
  scripted(PYTHON, 'nbody.py'),
  row('python3 version', ['/usr/bin/python3', '-V']),
  row('python3 from stdin', ['/usr/bin/python3', '-', 'a', 'b'], { stdin: 'import sys\nprint(sys.argv, sys.flags.isolated)\nfor l in sys.stdin: pass\n' }),
  row('python3 syntax error', [...PYTHON, '-c', 'print("a"\nx = 1']),
  row('python3 json.tool', [...PYTHON, '-m', 'json.tool', '--sort-keys'], { stdin: '{"b": [1, 2.50, null], "a": {"x": "\\u00e9"}}' }),
  row('python3 killed by a signal', [...PYTHON, '-c', 'import os, signal; print("before", flush=True); os.kill(os.getpid(), signal.SIGTERM)']),
  row('python3 -m dis', [...PYTHON, '-m', 'dis'], { stdin: 'def f(a, *b):\n  return [x for x in b if x > a]\n', normalise: (text) => text.replace(/0x[0-9a-f]+/g, 'address') }),
  scripted(['perl'], 'regex.pl', { environment: { PERL_HASH_SEED: '0' } }),
  row('perl -ne', ['perl', '-ne', '$n{lc $_}++ for /\\w+/g; END { print map { "$_ $n{$_}\\n" } sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n }'], { stdin: prose(2000) }),
  row('perl -pe', ['perl', '-i.orig', '-pe', 's/(\\d+)/$1 * 2/ge', 'f'], { files: { f: numbers(1000) } }),
  row('perl bigint', ['perl', '-Mbigint', '-e', 'print 2 ** 150, " ", 100 -> copy -> bfac, "\\n"']),
  row('perl Digest and List', ['perl', '-MDigest::SHA=sha256_hex', '-MList::Util=sum,shuffle', '-MMIME::Base64', '-e', 'print sha256_hex("x" x 10000), sum(1 .. 100), encode_base64("bytes" x 20)']),
  row('perl dies', ['perl', '-e', 'print "a"; die "oh no"']),
  row('perl Unicode', ['perl', '-CS', '-Mutf8', '-e', 'print lc("ÄÖÜ ΣΊΣΥΦΟΣ"), length("漢字"), "e\\x{301}" =~ /^\\X$/ ? " one" : " two", "\\n"']),
  scripted(['lua5.4'], 'queens.lua'),
  scripted(['tclsh'], 'words.tcl', { long: false }),
  scripted(['ruby', '--disable-gems'], 'shapes.rb'),
  row('sqlite3 report', ['sqlite3', ':memory:'], { stdin: script('report.sql') }),
  row('sqlite3 to a file', ['sqlite3', 'x.db', 'CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT); WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<3000) INSERT INTO t SELECT i, hex(i*i) FROM n; DELETE FROM t WHERE a%7=0; VACUUM; SELECT count(*), sum(length(b)) FROM t;']),
  row('sqlite3 -csv import', ['sqlite3', '-header', '-csv', ':memory:', '.import f t', 'SELECT k, sum(v) FROM t GROUP BY k'], { files: { f: 'k,v\na,1\nb,2\na,3.5\n"c,d",4\n' } }),
  scripted(['dash'], 'builtins.sh', { files: { input: 'one 1\ntwo 2 3\n' } }),
  scripted(['bash'], 'builtins.sh', { files: { input: 'one 1\ntwo 2 3\n' } }),
  row('bash arrays and regex', ['bash', '-c', 'declare -A m; for w in a b a c a; do ((m[$w]++)); done; for k in a b c; do echo "$k ${m[$k]}"; done; [[ foo42 =~ ([a-z]+)([0-9]+) ]] && echo "${BASH_REMATCH[2]}"; a=({1..5}); echo "${a[@]:1:3} ${#a[@]}"; printf -v x "%08.3f" 3.14159; echo "$x ${x//0/o} ${x^^}"; exit 11']),
  row('script with #!', ['./script', 'argument'], { files: { script: { bytes: '#!/usr/bin/perl -w\nprint "$0 @ARGV $^W\\n";\n', mode: 0o755 } } }),
  row('busybox', ['busybox', 'wc', 'f'], { files: { f: prose(500) } }),
  row('busybox awk', ['busybox', 'awk', 'BEGIN { for (i = 0; i < 3000; i++) s += i * sin(i); printf "%.12g %s\\n", s, toupper("abc") }']),
  row('busybox sh', ['busybox', 'sh', 'builtins.sh'], { files: { 'builtins.sh': script('builtins.sh'), input: 'one 1\n' } }),
  row('busybox sha256sum', ['busybox', 'sha256sum', 'f'], { files: { f: prose(3000) } }),
  row('busybox gzip', ['busybox', 'gzip', '-c', 'f'], { files: { f: prose(1000) } }),
  row('busybox sed', ['busybox', 'sed', '-E', 's/(\\w+) (\\w+)/\\2 \\1/g'], { stdin: prose(300) }),
  row('busybox bc', ['busybox', 'dc', '-e', '20 k 2 v p 3 100 ^ p']),
  row('busybox without an applet', ['busybox', 'nonsense']),
];
