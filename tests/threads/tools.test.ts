/** Programs of the distribution that use threads. */
import { readFileSync } from 'node:fs';
import { noise, prose } from '../table/inputs.js';
import { row } from '../table/invocation.js';
import { testTable } from '../table/testTable.js';

const TEXT = prose(6000);
const LINES = Array.from(noise(30_000), (byte, i) => `${(byte * 7919 + i * 104_729) % 100_003}\n`).join('');
const PYTHON_THREADS = readFileSync(new URL('threads.py', import.meta.url));

const JSON_TEXT = JSON.stringify({ name: 'x', list: Array.from({ length: 200 }, (_, i) => ({ i, half: i / 2, text: `${i} ä` })) });

testTable('tools with threads', [
  row('python3 threading', ['/usr/bin/python3', '-S', '-B', 'threads.py'], { files: { 'threads.py': PYTHON_THREADS } }),
  row('xz -T4', ['xz', '-T4', '--block-size=40000', '-1', '-c', 'f'], { files: { f: TEXT } }),
  row('xz -T4 and back', ['sh', '-c', 'xz -T4 --block-size=40000 -1 f && xz -T4 -d -k f.xz && cksum f f.xz'], { files: { f: TEXT } }),
  row('zstd -T4', ['zstd', '-T4', '-B50000', '-q', '-c', 'f'], { files: { f: TEXT } }),
  row('sort --parallel', ['sort', '--parallel=4', '-S', '200K', '-n', 'f'], { files: { f: LINES } }),
  row('Rust: ripgrep', ['rg', '--no-config', '-j4', '--sort', 'path', '-n', '[0-9]*77', '.'], { files: { 'a/f': LINES, 'b/g': LINES.slice(0, 5000), h: TEXT } }),
  row('Rust: ripgrep, counting', ['sh', '-c', 'rg --no-config -j4 -c the . | sort'], { files: { 'a/f': TEXT, 'b/g': TEXT.slice(5000), 'c/h': LINES } }),
  row('Go: gron', ['gron', 'f.json'], { files: { 'f.json': JSON_TEXT } }),
  row('Go: gron and back', ['sh', '-c', 'gron f.json | gron --ungron'], { files: { 'f.json': JSON_TEXT } }),
  row('sort -u of many', ['sort', '--parallel=8', '-u', 'f'], { files: { f: LINES } }),
]);
