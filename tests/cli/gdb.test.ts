/** `culprit gdb` and `culprit gdbserver` as commands; what gdb can do with them is in tests/gdbserver. */
import { describe, expect, it } from 'vitest';
import { textOfBytes } from '../../src/gdbserver/hex.js';
import { packetOf } from '../../src/gdbserver/packets.js';
import { culprit, HELLO } from './culprit.js';

describe('culprit gdb', () => {
  it('records a program, and starts gdb where it ended', () => {
    const { stdout, status } = culprit(['gdb', HELLO, '--', '-nx', '-batch', '-ex', 'info threads', '-ex', 'goto 10', '-ex', 'when', '-ex', 'quit 7']);
    expect(stdout).toMatch(/\* 1 +Thread \d+\.\d+ "hello"/);
    expect(stdout).toContain('Program stopped.');
    expect(status).toBe(7);
  });

  it('says what is missing', () => {
    expect(culprit(['gdb', HELLO], { env: { CULPRIT_GDB: '/nowhere/gdb' } })).toMatchObject({ status: 2, stderr: expect.stringContaining('/nowhere/gdb was not found') as string });
    expect(culprit(['gdb', '/nowhere/bug.culprit'])).toMatchObject({ status: 2, stderr: expect.stringContaining('No such file') as string });
  });
});

describe('culprit gdbserver', () => {
  it('serves one client on stdin and stdout, and ends when it does', () => {
    const { stdout, status } = culprit(['gdbserver', '--stdio', '--start', '--', HELLO], { input: `${textOfBytes(packetOf('qSupported:swbreak+'))}$?#3f` });
    expect(stdout).toContain('ReverseContinue+');
    expect(stdout).toContain('$T05thread:');
    expect(status).toBe(0);
  });

  it('refuses what it cannot serve', () => {
    for (const args of [['--port', '99999', HELLO], ['--pid', '4711', HELLO], ['--port', '0', '/nowhere/bug.culprit'], ['--pid', 'x', HELLO], []]) {
      const { status, stderr } = culprit(['gdbserver', ...args]);
      expect(status).toBe(2);
      expect(stderr.trim().split('\n').at(-1)).toMatch(/^culprit: /);
    }
  });
});
