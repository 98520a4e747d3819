/** `culprit run --sandbox`: all can be read, changes are seen by the program and by no other program. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { culprit, CULPRIT, type Outcome } from './culprit.js';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'culprit-sandbox-')));
afterAll(() => rmSync(directory, { recursive: true }));

beforeEach(() => {
  for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, 'notes'), 'as it was\n');
});

function inside(script: string): Outcome {
  return culprit(['run', '--sandbox', 'sh', '-c', script], { cwd: directory });
}

function untouched(): void {
  expect(readdirSync(directory)).toEqual(['notes']);
  expect(readFileSync(join(directory, 'notes'), 'utf8')).toBe('as it was\n');
}

describe('files', () => {
  it('change for the program only', () => {
    const { stdout, stderr } = inside('cat notes; echo new > notes; mkdir d; echo x > d/y; ln notes d/z; ls . d; cat d/z; rm notes; cat notes');
    expect(stdout).toBe('as it was\n.:\nd\nnotes\n\nd:\ny\nz\nnew\n');
    expect(stderr).toContain('notes: No such file or directory');
    untouched();
  });

  it('keep their inode number when they are changed', () => {
    const { ino } = statSync(join(directory, 'notes'));
    expect(inside('stat -c %i notes; echo more >> notes; stat -c "%i %s" notes').stdout).toBe(`${ino}\n${ino} 15\n`);
    untouched();
  });

  it('that were written there can be run', () => {
    expect(inside('printf "#!/bin/sh\\necho I am \\$0\\n" > tool; chmod +x tool; ./tool').stdout).toBe('I am ./tool\n');
    untouched();
  });

  it('that the user connected are written for real', () => {
    const command = `exec "$0" "$1" run --sandbox sh -c 'echo out; echo hidden > other' > connected`;
    spawnSync('/bin/sh', ['-c', command, process.execPath, CULPRIT], { cwd: directory });
    expect(readdirSync(directory).sort()).toEqual(['connected', 'notes']);
    expect(readFileSync(join(directory, 'connected'), 'utf8')).toBe('out\n');
  });
});

it('signals reach no process outside', () => {
  expect(inside(`kill -0 ${process.pid} || echo refused`).stdout).toBe('refused\n');
});

it('the network ends where the machine ends', async () => {
  const server = createServer((socket) => socket.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const script = `import socket\ntry: socket.create_connection(('127.0.0.1', ${port})); print('connected')\nexcept OSError as error: print('no way')`;
  const { stdout } = culprit(['run', '--sandbox', '/usr/bin/python3', '-S', '-B', '-c', script]);
  server.close();
  expect(stdout).toBe('no way\n');
});

it('devices that do no harm are there', () => {
  expect(inside('head -c 4 /dev/urandom | wc -c; echo gone > /dev/null; head -c 2 /dev/zero | od -An -tx1').stdout).toBe('4\n 00 00\n');
  expect(inside('echo x > /dev/kmsg').stderr).toContain('/dev/kmsg');
});
