/**
 * Pointers to globals across modules: libraries that are opened and closed, units that were compiled in other ways,
 * programs that follow each other.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { culprit } from '../cli/culprit.js';

const SOURCES = fileURLToPath(new URL('programs/', import.meta.url));
const FOLDER = fileURLToPath(new URL('../build/check/modules/', import.meta.url));
/** On a machine that has other things to do. */
const COMPILING_MS = 120_000;
const LIBRARY = `${FOLDER}library.so`;

function gcc(...args: string[]): void {
  execFileSync('gcc', ['-std=gnu17', '-w', '-D_GNU_SOURCE', '-g', ...args], { cwd: SOURCES });
}

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
  gcc('-fPIC', '-shared', 'modulesLibrary.c', '-o', LIBRARY);
  gcc('-c', '-O2', 'modulesOptimised.c', '-o', `${FOLDER}optimised.o`);
  gcc('modules.c', `${FOLDER}optimised.o`, '-o', `${FOLDER}modules`, '-ldl');
  gcc('modulesBug.c', '-o', `${FOLDER}bug`, '-ldl');
}, COMPILING_MS);

describe('globals of several modules', () => {
  it('are used as one likes', () => {
    const { status, stdout, stderr } = culprit(['check', `${FOLDER}modules`, LIBRARY]);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toBe(execFileSync(`${FOLDER}modules`, [LIBRARY], { encoding: 'utf8' }));
  });

  it('are left by pointers that a library has handed out', () => {
    const { status, stderr } = culprit(['check', `${FOLDER}bug`, LIBRARY]);
    expect(status).toBe(99);
    expect(stderr).toContain('[global.buffer.overflow]');
    expect(stderr).toContain('0 bytes after hidden, a global variable of 32 bytes');
  });
});
