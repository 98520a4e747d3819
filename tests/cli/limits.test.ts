/** What we cannot give to a program: said in one line if it fails for it, and not at all if it gets along. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../programs/build.js';
import { ensureBuilt } from '../table/built.js';
import { LONG } from '../table/testTable.js';
import { culprit } from './culprit.js';

const VARIANT = { name: '-O1 dynamic', compiler: 'gcc', flags: ['-O1', '-pie', '-fPIE'] } as const;
const MEMORY = 'culprit: limits: it was refused 3,001 MiB of memory: a program has at most 2 GiB here. Make it use less (smaller input, fewer threads, java -Xmx)\n';
const CALL = 'culprit: limits: system call 425 (io_uring_setup) is not supported, and it failed soon after. If it has a setting to do without, use that\n';
const INSTRUCTION = /^culprit: instruction not supported at 0x\w+ <main\+0x\w+>: c5 f8 77: vzeroupper\. Culprit has x86-64-v2, without AVX: use a build for that \(-march=x86-64-v2\)\nIllegal instruction\n$/;

let program = '';
let folder = '';
beforeAll(async () => {
  ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), 'culprit-limits-'));
  program = await buildProgram('limits.c', VARIANT);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('a program that fails for', () => {
  it('memory is told how much there is', () => {
    expect(culprit(['run', program, 'memory', 'fails'])).toEqual({ status: 1, stdout: '', stderr: MEMORY });
    expect(culprit(['run', program, 'memory', 'fails', 'abort'])).toEqual({ status: 134, stdout: '', stderr: `${MEMORY}Aborted\n` });
    // In a child, and once.
    expect(culprit(['run', 'sh', '-c', `${program} memory fails; ${program} memory fails; true`])).toEqual({ status: 0, stdout: '', stderr: MEMORY });
  });

  it('a system call hears which', () => {
    expect(culprit(['run', program, 'call', 'fails'])).toEqual({ status: 1, stdout: '', stderr: CALL });
  });

  it('an instruction hears which, and what we have', () => {
    expect(culprit(['run', program, 'instruction', 'fails']).stderr).toMatch(INSTRUCTION);
  });

  it.each([['address', 'AddressSanitizer'], ['thread', 'ThreadSanitizer']])('the shadow of -fsanitize=%s hears that it does not fit', (sanitizer, name) => {
    const line = `culprit: sanitized: it is built with ${name}, whose shadow memory does not fit into the 2 GiB that a program has here. Build it without -fsanitize=${sanitizer}; culprit check finds such bugs by itself\n`;
    const source = join(folder, 'sanitized.c');
    writeFileSync(source, 'int main(void) { return 0; }\n');
    for (const linked of [[], [`-static-lib${sanitizer.charAt(0)}san`]]) {
      execFileSync('gcc', ['-w', `-fsanitize=${sanitizer}`, ...linked, '-o', join(folder, 'sanitized'), source]);
      const { status, stderr } = culprit(['run', join(folder, 'sanitized')]);
      expect([status === 0, stderr.split(line).length], stderr).toEqual([false, 2]);
    }
  });
});

describe('a program that gets along', () => {
  it.each(['memory', 'call', 'instruction'])('without %s hears nothing', (what) => {
    expect(culprit(['run', program, what])).toEqual({ status: 0, stdout: `${what}: got along\n`, stderr: '' });
  });

  it('for a while hears nothing when it fails for something else', () => {
    expect(culprit(['run', program, 'probe', 'fails'])).toEqual({ status: 1, stdout: '', stderr: '' });
  });
});

describe('a machine that sizes itself by what there is', () => {
  it('gets what it reserves, and what it uses of it', () => {
    expect(culprit(['run', program, 'reserve'])).toEqual({ status: 0, stdout: 'reserved, step 0\n', stderr: '' });
  });

  it.runIf(LONG)('starts: java, without -Xmx', () => {
    expect(culprit(['run', 'java', '-XshowSettings:vm', '-version'])).toMatchObject({ status: 0, stderr: expect.stringContaining('Max. Heap Size (Estimated)') });
  }, 600_000);

  it('is told the same by sysinfo and /proc/meminfo', () => {
    const script = 'getconf _PHYS_PAGES; while read label value rest; do test $label = MemTotal: && echo $value; done < /proc/meminfo';
    const [pages = 0, kilobytes = 0] = culprit(['run', 'sh', '-c', script]).stdout.trim().split('\n').map(Number);
    const total = kilobytes / 1024;
    expect(pages * 4).toBe(kilobytes);
    expect(total).toBeLessThanOrEqual(2048);
    expect(total).toBeGreaterThan(100);
  });
});
