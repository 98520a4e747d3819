/** What gdb does not have, or what has to be right without it: time, last changes, branches, scripts, mistakes. */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { compile } from './compiled.js';
import { type Talk, talk } from './transcripts.js';

let session: Talk;
const say = async (line: string): Promise<string> => session.say(line);

beforeAll(async () => {
  session = await talk(compile('terminal/programs/overwritten.c', ['-O0', '-g']));
}, 60_000);

describe('the terminal', () => {
  it('finds who overwrote a pointer, and comes back', async () => {
    expect(await say('bt')).toMatch(/^#0 {2}pay \(from=0x\w+, to=0x\w+, amount=20\) at .*overwritten.c:25\n#1 .* in main \(\) at .*overwritten.c:33\n$/);
    const change = await say('last to->balance');
    expect(change).toMatch(/^to->balance: \(long \*\) 0x\w+ -> \(long \*\) 0x\w+\nat time [\d,]+ of [\d,]+/);
    expect(change).toMatch(/#\d+ .* in rename_account \(.*first=0x\w+ "Bartholomew", .*\n20\t {2}sprintf/);
    const earlier = await say('');
    expect(earlier).toMatch(/^to->balance: /);
    expect(earlier).not.toBe(change);
    await say('back');
    expect(await say('back')).toMatch(/pay .*:25\n25\t/);
    expect(await say('forward')).toMatch(/in .* from .*libc/);
    await say('goto end');
  });

  it('stops where a watched value changes, backward', async () => {
    expect(await say('watch -l to->balance')).toBe('Hardware watchpoint 1: -location to->balance\n');
    const stop = await say('rc');
    expect(stop).toMatch(/^Continuing\.\n\nHardware watchpoint 1: .*\n\nOld value = \(long \*\) 0x\w+\nNew value = \(long \*\) 0x\w+\n/);
    await say('delete 1');
    expect(await say('reverse-continue')).toMatch(/No more reverse-execution history\./);
    await say('goto end');
  });

  it('turns time round for all commands that go on, and has those that go back', async () => {
    await say('set exec-direction reverse');
    expect(await say('show exec-direction')).toBe('Commands that go on go reverse.\n');
    expect(await say('next')).toMatch(/^25\t/);
    expect(await say('next')).toMatch(/^24\t/);
    expect(await say('reverse-next')).toBe("Already in reverse mode.  Use 'next' or 'set exec-dir forward'.\n");
    expect(await say('finish')).toMatch(/^Run back to call of #0 {2}pay .*\n0x\w+ in main \(\) .*\n33\t/);
    await say('set exec-direction forward');
    await say('goto end');
    expect(await say('reverse-until')).toMatch(/^main \(\).*:33\n33\t/);
    await say('goto end');
    expect(await say('reverse-until 24')).toMatch(/^pay .*:24\n24\t/);
    expect(await say('reverse-advance rename_account')).toMatch(/^rename_account .*\n20\t/);
    await say('goto end');
  });

  it('shows registers of all kinds', async () => {
    expect(await say('info registers xmm0')).toMatch(/^xmm0 {11}\{v8_bfloat16 = \{0x[^}]*\}, .* uint128 = 0x[\da-f]+\}\n$/);
    expect(await say('info all-registers')).toMatch(/^cs {13}0x33 {16}51\n[^]*^st7 {12}0 {19}\(raw 0x0{20}\)\n[^]*^xmm15 /m);
  });

  it('finds sources where they are now', async () => {
    const folder = fileURLToPath(new URL('programs', import.meta.url));
    await say('list 1,3');
    await say(`set substitute-path ${folder}/ /elsewhere/`);
    expect(await say('show substitute-path')).toBe(`List of all source path substitution rules:\n  \`${folder}' -> \`/elsewhere'.\n`);
    expect(await say('frame')).toMatch(/\n25\t.*: No such file or directory\.\n$/);
    expect(await say('list')).toMatch(/^20\tin .*overwritten\.c\n$/);
    expect(await say('info source')).not.toContain('Located in');
    expect(await say(`directory ${folder}`)).toBe(`Source directories searched: ${folder}:$cdir:$cwd\n`);
    expect(await say('frame')).toContain('25\t  *to->balance += amount;');
    expect(await say('directory')).toBe('Source directories searched: $cdir:$cwd\n');
    expect(await say('unset substitute-path /nowhere')).toBe("No substitution rule defined for `/nowhere'\n");
    await say('unset substitute-path');
    expect(await say('frame')).toContain('25\t  *to->balance += amount;');
    expect(await say('set substitute-path /a')).toBe('Incorrect usage, exactly two arguments are required.\n');
  });

  it('assigns in a branch, and returns to the recording', async () => {
    await say('set var to->balance = from->balance');
    expect(await say('branch')).toMatch(/^A branch that began at time/);
    expect(await say('p to->balance == from->balance')).toBe('$1 = 1\n');
    expect(await say('branch drop')).toMatch(/^Back in the recording/);
    expect(await say('p to->balance == from->balance')).toBe('$2 = 0\n');
    expect(await say('branch drop')).toBe('there is no branch: this is the recording\n');
  });

  it('knows times and bookmarks', async () => {
    expect(await say('when')).toMatch(/^time ([\d,]+) of \1 \(100\.0%\), thread 1 /);
    expect(await say('bookmark crash')).toMatch(/^Bookmark crash: time /);
    await say('goto 50%');
    expect(await say('when')).toMatch(/\(50\.0%\)/);
    expect(await say('goto crash')).toMatch(/pay .*:25/);
    expect(await say('goto tomorrow')).toMatch(/^No such time: "tomorrow"\./);
    expect(await say('goto 99999999999')).toMatch(/^No such time: 99,999,999,999; the recording ends at/);
  });

  it('formats values as C does', async () => {
    expect(await say(String.raw`printf "%a|%F|%5c|%-6.2f|%hhd|%jd|%lc%c%c\n", 1.5, -2.5, 65, 2.0, 300, amount, 228, 0xc3, 0xa4`)).toBe('0x1.8p+0|-2.500000|    A|2.00  |44|20|ää\n');
    expect(await say(String.raw`printf "%s %d\n", from->owner, amount + 0x100000000`)).toMatch(/^\w+ 20\n$/);
    expect(await say(String.raw`printf "%y\n", 1`)).toBe("Unrecognized format specifier 'y' in printf\n");
  });

  it('runs scripts, with blocks and commands of one\'s own', async () => {
    const path = join(tmpdir(), `culprit-script-${process.pid}`);
    writeFileSync(path, 'set $i = 0\nwhile $i < 2\nprintf "%d\\n", $i\nset $i = $i + 1\nend\nif $i == 2\necho two\\n\nelse\necho other\\n\nend\ndefine twice\np $arg0 * 2\nend\ntwice 21\nnonsense\n');
    expect(await say(`source ${path}`)).toMatch(/^0\n1\ntwo\n\$\d+ = 42\n.*:15: Error in sourced command file:\nUndefined command: "nonsense".  Try "help"\.\n$/);
    expect(await say('commands\nsilent\nend')).toBe('No breakpoints specified.\n');
  });

  it.each([
    ['break nowhere', /^Function "nowhere" not defined\.\n/], ['break nosuch.c:3', /^No source file named nosuch.c\.\n/], ['p 1 +', /^A syntax error in expression, near `'\.\n$/], ['p nosuch', /^No symbol "nosuch" in current context\.\n$/],
    ['p *(int *) 0', /^Cannot access memory at address 0x0\n$/], ['frame 99', /^No frame at level 99\.\n$/], ['thread 9', /^Unknown thread 9\.\n$/], ['info nonsense', /^Undefined info command: "nonsense"\. {2}Try "help info"\.\n$/],
    ['x/q 1', /^Undefined output format "q"\.\n$/], ['delete 77', /^No breakpoint number 77\.\n$/], ['list 9999', /^Line number 9994 out of range; .* has \d+ lines\.\n$/], ['last', /^Argument required/], ['attach 1', /^"attach" means nothing here/], ['jump 3', /^There is no "jump" here: "set var \$pc = ADDRESS" begins a branch/],
    ['set nonsense on', /^No symbol "nonsense" in current context\.\n$/], ['source /nowhere', /^\/nowhere: No such file or directory\.\n$/],
  ])('answers a mistake in one line: %s', async (line, answer) => {
    expect(await say(line)).toMatch(answer);
  });

  it('completes what is begun', () => {
    const { terminal } = session;
    expect(terminal.complete('p to->').candidates).toEqual(['balance', 'owner']);
    expect(terminal.complete('p to->bal').candidates).toEqual(['balance']);
    expect(terminal.complete('break make_').candidates).toContain('make_account');
    expect(terminal.complete('info sha').candidates).toEqual(['sha', 'shape', 'sharedlibrary']);
    expect(terminal.complete('reverse-n').candidates).toEqual(['reverse-next', 'reverse-nexti']);
    expect(terminal.complete('set print pre').candidates).toEqual(['pretty']);
    expect(terminal.complete('p amo').candidates).toEqual(['amount']);
  });

  it('keeps what gdb means by an abbreviation, though a command of ours begins like it', async () => {
    for (const words of ['info sh', 'info sha', 'info shar']) expect(await say(words)).toBe(await say('info sharedlibrary'));
  });

  it('has help with examples for every command', async () => {
    for (const { name } of session.terminal.session.commands.all) expect(await say(`help ${name}`)).toMatch(/^.+\nUsage: /);
    expect(await say('help break')).toMatch(/Examples:\n {2}break main/);
    expect(await say('apropos watch')).toContain('rwatch -- ');
  });
});
