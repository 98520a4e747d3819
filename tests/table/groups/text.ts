/** Searching and editing text: grep, sed, three awks, bc, dc, m4, jq, and the like. */
import { BROKEN_UTF8, numbers, prose, records, UNICODE } from '../inputs.js';
import { row } from '../invocation.js';

const TEXT = prose(2000);

const PRIMES_AWK = `BEGIN { n = 5000; for (i = 2; i <= n; i++) p[i] = 1
  for (i = 2; i * i <= n; i++) if (p[i]) for (j = i * i; j <= n; j += i) p[j] = 0
  for (i = 2; i <= n; i++) if (p[i]) { c++; s += i }; print c, s }`;
const COUNT_AWK = '{ for (i = 1; i <= NF; i++) n[$i]++ } END { for (w in n) printf "%s %d\\n", w, n[w] | "cat" }';
const SUMS_AWK = 'BEGIN { FS = "," } { sum[$2] += $3; max = $3 > max ? $3 : max } END { for (i = 0; i < 50; i++) printf "%s %.2f\\n", "key" i, sum["key" i]; print max }';
const FLOAT_AWK = 'BEGIN { for (x = -5; x <= 5; x += 0.37) printf "%.17g %.17g %.17g %.17g %d\\n", sin(x), exp(x), atan2(x, 2), sqrt(x * x), x }';
const STRING_AWK = '{ gsub(/[aeiou]+/, "<&>"); $3 = toupper($3); print length($0), index($0, "h"), substr($0, 5, 20), match($0, /w.*r/), RSTART, RLENGTH }';

const PI_BC = 'scale=60\n4*a(1)\ne(1)\nl(10)\ns(1)\nc(2)\nsqrt(2)\n2^300\n10^40/7\n';
const FIB_BC = 'define f(n) { auto a,b,t\n a=0; b=1\n while (n-- > 0) { t=a+b; a=b; b=t }\n return a }\nf(1000)\nobase=16\nf(200)\nibase=2\n1011\n';
const SIEVE_M4 = `define(\`forloop', \`pushdef(\`$1', \`$2')_forloop($@)popdef(\`$1')')dnl
define(\`_forloop', \`$4\`'ifelse($1, \`$3', \`', \`define(\`$1', incr($1))$0($@)')')dnl
forloop(\`i', 1, 50, \`i: eval(i * i % 37), len(i) format(\`%05d', i)
')translit(\`hello', \`a-z', \`A-Z') regexp(\`GNUs not Unix', \`\\<[a-z]\\w+') patsubst(\`abc', \`b', \`[\\&]')
`;
const JSON_INPUT = JSON.stringify(records(200).trim().split('\n').map((line) => {
  const [id, key, amount, word] = line.split(',');
  return { id: Number(id), key, amount: Number(amount), tags: [word, key], nested: { ok: Number(id) % 3 === 0, none: null } };
}));

const grepRows = [
  row('grep', ['grep', 'water', 'f'], { files: { f: TEXT } }),
  row('grep -E', ['grep', '-E', '-n', '^(the|a) .*(e{2}|ou)t? ', 'f'], { files: { f: TEXT } }),
  row('grep -P', ['grep', '-P', '-o', '(?<=the )\\w+(?= (of|and))', 'f'], { files: { f: TEXT } }),
  row('grep -c', ['grep', '-c', '-v', 'oil', 'f', 'g'], { files: { f: TEXT, g: 'oil\n' } }),
  row('grep -F -f', ['grep', '-F', '-w', '-f', 'words', 'f'], { files: { f: TEXT, words: 'people\nnumber\nwater\n' } }),
  row('grep -i UTF-8', ['grep', '-i', '-o', 'σ.*σ'], { stdin: UNICODE }),
  row('grep with a back-reference', ['grep', '-E', '-o', '(\\w+) \\1', 'f'], { files: { f: TEXT } }),
  row('grep -C', ['grep', '-C', '1', '--color=always', 'oil.*oil', 'f'], { files: { f: TEXT } }),
  row('grep of binary', ['grep', 'a'], { stdin: BROKEN_UTF8 }),
  row('grep without a match', ['grep', '-q', 'zebra', 'f'], { files: { f: TEXT } }),
  row('grep -r', ['grep', '-r', '-l', 'x', '.'], { files: { 'a/x': 'x\n', 'a/y': 'y\n' } }),
  row('grep of a bad pattern', ['grep', '-E', '(', 'f'], { files: { f: TEXT } }),
];

const sedRows = [
  row('sed s', ['sed', '-E', 's/(\\w+) (\\w+)/\\2 \\1/g; s/o/0/2'], { stdin: TEXT }),
  row('sed script', ['sed', '-n', '-e', '/the/{s//THE/;h;n;G;p}', '-e', '$='], { stdin: TEXT }),
  row('sed tac', ['sed', '-n', '1!G;h;$p'], { stdin: prose(100) }),
  row('sed y and l', ['sed', '-n', 'y/abc/xyz/;l 30'], { stdin: UNICODE }),
  row('sed -i', ['sed', '-i.bak', '2,4d', 'f'], { files: { f: prose(10) } }),
  row('sed case', ['sed', '-E', 's/\\b(.)(\\w*)/\\U\\1\\L\\2/g'], { stdin: UNICODE }),
  row('sed error', ['sed', 's/a']),
];

const awkRows = ['gawk', 'mawk', 'original-awk'].flatMap((awk) => [
  row(`${awk} sieve`, [awk, PRIMES_AWK]),
  row(`${awk} sums`, [awk, SUMS_AWK], { stdin: records(5000) }),
  row(`${awk} floats`, [awk, FLOAT_AWK]),
  row(`${awk} strings`, [awk, STRING_AWK], { stdin: prose(300) }),
]);

export const TEXT_TOOLS = [
  ...grepRows,
  ...sedRows,
  ...awkRows,
  row('gawk arrays sorted', ['gawk', `BEGIN { PROCINFO["sorted_in"] = "@val_num_desc" } ${COUNT_AWK.replace(' | "cat"', '')}`], { stdin: prose(500) }),
  row('gawk strftime', ['gawk', 'BEGIN { print strftime("%F %T", 1e9, 1); print mktime("2001 09 09 01 46 40"), and(12, 10), strtonum("0x1f"), gensub(/a(.)/, "\\\\1a", "g", "abac") }']),
  row('gawk -M', ['gawk', '-M', 'BEGIN { print 2 ^ 200, 100 ! 3 }']),
  row('gawk syntax error', ['gawk', 'BEGIN {']),
  row('bc -l', ['bc', '-l'], { stdin: PI_BC }),
  row('bc functions', ['bc'], { stdin: FIB_BC }),
  row('bc error', ['bc'], { stdin: '1/0\n3+\n2*3\n' }),
  row('dc', ['dc', '-e', '40 k 2 v p 3 100 ^ p [la1+dsa*pla10>y]sy 0sa1 lyx 16 o 255 p']),
  row('m4', ['m4'], { stdin: SIEVE_M4 }),
  row('jq', ['jq', '-c', 'group_by(.key) | map({key: .[0].key, total: (map(.amount) | add), ids: map(.id)}) | sort_by(-.total)'], { stdin: JSON_INPUT }),
  row('jq paths', ['jq', '-r', '.[] | select(.nested.ok) | [.id, .key, (.tags | join("-")), (.amount | floor | tostring | test("7"))] | @csv'], { stdin: JSON_INPUT }),
  row('jq numbers', ['jq', '-n', '[1e1000, 0.1 + 0.2, 1 / 3, pow(2; 0.5), (1e17 | tostring), 3.0, -0, (10 | log), infinite, nan | tojson]']),
  row('jq error', ['jq', '.a.b'], { stdin: '[1' }),
  row('column', ['column', '-t', '-s,'], { stdin: records(100) }),
  row('rev', ['rev'], { stdin: UNICODE }),
  row('look', ['look', 'key3', 'f'], { files: { f: 'key1\nkey2\nkey3 a\nkey3 b\nkey4\n' } }),
  row('hexdump -C', ['hexdump', '-C'], { stdin: TEXT.slice(0, 500) }),
  row('iconv', ['iconv', '-f', 'UTF-8', '-t', 'UTF-16LE'], { stdin: UNICODE }),
  row('iconv //TRANSLIT', ['iconv', '-f', 'UTF-8', '-t', 'ASCII//TRANSLIT'], { stdin: UNICODE }),
  row('iconv error', ['iconv', '-f', 'UTF-8', '-t', 'ISO-8859-1'], { stdin: UNICODE }),
  row('locale', ['locale', '-k', 'LC_NUMERIC', 'LC_TIME'], { environment: { LC_ALL: 'C' } }),
  row('getopt', ['getopt', '-o', 'ab:c::', '--long', 'alpha,beta:', '--', '-a', '-bval', '--beta=x y', 'rest']),
  row('cal', ['cal', '-m', '2', '2024']),
  row('primes of numbers', ['dc', '-e', '[p]sp 2 3 5 7 f']),
  row('wc of many numbers', ['mawk', '{ s += $1; q += $1 * $1 } END { printf "%.6f %.6f\\n", s / NR, sqrt(q / NR) }'], { stdin: numbers(20_000) }),
];
