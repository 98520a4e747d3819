/**
 * `npm run demo`: what Culprit is for, in a minute. A crash is led back to its cause, and a memory bug is found before it strikes. The programs
 * come with it, so no compiler is needed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const culprit = join(root, 'bin', 'culprit');
const colour = process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '';

const say = (text) => console.log(colour ? `\u001b[36m${text}\u001b[0m` : text);
const command = (text) => console.log(colour ? `\u001b[1m$ ${text}\u001b[0m` : `$ ${text}`);

/** Recordings go to a folder that is gone afterwards; the programs are in demo/ there, too. */
const folder = mkdtempSync(join(tmpdir(), 'culprit-demo-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
symlinkSync(join(root, 'demo'), join(folder, 'demo'));

/** Words are shown as one would type them. `excerpt` makes long output shorter. */
function run(args, wanted, excerpt = (text) => text) {
  command(['culprit', ...args.map((word) => (/^[\w./-]+$/.test(word) ? word : `'${word}'`))].join(' '));
  const { stdout, stderr, status } = spawnSync(process.execPath, [culprit, ...args], { encoding: 'utf8', cwd: folder });
  process.stdout.write(excerpt(stdout + stderr));
  if (status === wanted) return;
  console.error(`The demo expected exit status ${wanted}, but got ${status}.`);
  process.exit(1);
}

/** The first lines of a report, and where the values come from. */
function shortReport(text) {
  const lines = text.split('\n');
  const [source, chains] = [lines.findIndex((line) => line.startsWith('  #0')), lines.findIndex((line) => line.startsWith('Where the values'))];
  return [...lines.slice(0, source), '  ... (the stack, who allocated the block, and who freed it first)', '', ...lines.slice(chains, -3), ''].join('\n');
}

if (!existsSync(join(root, 'dist', 'culprit.cjs'))) {
  console.error('Culprit is not built yet: run npm install first.');
  process.exit(1);
}

say(`Culprit runs programs on a processor of its own. So it can record all that a program does, and go back to any moment of it.

1. demo/tally counts votes. It crashes. Record it: all of the run is then in one file, which works on any machine.
`);
run(['record', '-o', 'tally.culprit', 'demo/tally'], 139);

say(`
2. Where did it crash? On a title that is NULL. But it was not: the program has set it to "Best debugger".
`);
run(['debug', 'tally.culprit', '-batch', '-ex', 'bt', '-ex', 'print tally'], 0);

say(`
3. So who has changed it? "last" goes back in time, to the last instruction that wrote to it. Nothing had to be prepared for that.
   There it is: the loop that clears four counters goes on to a fifth, where the title lies.
`);
run(['debug', 'tally.culprit', '-batch', '-ex', 'last tally.title', '-ex', 'print i', '-ex', 'list'], 0);

say(`
4. Or ask where the bad value comes from. The answer is the way that it took, newest first.
`);
run(['origin', 'tally.culprit', 'title'], 0);

say(`
5. Some bugs do not crash, not today. demo/notes frees a string twice. "check" stops it before it does, and shows how each of the two
   pointers came to be. They part at the line that is to blame: "*copy = *original" copies a pointer, not the text.
`);
run(['check', 'demo/notes'], 99, shortReport);

say(`
That was all of it. Now with your own: culprit check ./your-program, or culprit record ./your-program, then culprit debug.
(If your shell does not know culprit: README.md says how it comes into PATH. In this folder it is bin/culprit.)`);
