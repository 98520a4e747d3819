import fs from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { InvariantError } from '../../base/assert.js';
import { SourceError, UserError } from '../../base/errors.js';
import { EXIT_INTERNAL, reportFailure, wantsColour } from './report.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

function reported(error: unknown): { status: number; lines: string[] } {
  const write = vi.spyOn(fs, 'writeSync').mockReturnValue(0);
  const status = reportFailure(error);
  return { status, lines: write.mock.calls.map(([, text]) => String(text)).join('').trimEnd().split('\n') };
}

it("a user's mistake is one line with its own exit status", () => {
  expect(reported(new UserError('no such\n  thing', 127))).toEqual({ status: 127, lines: ['culprit: no such thing'] });
});

it('mistakes in a file are shown with their lines', () => {
  expect(reported(new SourceError('a.bug:1:2: no\n   1 | x\n     |  ^'))).toEqual({ status: 2, lines: ['a.bug:1:2: no', '   1 | x', '     |  ^'] });
});

it('a bug of ours asks to be reported, with the stack only on request', () => {
  vi.stubEnv('CULPRIT_DEBUG', '');
  const quiet = reported(new InvariantError('two is not three'));
  expect(quiet).toEqual({
    status: EXIT_INTERNAL,
    lines: ['culprit: internal error: two is not three (a bug in culprit: please report it with what you ran)'],
  });
  vi.restoreAllMocks();
  vi.stubEnv('CULPRIT_DEBUG', '1');
  expect(reported(new InvariantError('two is not three')).lines.slice(1).join('\n')).toContain('report.test.ts');
});

it('colours are for terminals whose user wants them', () => {
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'xterm');
  expect([wantsColour({ isTTY: true }), wantsColour({ isTTY: false }), wantsColour({})]).toEqual([true, false, false]);
  vi.stubEnv('NO_COLOR', '1');
  expect(wantsColour({ isTTY: true })).toBe(false);
});
