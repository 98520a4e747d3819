/**
 * Programs with one memory error each, after the rows of Tables I and II of "Execution Suppression" (Jeffrey and
 * others): the same mechanism, kind and order of distances as the real program's. Names of lines are marks in
 * `programs/PROGRAM.c` (`// @corrupt`).
 */

export interface Row {
  readonly program: string;
  /** As Table II has it. */
  readonly input: 'No Crash' | 'Crash Point 1' | 'Crash Point 2';
  /** Global, heap, stack overflow; null dereference; double free. */
  readonly kind: 'GO' | 'HO' | 'SO' | 'ND' | 'DF';
  readonly args: readonly string[];
  readonly stdin: string;
  /** Lines that are the first corruption. The first is the paper's; others say the same by another definition. */
  readonly corrupt: readonly string[];
  readonly error: string;
  /** The line that crashes, natively too; undefined if the run is silent. */
  readonly crash: string | undefined;
  readonly signal: 'SIGSEGV' | 'SIGABRT' | undefined;
  /** Executions that the paper took: suppression (Table III), or re-ordering (Table IV; undefined: it has no number). */
  readonly executions: number | undefined;
  /** What the paper's tool found without re-ordering, if that was not the first corruption. */
  readonly remark?: string;
  /** Static dependence edges and instructions: from the error to the corruption, and from there to the end. */
  readonly distance: string;
}

const TEXT = 'the quick brown fox jumps over the lazy dog; the lazy dog does not mind the fox. '.repeat(5);
const letters = (count: number, letter = 'a'): string => letter.repeat(count);
const lines = (...all: string[]): string => all.map((line) => `${line}\n`).join('');

const silent = { crash: undefined, signal: undefined } as const;
const SEGV = { crash: 'crash1', signal: 'SIGSEGV' } as const;
const ABORT = { crash: 'crash1', signal: 'SIGABRT' } as const;

/** A list of eight is what fits. */
const SECTIONS = '1:2:3:4:5:6:7:8:9';
const PERSON = (quotes: number, others: number): string => `${letters(others)}${letters(quotes, '"')}\tmail\texample.org`;
const NAMES = Array.from({ length: 12 }, (_, i) => `plain-file-number-${i}.txt`);
const bitmap = (kind: 'W' | 'O', colours: number): string =>
  String.fromCharCode(kind.charCodeAt(0), 4, colours, 40, 40) + letters(kind === 'W' ? 2 * colours : colours, '\x01') + 'abcdefgh'.repeat(200);

export const ROWS: readonly Row[] = [
  { program: 'gzip', input: 'No Crash', kind: 'GO', args: [letters(64)], stdin: TEXT, corrupt: ['corrupt'], error: 'error', ...silent, executions: 15, remark: 'the paper finds none', distance: '0 + 1, 0 + 41,168' },
  { program: 'gzip', input: 'Crash Point 1', kind: 'GO', args: [letters(78)], stdin: TEXT, corrupt: ['corrupt'], error: 'error', ...SEGV, executions: 2, distance: '0 + 1, 0 + 36,902' },
  { program: 'man', input: 'Crash Point 1', kind: 'GO', args: [SECTIONS, 'page-7'], stdin: '', corrupt: ['corrupt'], error: 'error', ...SEGV, executions: 18, remark: 'without re-ordering the paper finds @found', distance: '1 + 8, 296 + 14,239,521' },
  { program: 'bc', input: 'No Crash', kind: 'HO', args: [], stdin: lines('!', 'v 33', 'a 20', 'f 8', 'c 60'), corrupt: ['corrupt'], error: 'error', ...silent, executions: undefined, distance: '1 + 0, 8 + 33,567' },
  { program: 'bc', input: 'Crash Point 1', kind: 'HO', args: [], stdin: lines('!', 'v 40', 'a 20', 'c 3', 'f 8', 'c 60'), corrupt: ['corrupt'], error: 'error', ...SEGV, executions: 2, distance: '1 + 1, 8 + 5,004' },
  { program: 'pine', input: 'No Crash', kind: 'HO', args: ['120'], stdin: lines(PERSON(6, 1013)), corrupt: ['corrupt', 'write', 'write2'], error: 'error', ...silent, executions: undefined, distance: '5 + 20, 1,103 + 1,390,483' },
  { program: 'pine', input: 'Crash Point 1', kind: 'HO', args: ['1'], stdin: lines(PERSON(70, 1000)), corrupt: ['corrupt', 'write', 'write2'], error: 'error', ...ABORT, executions: 2, distance: '5 + 14, 1,103 + 10,165' },
  { program: 'mutt', input: 'No Crash', kind: 'HO', args: ['300'], stdin: lines(letters(4, '\x01')), corrupt: ['corrupt'], error: 'error', ...silent, executions: undefined, distance: '0 + 9, 0 + 140,750' },
  { program: 'mutt', input: 'Crash Point 1', kind: 'HO', args: ['5'], stdin: lines(`a${letters(20, '\x01')}\u00e9b`), corrupt: ['corrupt'], error: 'error', ...SEGV, executions: 3, distance: '0 + 8, 0 + 5,697' },
  { program: 'ncompress', input: 'No Crash', kind: 'SO', args: [letters(86)], stdin: TEXT.slice(0, 101), corrupt: ['corrupt'], error: 'error', ...silent, executions: 5, distance: '0 + 1, 0 + 7,318' },
  { program: 'ncompress', input: 'Crash Point 1', kind: 'SO', args: [letters(94)], stdin: TEXT.slice(0, 200), corrupt: ['corrupt'], error: 'error', ...SEGV, executions: 2, distance: '0 + 2, 0 + 11,616' },
  { program: 'ncompress', input: 'Crash Point 2', kind: 'SO', args: [letters(120)], stdin: TEXT.slice(0, 301), corrupt: ['corrupt'], error: 'error', crash: 'crash2', signal: 'SIGSEGV', executions: 4, distance: '0 + 1, 0 + 19,637' },
  { program: 'polymorph', input: 'No Crash', kind: 'SO', args: [], stdin: lines(...NAMES, `A${letters(68)}`), corrupt: ['lower'], error: 'error', ...silent, executions: 6, distance: '1 + 2, 4,294 + 99,723' },
  { program: 'polymorph', input: 'Crash Point 1', kind: 'SO', args: [], stdin: lines(...NAMES, `A${letters(85)}`), corrupt: ['lower'], error: 'error', ...SEGV, executions: 2, distance: '1 + 2, 4,321 + 99,762' },
  { program: 'polymorph', input: 'Crash Point 2', kind: 'SO', args: [], stdin: lines(...NAMES, `-${letters(110, 'A')}`), corrupt: ['upper'], error: 'error', crash: 'crash2', signal: 'SIGSEGV', executions: 3, distance: '1 + 1, 4,354 + 113,083' },
  { program: 'xv', input: 'No Crash', kind: 'SO', args: [], stdin: bitmap('O', 20), corrupt: ['os2'], error: 'error', ...silent, executions: 135, distance: '1 + 2, 122 + 185,818' },
  { program: 'xv', input: 'Crash Point 1', kind: 'SO', args: [], stdin: bitmap('W', 38), corrupt: ['windows'], error: 'error', ...SEGV, executions: 4, distance: '1 + 1, 124 + 158,640' },
  { program: 'tar', input: 'Crash Point 1', kind: 'ND', args: [], stdin: lines('first/', 'one', 'two', '!second/', 'three', 'third/', 'four', 'fourth/'), corrupt: ['corrupt'], error: 'error', ...SEGV, executions: 2, distance: '0 + 1, 0 + 210,505' },
  { program: 'tidy', input: 'Crash Point 1', kind: 'ND', args: [], stdin: '<html><body><p>text</><!><p>more</>', corrupt: ['corrupt'], error: 'error', ...SEGV, executions: 2, distance: '0 + 2, 0 + 57' },
  { program: 'cvs', input: 'Crash Point 1', kind: 'DF', args: [], stdin: lines('Directory src', ...NAMES.map((name) => `Entry ${name}`), 'Directory /etc', 'Directory doc', 'Entry a'), corrupt: ['corrupt'], error: 'error', ...ABORT, executions: 2, distance: '1 + 0, 5,164 + 0' },
];
