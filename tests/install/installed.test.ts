/** The package as a user installs it, and the README as he reads it. See README.md. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../cli/culprit.js';
import { sampled } from '../table/testTable.js';
import { type Example, examplesOf, firstDifference, printedByEach, shellScript } from './consoleBlocks.js';

/** A user without any rights. */
const NOBODY = 65534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const PATIENCE = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'culprit-install-'));
const [home, prefix, work] = ['home', 'prefix', 'work'].map((name) => join(folder, name)) as [string, string, string];
const installed = join(prefix, 'lib', 'node_modules', 'culprit');
const { blocks, files } = examplesOf(readFileSync(join(ROOT, 'README.md'), 'utf8'));

/** None of npm's own variables, which speak of another user's folders; of others what the network needs. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|LANG)$/i.test(name));
  return { ...Object.fromEntries(kept), HOME: home, PATH: `${join(prefix, 'bin')}:/usr/local/bin:/usr/bin:/bin` };
}

function asUser(command: string, args: readonly string[], input = ''): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...user, cwd: work, env: environment(), encoding: 'utf8', input, timeout: PATIENCE });
  if (error !== undefined) throw error;
  return { status, output: stdout + stderr };
}

/** What each command of a block prints. */
function printedBy(examples: readonly Example[]): string[][] {
  return printedByEach(asUser('bash', ['-c', shellScript(examples)]).output);
}

beforeAll(() => {
  for (const path of [home, prefix, work]) mkdirSync(path);
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) as [{ readonly filename: string }];
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  for (const [name, text] of files) writeFileSync(join(work, name), text);
  if (user.uid !== undefined) for (const path of [folder, home, prefix, work]) chownSync(path, user.uid, user.gid);
  const { status, output } = asUser('npm', ['install', '--global', '--prefix', prefix, '--registry', registry, '--no-audit', '--no-fund', join(folder, packed.filename)]);
  expect(status, output).toBe(0);
  execFileSync('chmod', ['-R', 'a-w', prefix]);
  symlinkSync(join(installed, 'demo'), join(work, 'demo'));
}, PATIENCE);
afterAll(() => {
  execFileSync('chmod', ['-R', 'u+w', folder]);
  rmSync(folder, { recursive: true });
});

describe('culprit, installed by a user to a place that is read-only', () => {
  // The first one makes the recording that the others use.
  it.each(sampled(blocks, 5).map((examples) => [examples[0]?.command ?? '', examples] as const))('does what the README says: %s', (_first, examples) => {
    const printed = printedBy(examples);
    expect(printed.length).toBe(examples.length);
    for (const [i, { command, output }] of examples.entries()) expect(firstDifference(output, printed[i] ?? []), command).toBeUndefined();
  });

  it('has examples of all commands in the README, but for help and those that wait for clients or only make others quicker', () => {
    const commands = [...asUser('culprit', ['--help']).output.matchAll(/^ {2}([a-z]+)(?: [[<].*?)? {2,}\w/gm)].map(([, name]) => name ?? '');
    expect(commands).toContain('record');
    const shown = new Set(blocks.flat().flatMap(({ command }) => [...command.matchAll(/\bculprit (\w+)/g)].map(([, name]) => name)));
    expect(commands.filter((name) => !shown.has(name)).toSorted()).toEqual(['checkpoint', 'dap', 'gdbserver', 'help']);
  });

  it('shows the demo', () => {
    const { status, output } = asUser('node', [join(installed, 'demo', 'run.mjs')]);
    expect(output).toContain('That was all of it.');
    expect(output).toMatch(/clear_votes \(\) at demo\/tally\.c:19[\s\S]*is freed twice/);
    expect(status).toBe(0);
  });

  it('left nothing where it is installed, and needs none of it to be writable', () => {
    expect(existsSync(join(installed, 'dist', 'culprit.cjs'))).toBe(true);
    expect(asUser('sh', ['-c', `find ${prefix} -newer ${join(work, 'tally.culprit')} | head`])).toEqual({ status: 0, output: '' });
  });
});

it('runs scripts when it is started by a link, as npm install -g of a folder makes one', () => {
  const bin = join(folder, 'links');
  mkdirSync(bin);
  symlinkSync(join(ROOT, 'bin', 'culprit'), join(bin, 'culprit'));
  cpSync(join(work, 'tally.culprit'), join(bin, 'tally.culprit'));
  chmodSync(bin, 0o755);
  writeFileSync(join(bin, 'script.ts'), `import { execution } from 'culprit/traces';\nconst text: string = 'calls:';\nconsole.log(text, await execution.breakpoints('clear_votes').count());\n`);
  expect(execFileSync(join(bin, 'culprit'), ['query', join(bin, 'tally.culprit'), join(bin, 'script.ts')], { encoding: 'utf8', cwd: bin })).toBe('calls: 1\n');
});
