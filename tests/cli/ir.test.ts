/** `culprit ir` on the demo's program, whose bytes never change. */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { culprit, CULPRIT, HELLO } from './culprit.js';

describe('culprit ir', () => {
  it('shows x86, IR and WebAssembly of a function', () => {
    const { status, stdout, stderr } = culprit(['ir', HELLO, 'gcd']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^gcd, 0x400136\.\.0x40015d\n/);
    expect(stdout.match(/^block 0x/gm)).toHaveLength(4);
    expect(stdout).toMatch(/^\/\/ 0x400146 {2}div rsi\n(.*\n)*? {2}v\d+:i64 = i64\.div_u v\d+, v\d+$/m);
    expect(stdout).toMatch(/^WebAssembly for the region entered at 0x400136, 0x40013e: 4 blocks, 14 instructions\n\(func \$region_400136 /m);
    expect(stdout).toContain('i64.div_u');
    expect(stdout).not.toContain('\u001b');
  });

  it('--no-wasm leaves the WebAssembly out', () => {
    expect(culprit(['ir', '--no-wasm', HELLO, 'gcd']).stdout).not.toContain('(func');
  });

  it('takes an address inside a function', () => {
    const { stdout } = culprit(['ir', '--no-wasm', HELLO, '0x400154']);
    expect(stdout).toMatch(/^gcd\+0x1e, 0x400154/);
    expect(stdout.match(/^block 0x/gm)).toHaveLength(1);
  });

  it('takes addresses of a position-independent program as gdb shows them', () => {
    const { stdout } = spawnSync('readelf', ['-h', '/bin/true'], { encoding: 'utf8' });
    const entry = Number(/Entry point address: +(0x[0-9a-f]+)/.exec(stdout)?.[1]);
    const inFile = culprit(['ir', '/bin/true', entry.toString(16)]).stdout;
    expect(inFile).toContain('xor ebp, ebp');
    expect(culprit(['ir', 'true', (0x555555554000 + entry).toString(16)]).stdout).toBe(inFile);
  });

  it.each<[string[], number, string]>([
    [[HELLO, 'nothing'], 1, `culprit: ${HELLO}: no symbol nothing\n`],
    [[HELLO, '0x10'], 1, `culprit: ${HELLO}: no code at 0x10\n`],
    [['/etc/passwd', 'main'], 126, 'culprit: /etc/passwd: not an ELF file\n'],
    [['/no/such', 'main'], 127, 'culprit: /no/such: No such file or directory\n'],
  ])('%j fails in one line', (args, status, stderr) => {
    expect(culprit(['ir', ...args])).toEqual({ status, stdout: '', stderr });
  });

  it('is no error when the reader has seen enough', () => {
    const run = spawnSync('/bin/bash', ['-c', '"$0" "$1" ir "$2" coprimePairs | head -n 1; echo ${PIPESTATUS[0]}', process.execPath, CULPRIT, HELLO], { encoding: 'utf8' });
    expect({ stdout: run.stdout.split('\n')[1], stderr: run.stderr }).toEqual({ stdout: '0', stderr: '' });
  });
});
