/** A recorded program is run again under guards, with the input that it had then, whatever has become of its files. */
import fs from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { at } from '../../src/replay/log/position.js';
import { findingsOf, guarded, lineOf, stdoutOf, Workplace } from './guarded.js';

const OVERFLOWS = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char name[8];
int level = 5;
int main(int argc, char **argv) {
  char line[64];
  char *kept = malloc(8);
  FILE *file = fopen(argv[1], "r");
  if (file == NULL) return 3;
  fgets(line, sizeof line, file);
  fclose(file);
  printf("%s %s", getenv("MOOD"), line);
  fgets(line, sizeof line, stdin);
  for (int i = 0; line[i] != 0; i++) {
    name[i] = line[i]; // @global
    kept[i] = line[i]; // @heap
  }
  printf("%d\\n", level);
  free(kept);
  return kept[0] == 'q'; // @freed
}
`;
const places: Workplace[] = [];
afterEach(() => {
  for (const one of places.splice(0)) one.remove();
});

function workplace(): Workplace {
  const one = new Workplace();
  places.push(one);
  return one;
}

function expected(source: string, ...marks: readonly (readonly [rule: string, mark: string])[]): string[] {
  return marks.map(([rule, mark]) => `${rule} ${lineOf(source, mark)}`);
}

describe('a recorded program', () => {
  const found = expected(OVERFLOWS, ['global.buffer.overflow', 'global'], ['heap.buffer.overflow', 'heap'], ['dangling.pointer.deref', 'freed']);

  it('has its arguments, environment, standard input and files, and goes on after each finding', async () => {
    const here = workplace();
    here.compile(OVERFLOWS);
    here.write('text', 'from a file\n');
    const recorded = here.record({ args: ['text'], input: 'overflow it\n', environment: { MOOD: 'calm' } });
    const run = await guarded(recorded.path);
    expect(run.remarks).toEqual([]);
    expect(stdoutOf(run)).toMatch(/^calm from a file\n\d+\n$/);
    expect(findingsOf(run)).toEqual(found);
    expect(run.status).toEqual({ kind: 'exited', code: 0 });
  });

  it('runs when the program and its files are gone or others', async () => {
    const here = workplace();
    const program = here.compile(OVERFLOWS);
    here.write('text', 'from a file\n');
    const { path } = here.record({ args: ['text'], input: 'overflow it\n', environment: { MOOD: 'calm' } });
    fs.rmSync(program);
    fs.rmSync(here.at('program.c'));
    here.write('text', 'something else, and longer\n');
    const changed = await guarded(path);
    expect([stdoutOf(changed).split('\n')[0], findingsOf(changed), changed.remarks]).toEqual(['calm from a file', found, []]);
    const recording = here.at('run.culprit');
    const elsewhere = workplace();
    fs.copyFileSync(recording, elsewhere.at('moved.culprit'));
    here.remove();
    const moved = await guarded(elsewhere.at('moved.culprit'));
    expect([stdoutOf(moved).split('\n')[0], findingsOf(moved), moved.remarks]).toEqual(['calm from a file', found, []]);
  });

  it('can be looked at afterwards, at the times of the reports', async () => {
    const here = workplace();
    here.compile(OVERFLOWS);
    here.write('text', 'from a file\n');
    const run = await guarded(here.record({ args: ['text'], input: 'overflow it\n', environment: { MOOD: 'calm' } }).path);
    const debug = await run.open();
    const [first] = run.reports;
    await debug.goTo(at(first?.time ?? 0));
    expect(debug.frame?.line).toBe(lineOf(OVERFLOWS, 'global'));
  });
});
