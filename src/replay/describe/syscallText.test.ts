import { describe, expect, it } from 'vitest';
import { SYSCALL_NAMES } from '../../base/syscallNames.js';
import { GPR } from '../../layout/cpuState.js';
import { STOP_REGISTER_BYTES } from '../log/events.js';
import { errorName, futexOperation, mapFlags, openFlags, protFlags, resultText } from './numberNames.js';
import { quoted } from './quoted.js';
import { SIGNATURES } from './syscallSignatures.js';
import { type MemoryView, SyscallText, systemCallOf } from './syscallText.js';

const TEXT = new TextEncoder();

/** Memory with texts at addresses, each with a zero behind it. */
function memoryWith(texts: Readonly<Record<number, string | Uint8Array>>): MemoryView {
  return (address, length) => {
    for (const [start, text] of Object.entries(texts)) {
      const bytes = typeof text === 'string' ? TEXT.encode(`${text}\0`) : text;
      const from = address - Number(start);
      if (from >= 0 && from < bytes.length) return bytes.slice(from, from + length);
    }
    return undefined;
  };
}

function call(name: string, args: readonly (number | bigint)[], memory?: MemoryView): SyscallText {
  const registers = new Uint8Array(STOP_REGISTER_BYTES);
  const view = new DataView(registers.buffer);
  const set = (register: string, value: number | bigint): void => view.setBigUint64(GPR.find((slot) => slot.name === register)!.offset, BigInt.asUintN(64, BigInt(value)), true);
  set('rax', (SYSCALL_NAMES as readonly (string | undefined)[]).indexOf(name));
  args.forEach((value, i) => set(['rdi', 'rsi', 'rdx', 'r10', 'r8', 'r9'][i]!, value));
  return new SyscallText(systemCallOf(registers), memory);
}

describe('a system call', () => {
  it('has paths, flags and errors by name', () => {
    const memory = memoryWith({ 0x1000: '/etc/pass\nwd' });
    expect(call('openat', [-100, 0x1000, 0o2000000, 0], memory).finished(-2, [])).toBe('openat(AT_FDCWD, "/etc/pass\\nwd", O_RDONLY|O_CLOEXEC) = -1 ENOENT');
    expect(call('openat', [5, 0x1000, 0o1101, 0o644], memory).finished(3, [])).toBe('openat(5, "/etc/pass\\nwd", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3');
    expect(call('openat', [-100, 0x1000, 0], undefined).finished(3, [])).toBe('openat(AT_FDCWD, 0x1000, O_RDONLY) = 3');
  });

  it('has what was written and what was read', () => {
    expect(call('write', [1, 0x2000, 3], memoryWith({ 0x2000: 'hi\n' })).finished(3, [])).toBe('write(1, "hi\\n", 3) = 3');
    const long = memoryWith({ 0x2000: 'x'.repeat(500) });
    expect(call('write', [1, 0x2000, 500], long).finished(500, [])).toBe(`write(1, "${'x'.repeat(64)}"..., 500) = 500`);
    const stored = [{ address: 0x3000, bytes: TEXT.encode('abcdef') }];
    expect(call('read', [0, 0x3002, 100]).finished(2, stored)).toBe('read(0, "cd", 100) = 2');
    expect(call('read', [0, 0x3002, 100]).finished(0, stored)).toBe('read(0, 0x3002, 100) = 0');
    expect(call('read', [0, 0x3002, 100]).unfinished()).toBe('read(0, 0x3002, 100)');
  });

  it('has arguments of programs', () => {
    const pointers = new Uint8Array(24);
    new DataView(pointers.buffer).setBigUint64(0, 0x2000n, true);
    new DataView(pointers.buffer).setBigUint64(8, 0x2010n, true);
    const memory = memoryWith({ 0x1000: '/bin/echo', 0x2000: 'echo', 0x2010: 'a"b', 0x3000: pointers });
    expect(call('execve', [0x1000, 0x3000, 0x4000], memory).unfinished()).toBe('execve("/bin/echo", ["echo", "a\\"b"], 0x4000)');
  });

  it('has addresses as results where they are', () => {
    expect(call('mmap', [0, 4096, 3, 0x22, -1, 0]).finished(0x7ffff7fc0000, [])).toBe('mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7ffff7fc0000');
    expect(call('kill', [42, 15]).finished(0, [])).toBe('kill(42, SIGTERM) = 0');
    expect(call('exit_group', [-1]).unfinished()).toBe('exit_group(-1)');
  });

  it('that is not known has numbers', () => {
    expect(systemCallOf(new Uint8Array(STOP_REGISTER_BYTES)).name).toBe('read');
    expect(call('add_key', [1, 2, 3]).finished(-38, [])).toBe('add_key(0x1, 0x2, 0x3, NULL, NULL, NULL) = -1 ENOSYS');
  });
});

it('the table has real names only', () => {
  const real = new Set<string | undefined>(SYSCALL_NAMES);
  expect(SIGNATURES.size).toBeGreaterThan(180);
  for (const name of SIGNATURES.keys()) expect(real.has(name), name).toBe(true);
});

it('numbers have names', () => {
  expect([errorName(2), errorName(512), errorName(4000)]).toEqual(['ENOENT', 'ERESTARTSYS', 'error 4000']);
  expect([resultText(-11, false), resultText(-5000, false), resultText(255, true)]).toEqual(['-1 EAGAIN', '-5000', '0xff']);
  expect([openFlags(0o102), openFlags(0x8000_0000 | 0)]).toEqual(['O_RDWR|O_CREAT', 'O_RDONLY|0x80000000']);
  expect([protFlags(0), protFlags(5)]).toEqual(['PROT_NONE', 'PROT_READ|PROT_EXEC']);
  expect([mapFlags(0x22), mapFlags(0)]).toEqual(['MAP_PRIVATE|MAP_ANONYMOUS', '0']);
  expect([futexOperation(0x80), futexOperation(0x189), futexOperation(77)]).toEqual(['FUTEX_WAIT_PRIVATE', 'FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME', '77']);
});

it('bytes are quoted', () => {
  expect(quoted(TEXT.encode('a\t"\\\u001b\u0000ä漢'))).toBe('"a\\t\\"\\\\\\e\\0ä漢"');
  expect(quoted(Uint8Array.of(0x61, 0xff, 0x07))).toBe('"a\\xff\\x07"');
  expect(quoted(TEXT.encode('abcdef'), 3)).toBe('"abc"...');
});
