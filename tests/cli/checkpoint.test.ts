/** `culprit checkpoint`: what it adds is used, replaced and forgiven. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../programs/build.js';
import { culprit, type Outcome } from './culprit.js';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'checkpoint-'));
const recording = path.join(folder, 'a.culprit');
const copy = path.join(folder, 'copy.culprit');
const inFolder = (...args: string[]): Outcome => culprit(args, { cwd: folder });

beforeAll(async () => {
  const program = await buildProgram('timeTravel.c', { compiler: 'gcc', flags: ['-O1', '-static'] } as never);
  expect(inFolder('record', '-o', 'a.culprit', program).status).toBe(0);
});

afterAll(() => fs.rmSync(folder, { recursive: true }));

function infoOf(file: string): { checkpoints: number; checkpointBytes: number; complete: boolean } {
  const { status, stdout, stderr } = inFolder('info', '--json', file);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as ReturnType<typeof infoOf>;
}

describe('culprit checkpoint', () => {
  it('adds checkpoints, which are replaced when it is done again', () => {
    const before = fs.readFileSync(recording);
    const { replayed, writes } = { replayed: inFolder('replay', 'a.culprit'), writes: inFolder('writes', '--all', '--json', 'a.culprit', 'victim') };
    expect(infoOf('a.culprit')).toMatchObject({ checkpoints: 0, checkpointBytes: 0 });
    fs.copyFileSync(recording, copy);
    const first = inFolder('checkpoint', '--every', '10,000', 'copy.culprit');
    expect(first).toMatchObject({ status: 0, stdout: '' });
    expect(first.stderr).toMatch(/^culprit: (\d+) checkpoints stored in copy\.culprit \([\d,]+ bytes\)\n$/);
    const { checkpoints, checkpointBytes } = infoOf('copy.culprit');
    expect(checkpoints).toBeGreaterThan(5);
    expect(checkpointBytes).toBeGreaterThan(1000);
    expect(fs.readFileSync(copy).subarray(0, before.length).equals(before)).toBe(true);
    expect(inFolder('replay', 'copy.culprit')).toEqual(replayed);
    expect(inFolder('writes', '--all', '--json', 'copy.culprit', 'victim')).toEqual(writes);
    const again = inFolder('checkpoint', '--every', '40,000', 'copy.culprit');
    expect(again.stderr).toContain(`in place of ${checkpoints} others`);
    expect(infoOf('copy.culprit').checkpoints).toBeLessThan(checkpoints);
    expect(inFolder('info', 'copy.culprit').stdout).toMatch(/^checkpoints +\d+ stored, [\d,]+ bytes$/m);
  });

  it('leaves a recording that can be used wherever it is interrupted', () => {
    const size = fs.statSync(recording).size;
    fs.copyFileSync(recording, copy);
    inFolder('checkpoint', '--every', '20,000', 'copy.culprit');
    const whole = fs.readFileSync(copy);
    const sound = inFolder('replay', 'a.culprit');
    for (const part of [0.01, 0.5, 0.999]) {
      fs.writeFileSync(copy, whole.subarray(0, size + Math.floor((whole.length - size) * part)));
      expect(infoOf('copy.culprit').complete).toBe(true);
      expect(inFolder('replay', 'copy.culprit')).toEqual(sound);
    }
    // And can be completed.
    expect(inFolder('checkpoint', '--every', '20,000', 'copy.culprit').status).toBe(0);
    expect(fs.statSync(copy).size).toBe(whole.length);
  });

  it('refuses in one line what it cannot do', () => {
    fs.writeFileSync(path.join(folder, 'text'), 'no recording');
    expect(inFolder('checkpoint', 'text')).toEqual({ status: 2, stdout: '', stderr: 'culprit: text: not a recording of culprit\n' });
    expect(inFolder('checkpoint', '--every', '0', 'a.culprit').status).toBe(2);
    expect(inFolder('checkpoint', '--memory', 'much', 'a.culprit').stderr).toMatch(/^culprit: .*a number of megabytes.\n$/);
    // No culprit records it, even if it was written just now.
    fs.writeFileSync(copy, fs.readFileSync(recording).subarray(0, -100));
    const { status, stderr } = inFolder('checkpoint', '--every', '20,000', 'copy.culprit');
    expect(status).toBe(65);
    expect(stderr).toMatch(/checkpoints stored[^]*culprit: copy\.culprit: cut off in the middle of chunk \d+ \(at byte \d+\); there are none after time [\d,]+\n$/);
    expect(inFolder('replay', '--quiet', 'copy.culprit').status).toBe(65);
  });
});
