import { describe, expect, it } from 'vitest';
import { KnownFiles } from './mentions.js';
import { proseOfDocument, proseOfSource } from './prose.js';
import { parseSource } from './syntax.js';

const LONG = 'x'.repeat(121);
const source = (text: string) => proseOfSource(parseSource('x.ts', text));
const document = (text: string) => proseOfDocument({ path: 'x.md', text });

describe('prose', () => {
  it('is at most 120 columns wide in comments, not in code', () => {
    expect(source(`/**\n * ${LONG}\n */\nconst a = '${LONG}';\nb(); // ${'y'.repeat(113)}\nc(); // ${'y'.repeat(112)}\n`).wide).toEqual([2, 5]);
  });

  it('is at most 120 columns wide in documents, outside code and tables', () => {
    expect(document(`${LONG}\n| ${LONG} |\n\`\`\`\n${LONG}\n\`\`\`\n    ${LONG}\n${LONG}`).wide).toEqual([1, 7]);
  });

  it('names who acts; texts of the program do not count', () => {
    expect(source("// Nobody sees it.\nconst a = 'nobody'; /* whoever, somebody */").vague).toEqual([1, 2, 2]);
    expect(document('whoever\n').vague).toEqual([1]);
  });
});

describe('mentions', () => {
  const files = new KnownFiles(['src/a/here.ts', 'scripts/run.mjs']);

  it('of files that are not there are found', () => {
    expect(files.missing('// see gone.ts, b/here.ts and run.mjs.').map(({ name }) => name)).toEqual(['gone.ts', 'b/here.ts']);
  });

  it('of files that are there, of parts of addresses and of any file are not', () => {
    expect(files.missing('here.ts a/here.ts src/a/here.ts, https://x.org/gone.ts, *.test.ts, NAME.ts, dist/made.cjs')).toEqual([]);
  });
});
