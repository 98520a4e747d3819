import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { showInstruction, type Flavor } from '../../src/x86/attSyntax.js';

/** Of a library's code every so many instructions; all of them with CULPRIT_LONG. */
const STEP = process.env['CULPRIT_LONG'] === undefined ? 20 : 1;

function withoutTargets(text: string): string {
  return text.replace(/ *#.*$/, '').replace(/ <.*>$/, '').replace(/\b((?:call|jmp|j[a-z]+|loop\w*|xbegin)\w*(?:,p[nt])? +)0x([0-9a-f]+)$/, '$1$2').trimEnd();
}

describe.each<Flavor>(['att', 'intel'])('instructions of libm, %s', (flavor) => {
  it('are written as objdump does', () => {
    const library = execFileSync('gcc', ['-print-file-name=libm.so.6'], { encoding: 'utf8' }).trim();
    const text = execFileSync('objdump', ['-d', '--section=.text', '-M', flavor, '--insn-width=16', library], { encoding: 'utf8', maxBuffer: 1 << 28 });
    const lines = text.split('\n').map((line) => /^ *([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t(.*)$/.exec(line)).filter((match) => match !== null);
    // objdump takes fwait and the instruction after it as one.
    const chosen = lines.filter((match, i) => i % STEP === 0 && !(match[2] as string).startsWith('9b'));
    expect(chosen.length).toBeGreaterThan(3000);
    const ours = chosen.map(([, address, bytes]) => withoutTargets(showInstruction(Uint8Array.from((bytes as string).trim().split(' ').map((byte) => parseInt(byte, 16))), BigInt(`0x${address}`), flavor).text));
    expect(ours).toEqual(chosen.map((match) => withoutTargets(match[3] as string)));
  });
});
