/** The CPU we run on as the judge: a C program that executes instructions on what it reads. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A C program on this CPU: reads lines, prints as many. */
export class CpuOracle {
  private readonly dir = mkdtempSync(join(tmpdir(), 'culprit-float-'));
  private readonly program = join(this.dir, 'oracle');

  constructor(source: string) {
    writeFileSync(`${this.program}.c`, source);
    execFileSync('gcc', ['-O1', '-msse4.2', '-frounding-math', '-o', this.program, `${this.program}.c`]);
  }

  run(lines: readonly string[]): string[] {
    const out = execFileSync(this.program, { input: lines.join('\n') + '\n', maxBuffer: 1 << 30 });
    return out.toString().trimEnd().split('\n');
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true });
  }
}

/** How many random cases per test: more with CULPRIT_FLOAT_CASES. */
export const CASES = Number(process.env['CULPRIT_FLOAT_CASES'] ?? 1500);
