/**
 * Functions for strings read whole words and vectors, whatever library they are in and however it is linked: strings
 * that fill their blocks are read without a complaint.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';

const LONG = process.env['CULPRIT_LONG'] === '1';
const FOLDER = mkdtempSync(join(tmpdir(), 'culprit-strings-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const USUAL = ['gcc -static-pie -g -O0', 'gcc -static -O2', 'musl-gcc -static -O0'];
const LINKED = ['gcc -pie', 'gcc -no-pie', 'gcc -static', 'gcc -static-pie', 'musl-gcc -pie', 'musl-gcc -static'];
const ALL = LINKED.flatMap((linked) => ['-O0', '-O2'].flatMap((level) => ['', ' -g'].flatMap((debug) => ['', ' -fno-builtin'].map((calls) => `${linked} ${level}${debug}${calls}`))));

/** The program, and what it writes. */
function built(name: string, how: string): { readonly program: string; readonly natively: string } {
  const [compiler = '', ...flags] = how.split(' ');
  const program = join(FOLDER, `${name}${how.replaceAll(' ', '')}`);
  execFileSync(compiler, ['-w', '-D_GNU_SOURCE', ...flags, fileURLToPath(new URL(`programs/${name}.c`, import.meta.url)), '-o', program]);
  return { program, natively: execFileSync(program, { encoding: 'utf8' }) };
}

describe('strings that fill their blocks', () => {
  it.each(LONG ? ALL : USUAL)('are read without a complaint: %s', (how) => {
    const { program, natively } = built('strings', how);
    const { status, stdout, stderr } = culprit(['check', '--keep-going', '--', program]);
    expect([status, stdout, stderr]).toEqual([0, natively, '']);
  });
});
