/** Variables laid out anew: a program without mistakes does the same, and a silent corruption has consequences. */
import fs from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { exposedCorruption } from '../../src/blame/layouts/exposed.js';
import type { Layout } from '../../src/check/layouts/layout.js';
import type { LaidOutRun, ProgramLayouts } from '../../src/check/program/layoutRuns.js';
import { layoutsFor, runLayout } from '../../src/check/program/layoutRuns.js';
import { NODE_FILES } from '../../src/cli/opening/nodeFiles.js';
import { openedRecording } from '../../src/cli/opening/openedRecording.js';
import { NodeHost } from '../../src/host/nodeHost.js';
import { at } from '../../src/replay/log/position.js';
import { coreModule, lineOf, stdoutOf, Workplace } from './guarded.js';

let place: Workplace;
afterEach(() => place.remove());

interface Ran {
  readonly stdout: string;
  readonly status: number;
  readonly plan: ProgramLayouts;
  readonly runs: readonly LaidOutRun[];
}

async function allLayouts(source: string, flags: readonly string[] = ['-O0', '-fno-stack-protector'], which?: (count: number) => readonly number[]): Promise<Ran> {
  place = new Workplace();
  place.compile(source, flags);
  const recorded = place.record();
  const recording = openedRecording(recorded.path);
  const settings = { host: new NodeHost(), files: NODE_FILES, engine: { coreModule } };
  const plan = layoutsFor(recording, settings);
  const runs: LaidOutRun[] = [];
  const chosen = which?.(plan.layouts.length).map((number) => plan.layouts[number] as Layout) ?? plan.layouts;
  for (const layout of chosen) runs.push(await runLayout(recording, plan, layout, settings));
  return { stdout: recorded.stdout, status: recorded.status, plan, runs };
}

/** With pointers between variables, texts, tables and structures, on the heap, on the stack and in data. */
const SOUND = `
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { const char *name; int *count; char text[12]; };
char letters[10] = "letters";
static int numbers[6] = { 1, 2, 3, 4, 5, 6 };
int total = 3;
static int *where = &numbers[2];
struct item items[2] = { { "one", &total, "first" }, { "two", numbers + 4, "second" } };
char *names[3] = { letters, "other", items[1].text };
static int sum(int *from, int *to) {
  int all = 0, i;
  int copy[8];
  char label[20];
  for (i = 0; from + i < to; i++) copy[i] = from[i];
  for (int k = 0; k < i; k++) all += copy[k];
  sprintf(label, "%d of %d", all, i);
  printf("%s %s\\n", label, letters);
  return all;
}
int main(void) {
  static char line[16];
  char text[40] = "some text";
  int index = 2, *pointer = &index;
  char *block = malloc(20);
  strcpy(block, text);
  strcpy(line, letters);
  for (char *p = letters; p < letters + 3; p++) *p -= 32;
  *items[0].count += *pointer;
  *items[1].count += numbers[index];
  total += sum(numbers, numbers + 6);
  printf("%d %d %s %s %s %s %s %d\\n", total, *where, names[0], names[1], names[2], line, block, (int)strlen(text));
  free(block);
  return index;
}`;

describe('a program without mistakes', () => {
  it.each([['-pie', ['where', 'line', 'names', 'items']], ['-no-pie', ['line']]])('does the same in every layout: %s', async (kind, moved) => {
    const { stdout, status, plan, runs } = await allLayouts(SOUND, ['-O0', '-fpie', kind]);
    expect(runs.length).toBeGreaterThan(3);
    for (const run of runs) {
      expect([stdoutOf(run), run.status, run.crashes, run.broken, run.remarks]).toEqual([stdout, { kind: 'exited', code: status }, [], [], []]);
    }
    expect(runs[0]?.globals.map(({ name }) => name)).toEqual(moved);
    const left = ['letters', 'numbers', 'total', 'where', 'items', 'names', 'line'].filter((name) => !moved.includes(name));
    expect(plan.unmovable.map(({ name }) => name)).toEqual(expect.arrayContaining(left.filter((name) => name !== 'items')));
    expect(plan.layouts.flatMap(({ serves }) => serves)).toEqual(expect.arrayContaining(['line, nothing', 'sum: label, return address', 'sum: copy, i']));
  });
});

describe('programs of other tests', () => {
  it.each(['check/programs/globals', 'values/programs/shapes', 'flow/programs/tasks'])('do the same in the first, a middle and the last layout: %s', async (name) => {
    const source = fs.readFileSync(new URL(`../${name}.c`, import.meta.url), 'utf8');
    const { stdout, status, plan, runs } = await allLayouts(source, ['-O0'], (count) => [0, count >> 1, count - 1]);
    expect(plan.layouts.length).toBeGreaterThan(10);
    for (const run of runs) {
      expect([stdoutOf(run), shellStatus(run), run.broken, run.remarks]).toEqual([stdout, status, [], []]);
    }
  });
});

describe('a silent overflow', () => {
  it('of a global crashes where it happens, and corrupts each variable in turn', async () => {
    const source = `
#include <stdio.h>
#include <string.h>
char name[8];
char spare[32];
int level = 1;
int table[4] = { 5, 6, 7, 8 };
int *cursor = table;
int main(void) {
  strcpy(spare, "x");
  for (int i = 0; i < 12; i++) name[i] = 'A'; // @overflow
  printf("%d %d\\n", table[level], *cursor); // @use
}`;
    const { status, plan, runs } = await allLayouts(source);
    expect(status).toBe(0);
    expect(plan.layouts[0]).toMatchObject({ kind: 'apart' });
    const lines = await Promise.all(runs.map(crashLine));
    expect(lines[0]).toBe(lineOf(source, 'overflow'));
    const [withLevel, withCursor] = ['name, level', 'name, cursor'].map((pair) => plan.layouts.findIndex(({ serves }) => serves.includes(pair)));
    expect([lines[withLevel ?? 0], lines[withCursor ?? 0]]).toEqual([lineOf(source, 'use'), lineOf(source, 'use')]);
  });

  it('of a local reaches the return address, or the variable behind it', async () => {
    const source = `
#include <stdio.h>
static int work(void) {
  int index = 0;
  int values[4] = { 1, 2, 3, 4 };
  char spare[32];
  char line[8];
  for (int i = 0; i < 24; i++) line[i] = 'A'; // @overflow
  spare[0] = 0;
  return values[index]; // @use
}
int main(void) { printf("%d\\n", work()); }`;
    const { plan, runs } = await allLayouts(source);
    const before = plan.layouts.findIndex(({ serves }) => serves.includes('work: line, return address'));
    expect(before).toBeGreaterThanOrEqual(0);
    expect(runs[before]?.crashes).toHaveLength(1);
    const index = plan.layouts.findIndex(({ serves }) => serves.includes('work: line, index'));
    expect(await crashLine(runs[index] as LaidOutRun)).toBe(lineOf(source, 'use'));
  });

  it('of a block on the heap is in the next block, or in the one before, whose pointer is wrong then', async () => {
    const source = `
#include <stdlib.h>
#include <string.h>
struct node { char *text; };
int main(void) {
  struct node *before = malloc(sizeof *before);
  char *buffer = malloc(16);
  struct node *after = malloc(sizeof *after);
  before->text = after->text = strdup("text");
  for (int i = 0; i < 22; i++) buffer[i] = 'A';
  if (before->text[0] == 'x') return 1; // @before
  return after->text[0] == 'x'; // @after
}`;
    const { status, plan, runs } = await allLayouts(source);
    expect(status).toBe(0);
    expect(plan.layouts.map(({ heap }) => heap)).toEqual(['up', 'down']);
    for (const [i, mark] of ['after', 'before'].entries()) expect(await crashLine(runs[i] as LaidOutRun)).toBe(lineOf(source, mark));
  });
});

it('layouts are run until one shows something, and no more than may be', async () => {
  const source = (bytes: number): string => `
char name[8];
char *cursor = name;
int main(void) { for (int i = 0; i < ${bytes}; i++) name[i] = 'A'; return *cursor == 'B'; }`;
  place = new Workplace();
  const settings = { host: new NodeHost(), files: NODE_FILES, engine: { coreModule } };
  const exposed = (bytes: number, more: object = {}): ReturnType<typeof exposedCorruption> => {
    place.compile(source(bytes), ['-O0']);
    return exposedCorruption(openedRecording(place.record().path), { ...settings, ...more });
  };
  expect(await exposed(12)).toMatchObject({ exposing: { by: 'crash', layout: { number: 0, kind: 'apart' }, run: { crashes: [{ signal: 11 }] } }, runs: 1, left: 1 });
  expect(await exposed(8)).toMatchObject({ exposing: undefined, runs: 2, left: 0, unmovable: [] });
  expect(await exposed(8, { mostRuns: 1 })).toMatchObject({ exposing: undefined, runs: 1, left: 1 });
});

it('what cannot be moved is named, with the reason', async () => {
  const source = `
#include <stdio.h>
static int work(int n) { char large[300]; int i; for (i = 0; i < n; i++) large[i] = i; return large[n - 1]; }
int main(void) { printf("%d\\n", work(9)); }`;
  const { plan } = await allLayouts(source);
  expect(plan.remarks).toEqual([expect.stringMatching(/^work: work: large, return address: instructions that name i have no room for -\d+$/)]);
  const bare = await allLayouts(source, ['-g0', '-O0']);
  expect(bare.plan.unmovable).toEqual([{ name: place.at('program'), why: 'it has no debug information that says where its variables are' }]);
});

function shellStatus({ status }: LaidOutRun): number | undefined {
  return status?.kind === 'signaled' ? 128 + status.signal : status?.code;
}

async function crashLine(run: LaidOutRun): Promise<number | undefined> {
  const [crash] = run.crashes;
  if (crash === undefined) return undefined;
  const debug = await run.open();
  await debug.goTo(at(crash.time, 0));
  return debug.frame?.line;
}
