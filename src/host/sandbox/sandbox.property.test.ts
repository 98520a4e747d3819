/** Random operations in the sandbox give what they give in a real directory, and leave the real one as it was. */
import fc from 'fast-check';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { NodeHost } from '../nodeHost.js';
import { createSandbox, type Sandbox } from './sandbox.js';
import { type Operation, operation, Stage } from './testing/operations.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sandbox-')));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const host = new NodeHost();
const TIMEOUT = LONG ? 3_600_000 : 60_000;
const OLD = 1_600_000_000;

/** The same tree each time: files, hard links, links, a directory in a directory. */
function build(directory: string): void {
  // The directory above it may be changed as well.
  fs.rmSync(path.dirname(directory), { recursive: true, force: true });
  fs.mkdirSync(`${directory}/d/e`, { recursive: true });
  fs.writeFileSync(`${directory}/a`, 'the first file');
  fs.writeFileSync(`${directory}/d/b`, 'another', { mode: 0o640 });
  fs.linkSync(`${directory}/d/b`, `${directory}/d/e/a`);
  fs.writeFileSync(`${directory}/big`, Buffer.alloc(180_000, 'abcdefg'));
  fs.symlinkSync('d', `${directory}/l`);
  fs.symlinkSync('nowhere', `${directory}/n`);
  for (const name of ['a', 'd/b', 'big', 'd/e', 'd', '.', '..']) fs.utimesSync(`${directory}/${name}`, OLD, OLD);
  for (const name of ['l', 'n']) fs.lutimesSync(`${directory}/${name}`, OLD, OLD);
}

/** All that the real file system tells about a tree; of regular files also when they were last read. */
function fingerprint(directory: string): string[] {
  const names = ['.', ...(fs.readdirSync(directory, { recursive: true }) as string[])].sort();
  return names.map((name) => {
    const stat = fs.lstatSync(path.join(directory, name), { bigint: true });
    const accessed = stat.isFile() ? stat.atimeNs : '';
    return [name, stat.ino, stat.mode, stat.nlink, stat.uid, stat.gid, stat.size, accessed, stat.mtimeNs, stat.ctimeNs].join(' ');
  });
}

function compare(operations: readonly Operation[], sandbox: Sandbox, below: string, real: string): void {
  const [inside, outside] = [new Stage(sandbox.files, below), new Stage(host.files, real)];
  try {
    for (const op of operations) expect({ op, result: inside.perform(op) }).toEqual({ op, result: outside.perform(op) });
    expect(inside.dump()).toEqual(outside.dump());
  } finally {
    inside.closeAll();
    outside.closeAll();
  }
}

it('does what the real file system does', () => {
  const [real, below] = [`${folder}/real/top`, `${folder}/below/top`];
  build(below);
  const before = fingerprint(below);
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 25 }), (operations) => {
      build(real);
      const sandbox = createSandbox(host);
      compare(operations, sandbox, below, real);
      sandbox.dispose();
    }),
    { numRuns: LONG ? 5000 : 100 },
  );
  expect(fingerprint(below)).toEqual(before);
}, TIMEOUT);

it('forks into views that know nothing of each other', () => {
  const [real, below] = [`${folder}/real/top`, `${folder}/below/top`];
  build(below);
  const operations = fc.array(operation, { maxLength: 12 });
  fc.assert(
    fc.property(operations, operations, operations, (first, second, third) => {
      const sandbox = createSandbox(host);
      build(real);
      compare(first, sandbox, below, real);
      const branch = sandbox.fork();
      const noise = new Stage(branch.files, below);
      for (const op of second) noise.perform(op);
      compare(third, sandbox, below, real);
      // The branch goes its own way from the same start.
      build(real);
      const replayed = new Stage(host.files, real);
      for (const op of first) replayed.perform(op);
      replayed.closeAll();
      for (const op of second) replayed.perform(op);
      expect(noise.dump()).toEqual(replayed.dump());
      noise.closeAll();
      replayed.closeAll();
      sandbox.dispose();
      branch.dispose();
    }),
    { numRuns: LONG ? 2000 : 40 },
  );
}, TIMEOUT);
