/**
 * The second layer of the sandbox without the first: what a script of Node can still do when the kernel guards it, and
 * which layers the command says are on.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { culprit, ROOT } from '../cli/culprit.js';

const folder = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), 'culprit-layers-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const TIMEOUT = 120_000;

/** Does what the first layer would never let happen, and prints what came of it. */
const SCRIPT = `
  import fs from 'node:fs';
  import net from 'node:net';
  import { spawnSync } from 'node:child_process';
  import { Worker } from 'node:worker_threads';
  import { confine } from ${JSON.stringify(`${ROOT}dist/host/confinement/confinement.js`)};
  const [folder, port, pid] = process.argv.slice(1);
  const at = (name) => folder + '/' + name;
  const layers = confine([0, 1, 2, 3], { files: [at('allowed')], directories: [at('open')] });
  const results = {};
  const attempt = (name, act) => { try { act(); results[name] = 'done'; } catch (error) { results[name] = error.code; } };
  attempt('write', () => fs.writeFileSync(at('canary'), 'x'));
  attempt('append', () => fs.appendFileSync(at('canary'), 'x'));
  attempt('create', () => fs.writeFileSync(at('new'), 'x'));
  attempt('truncate', () => fs.truncateSync(at('canary'), 0));
  attempt('rename', () => fs.renameSync(at('canary'), at('other')));
  attempt('link', () => fs.linkSync(at('canary'), at('other')));
  attempt('symlink', () => fs.symlinkSync('x', at('other')));
  attempt('unlink', () => fs.unlinkSync(at('canary')));
  attempt('mkdir', () => fs.mkdirSync(at('other')));
  attempt('rmdir', () => fs.rmdirSync(at('empty')));
  attempt('chmod', () => fs.chmodSync(at('canary'), 0o777));
  attempt('chown', () => fs.chownSync(at('canary'), 0, 0));
  attempt('utimes', () => fs.utimesSync(at('canary'), 1, 1));
  attempt('kill', () => process.kill(Number(pid), 'SIGTERM'));
  attempt('memory of another process', () => fs.openSync('/proc/' + pid + '/mem', 'r'));
  attempt('a child that writes', () => { const { status } = spawnSync('/usr/bin/touch', [at('new')]); if (status !== 0) throw { code: 'refused' }; });
  attempt('allowed file', () => fs.writeFileSync(at('allowed'), 'x'));
  attempt('allowed directory', () => { fs.writeFileSync(at('open/a'), 'x'); fs.unlinkSync(at('open/a')); });
  attempt('a connected file', () => fs.writeFileSync('/proc/self/fd/3', 'x'));
  attempt('reading', () => fs.readFileSync(at('canary')));
  attempt('/dev/null', () => fs.writeFileSync('/dev/null', 'x'));
  const thread = new Worker("try { require('node:fs').writeFileSync(require('node:worker_threads').workerData, 'x'); process.exit(0); } catch { process.exit(1); }", { eval: true, workerData: at('canary') });
  const ended = (name, emitter, good, bad) => new Promise((resolve) => {
    emitter.on(good, (code) => { results[name] = code === 1 ? 'refused' : 'done'; resolve(); });
    emitter.on(bad, (error) => { results[name] = error.code; resolve(); });
  });
  await ended('a thread that writes', thread, 'exit', 'error');
  const socket = net.connect(Number(port), '127.0.0.1');
  await ended('connect', socket, 'connect', 'error');
  socket.destroy();
  console.log(JSON.stringify({ layers, results }));
`;

interface Said {
  readonly layers: { readonly landlock?: number; readonly callFilter: boolean };
  readonly results: Readonly<Record<string, string>>;
}

describe('the second layer alone', () => {
  let server: Server;
  let connections = 0;
  let said: Said;
  const canary = join(folder, 'canary');
  const other = { killed: false };

  beforeAll(async () => {
    fs.writeFileSync(canary, 'as it was', { mode: 0o600 });
    fs.writeFileSync(join(folder, 'allowed'), '');
    for (const name of ['open', 'empty']) fs.mkdirSync(join(folder, name));
    server = createServer(() => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const connected = fs.openSync(join(folder, 'connected'), 'w');
    process.once('SIGTERM', () => (other.killed = true));
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT, folder, String(port), String(process.pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', connected] });
    fs.closeSync(connected);
    expect(stderr).toBe('');
    said = JSON.parse(stdout) as Said;
  }, TIMEOUT);
  afterAll(() => void server.close());

  it('is as strong as the kernel makes it', () => {
    const { landlock, callFilter } = said.layers;
    // On a kernel without them the command says so; here we want to know what was tested.
    expect(landlock ?? 'no Landlock').toSatisfy((version: unknown) => version === 'no Landlock' || (version as number) >= 1);
    expect(callFilter).toBe(true);
    if (landlock === undefined) process.stderr.write('this kernel has no Landlock: that a second layer refuses to write was not tested\n');
  });

  it('refuses every change outside', () => {
    const { landlock } = said.layers;
    const byLandlock = ['write', 'append', 'create', 'rename', 'link', 'symlink', 'unlink', 'mkdir', 'rmdir', 'memory of another process', ...(Number(landlock) >= 3 ? ['truncate'] : [])];
    const byFilter = ['chmod', 'chown', 'utimes', 'kill', 'connect'];
    for (const name of landlock === undefined ? [] : byLandlock) expect(said.results[name], name).toMatch(/^E(ACCES|PERM|XDEV)$/);
    for (const name of byFilter) expect(said.results[name], name).toBe('EPERM');
    if (landlock === undefined) return;
    for (const name of ['a child that writes', 'a thread that writes']) expect(said.results[name], name).toBe('refused');
    expect(fs.readdirSync(folder).sort()).toEqual(['allowed', 'canary', 'connected', 'empty', 'open']);
    expect(fs.readFileSync(canary, 'utf8')).toBe('as it was');
    expect(fs.statSync(canary).mode & 0o777).toBe(0o600);
    expect(connections).toBe(0);
    expect(other.killed).toBe(false);
  });

  it('allows what culprit itself needs', () => {
    for (const name of ['allowed file', 'allowed directory', 'a connected file', 'reading', '/dev/null']) expect(said.results[name], name).toBe('done');
  });
});

describe('the command', () => {
  it('says which layers are on', () => {
    const { stderr, stdout } = culprit(['run', '--sandbox', '--verbose', 'echo', 'hello']);
    expect(stdout).toBe('hello\n');
    expect(stderr).toMatch(/^culprit: sandbox: culprit's own(, and the kernel's by (Landlock \(version \d+\) and )?seccomp|; the kernel offers no second layer here)$/m);
  });

  it('goes on without the second layer where there is none', () => {
    // Without a place for its shared object there is no way to ask for it.
    const { status, stderr, stdout } = culprit(['run', '--sandbox', '--verbose', 'echo', 'hello'], { env: { TMPDIR: '/nonexistent' } });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'hello\n' });
    expect(stderr).toContain('the kernel offers no second layer here');
  });

  it('leaves nothing behind: no temporary files, nothing in the code cache', () => {
    const [temporary, cache] = ['temporary', 'cache'].map((name) => join(folder, name)) as [string, string];
    fs.mkdirSync(temporary);
    const env = { TMPDIR: temporary, CULPRIT_CODE_CACHE: cache };
    const report = join(folder, 'report.json');
    const recording = join(folder, 'recorded.culprit');
    expect(culprit(['run', '--sandbox', 'seq', '20000'], { env }).status).toBe(0);
    expect(culprit(['check', '--sandbox', '--json-file', report, 'seq', '3'], { env })).toMatchObject({ status: 0, stdout: '1\n2\n3\n', stderr: '' });
    expect(culprit(['record', '--sandbox', '-o', recording, 'sh', '-c', 'echo kept > file; cat file'], { env }).stdout).toBe('kept\n');
    expect(culprit(['replay', recording], { env }).stdout).toBe('kept\n');
    expect(JSON.parse(fs.readFileSync(report, 'utf8'))).toEqual([]);
    expect(fs.readdirSync(temporary)).toEqual([]);
    expect(fs.existsSync(join(cache, 'anything')) || (fs.existsSync(cache) && fs.readdirSync(cache).some((name) => name.startsWith('seq')))).toBe(false);
  });
});
