/** `npm run demo`: Culprit at work on a small program that comes with it, so no compiler is needed. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const culprit = join(root, 'bin', 'culprit');
const hello = relative(process.cwd(), join(root, 'demo', 'hello')) || 'hello';
const colour = process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '';

const say = (text) => console.log(colour ? `\u001b[36m${text}\u001b[0m` : text);
const command = (text) => console.log(colour ? `\u001b[1m$ ${text}\u001b[0m` : `$ ${text}`);

function run(args, excerpt = (text) => text, cwd = process.cwd()) {
  command(`culprit ${args.join(' ')}`);
  const { stdout, stderr, status } = spawnSync(process.execPath, [culprit, ...args], { encoding: 'utf8', cwd });
  process.stdout.write(excerpt(stdout) + stderr);
  return status;
}

/** x86 and IR in full, and of the WebAssembly the lines around the division. */
function shortIr(text) {
  const lines = text.split('\n');
  const wasm = lines.findIndex((line) => line.startsWith('WebAssembly'));
  const division = lines.indexOf(lines.slice(wasm).find((line) => line.includes('i64.div_u')));
  const skipped = '  ...';
  return [...lines.slice(0, wasm + 2), skipped, ...lines.slice(division - 6, division + 6), skipped, ''].join('\n');
}

function expect(status, wanted) {
  if (status === wanted) return;
  console.error(`The demo expected exit status ${wanted}, but got ${status}.`);
  process.exit(1);
}

if (!existsSync(join(root, 'dist', 'culprit.cjs'))) {
  console.error('Culprit is not built yet: run npm install first.');
  process.exit(1);
}

say(`1. A program nobody told about us. ${hello} is an ordinary x86-64 Linux executable (its source is beside it).
   Culprit is its CPU and its kernel: no ptrace, no native execution.\n`);
expect(run(['run', hello, 'with', 'arguments']), 0);

say('\n2. The same with --stats: how many instructions, how much of it was compiled to WebAssembly, and what it took.\n');
expect(run(['run', '--stats', hello]), 0);

say('\n3. One function in all its forms: x86, the IR it is lifted to, and the WebAssembly that is generated from it.\n');
expect(run(['ir', hello, 'gcd'], shortIr), 0);

say('\n4. A bug is a bug here, too: with the argument "crash" it writes through a bad pointer, and ends as in a shell.\n');
const status = run(['run', hello, 'crash']);
console.log(`(exit status ${status}: 128 + 11, SIGSEGV)`);
expect(status, 139);

say(`\n5. What nobody else tells: demo/notes frees a string twice. Culprit stops before it happens, and shows how each of the two
   pointers came to be. They part at the line that is to blame: "*copy = *original" copies a pointer, not the text.\n`);
expect(run(['check', join('demo', 'notes')], undefined, root), 99);

say(`\nThat was all of it. Try your own: npx culprit check -- ./your-program`);
