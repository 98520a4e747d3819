/** Answers and inputs for tests, by hand. */
import type { BlamedFrame } from '../../blame/blameReport.js';
import type { Answer } from '../inputResult.js';
import type { TriageInput } from '../triageInput.js';

function frame(line: number, name = 'f', file = '/src/a.c'): BlamedFrame {
  return { function: name, file, line, module: '/bin/a', address: `0x${(0x1000 + line).toString(16)}` };
}

export function corrupts(line: number, crashLine = 1, rule = 'heap.buffer.overflow'): Answer {
  const place = { ...frame(line), by: ['guards'] as const, what: `access beyond a block <${line}>`, rule, time: 10, stack: [frame(line), frame(3, 'main')], memory: 'a block of 8 bytes' };
  return { verdict: 'corruption', places: [place], failure: crashes(crashLine), remarks: [], why: `memory was first corrupted at a.c:${line}`, runs: 2 };
}

export function fails(why: string, name = 'SIGABRT', line = 7): Answer {
  return { verdict: 'otherFailure', places: [], failure: { kind: name === 'SIGABRT' ? 'abort' : 'crash', name, message: name, place: frame(line), time: 5 }, remarks: [], why, runs: 1 };
}

export function hangs(seconds = 10): Answer {
  return { verdict: 'otherFailure', places: [], failure: { kind: 'hang', name: 'hang', message: `not done after ${seconds} s`, place: frame(seconds), time: 5 }, remarks: [], why: `not done after ${seconds} s`, runs: 1 };
}

export const CLEAN: Answer = { verdict: 'clean', places: [], failure: undefined, remarks: [], why: 'nothing', runs: 1 };

function crashes(line: number): Answer['failure'] {
  return { kind: 'crash', name: 'SIGSEGV', message: 'Segmentation fault', place: frame(line, `site${line}`), time: 20 };
}

export function input(name: string, size = 10): TriageInput {
  return { name, size, hash: `hash of ${name}`, said: 'crash', copies: [] };
}
