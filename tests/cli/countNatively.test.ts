/**
 * `culprit count` against callgrind and gcov for what tests/cli/count.test.ts has not: optimised C++ with functions
 * that were inlined, and several processes.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { culprit } from './culprit.js';

const CPP = `#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
struct Shape {
  virtual ~Shape() = default;
  virtual long area(long scale) const = 0;
};
struct Square : Shape {
  long side;
  explicit Square(long length) : side(length) {}
  __attribute__((noinline)) long area(long scale) const override { return side * side * scale; }
};
struct Line : Shape {
  __attribute__((noinline)) long area(long scale) const override { if (scale > 6) throw std::runtime_error("thin"); return scale; }
};
template <typename T> __attribute__((noinline)) T larger(T a, T b) { return a < b ? b : a; }
static inline long mixed(long a, long b) {
  for (int i = 0; i < 3; i++) a = a * 31 + b;
  return a ^ b;
}
__attribute__((noinline)) static long measure(const std::vector<Shape *> &shapes, long scale) {
  long sum = 0;
  for (const Shape *shape : shapes) {
    try {
      sum += shape->area(scale);
    } catch (const std::exception &) {
      sum--;
    }
  }
  return mixed(sum, scale);
}
int main() {
  std::vector<Shape *> shapes;
  std::map<std::string, long> best;
  for (int i = 0; i < 5; i++) shapes.push_back(new Square(i));
  shapes.push_back(new Line);
  for (long scale = 0; scale < 9; scale++) {
    long &found = best[scale % 2 ? "odd" : "even"];
    found = larger(found, measure(shapes, scale));
  }
  for (const auto &[name, value] : best) std::printf("%s %ld\\n", name.c_str(), larger<long>(mixed(value, 1), 5));
  for (Shape *shape : shapes) delete shape;
}
`;

const FORKING = `#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int weigh(int n) {
  int sum = 0;
  while (n > 0) {
    sum += n;
    n -= 2;
  }
  return sum;
}
static int child(int i) {
  int sum = weigh(i);
  if (i == 2)
    sum += weigh(9);
  return sum;
}
int main(void) {
  int sum = weigh(4);
  for (int i = 0; i < 4; i++) {
    pid_t pid = fork();
    if (pid == 0) {
      sum = child(i);
      exit(sum % 100);
    }
    int status;
    waitpid(pid, &status, 0);
    sum += WEXITSTATUS(status);
  }
  printf("%d\\n", sum);
  return 0;
}
`;

interface Counted {
  readonly name: string;
  readonly calls: number;
  readonly instructions: number;
  readonly copies?: number;
  readonly lines?: readonly { readonly line: number; readonly count: number }[];
}

const folder = mkdtempSync(join(tmpdir(), 'count-natively-'));
afterAll(() => rmSync(folder, { recursive: true }));

function native(command: string, ...args: readonly string[]): string {
  return execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function record(program: string): void {
  const { status, stdout } = culprit(['record', '-o', `${program}.culprit`, `./${program}`], { cwd: folder });
  expect({ status, stdout }).toEqual({ status: 0, stdout: native(`./${program}`) });
}

function counted(program: string, ...words: readonly string[]): Counted[] {
  const { stdout, status } = culprit(['count', '--json', `${program}.culprit`, ...words], { cwd: folder });
  expect(status).toBe(0);
  return (JSON.parse(stdout) as { functions: Counted[] }).functions;
}

/** What callgrind's file has of each function: calls of it, and its own instructions. */
function callgrind(program: string): Map<string, { calls: number; instructions: number }> {
  native('valgrind', '--tool=callgrind', '-q', '--skip-plt=no', '--callgrind-out-file=calls', '--compress-strings=no', '--compress-pos=no', `./${program}`);
  const all = new Map<string, { calls: number; instructions: number }>();
  const of = (name: string): { calls: number; instructions: number } => {
    const known = all.get(plainName(name)) ?? { calls: 0, instructions: 0 };
    all.set(plainName(name), known);
    return known;
  };
  let [current, callee, isCall] = ['', '', false];
  for (const line of readFileSync(join(folder, 'calls'), 'utf8').split('\n')) {
    const [, key, value = ''] = /^(c?fn|calls)=(.*)$/.exec(line) ?? [];
    if (key === 'fn') current = value;
    else if (key === 'cfn') callee = value;
    else if (key === 'calls') {
      // To callgrind it is a call that the unwinder comes to where an exception is caught.
      if (!callee.includes('.cold')) of(callee).calls += Number(value.split(' ')[0]);
      isCall = true;
    } else if (/^\d+ \d+$/.test(line)) {
      // What comes after a call is what that took, with all that it called.
      if (!isCall) of(current).instructions += Number(line.split(' ')[1]);
      isCall = false;
    }
  }
  return all;
}

/** Without parameters, and without what says how deep a recursion is. */
function plainName(name: string): string {
  return name.replace(/'\d+$/, '').replace(/^long /, '').replace(/\(.*$/, '');
}

describe('C++ that was optimised', () => {
  it('has the calls and instructions that callgrind counts, and says of what was inlined that it was', () => {
    writeFileSync(join(folder, 'shapes.cc'), CPP);
    native('g++', '-g', '-O2', '-std=c++17', '-o', 'shapes', 'shapes.cc');
    record('shapes');
    const wanted = callgrind('shapes');
    const found = new Map(counted('shapes').map((one) => [plainName(one.name), one]));
    const names = ['Square::area', 'Line::area', 'larger<long>', 'measure', 'main'];
    const show = (all: ReadonlyMap<string, { readonly calls: number; readonly instructions: number }>): string[] =>
      names.map((name) => `${name} ${all.get(name)?.calls} ${all.get(name)?.instructions}`);
    expect(show(found)).toEqual(show(wanted));
    expect(found.get('Square::area')?.calls).toBe(5 * 9);

    const [mixed, ...more] = counted('shapes', 'mixed');
    expect(more).toEqual([]);
    expect(mixed).toMatchObject({ calls: 0, instructions: 0, copies: 2 });
    const { stdout } = culprit(['count', 'shapes.culprit', 'mixed'], { cwd: folder });
    expect(stdout).toMatch(/^mixed \(shapes\.cc:\d+\): inlined, 2 copies\n/);
    expect(stdout).toContain('return a ^ b;');
  }, 120_000);
});

describe('a function that is only inlined', () => {
  it('is one, though units know its header by different paths', () => {
    const HEADER = 'static inline __attribute__((always_inline)) int twice(int n) {\n  volatile int m = n;\n  return m + m;\n}\n';
    for (const part of ['one', 'other']) {
      mkdirSync(join(folder, part));
      writeFileSync(join(folder, part, 'twice.h'), HEADER);
      writeFileSync(join(folder, part, `${part}.c`), `#include "twice.h"\nint ${part}(int n) {\n  return twice(n);\n}\n`);
    }
    writeFileSync(join(folder, 'main.c'), 'int one(int n);\nint other(int n);\nint main(void) { return one(1) + one(2) + other(3) - 12; }\n');
    native('gcc', '-g', '-O1', '-static', '-o', 'inlined', 'main.c', 'one/one.c', 'other/other.c');
    record('inlined');
    const [twice, ...more] = counted('inlined', 'twice');
    expect(more).toEqual([]);
    expect(twice).toMatchObject({ name: 'twice', calls: 0, copies: 2 });
    expect(twice?.lines?.find(({ line }) => line === 3)?.count).toBe(3);
  }, 120_000);
});

describe('several processes', () => {
  it('are counted together, as gcov counts them', () => {
    writeFileSync(join(folder, 'forking.c'), FORKING);
    native('gcc', '-g', '-O0', '-o', 'forking', 'forking.c');
    record('forking');
    native('gcc', '-g', '-O0', '--coverage', '-o', 'covered', 'forking.c');
    native('./covered');
    expect(readdirSync(folder)).toContain('covered-forking.gcda');
    const wanted = new Map([...native('gcov', '-t', 'covered-forking.c').matchAll(/^ *(\d+|#####)\*?: *(\d+):/gm)].map(([, times, line]) => [line, times === '#####' ? '0' : times]));
    const found = new Map(counted('forking', 'weigh', 'child', 'main').flatMap(({ lines = [] }) => lines).map(({ line, count }) => [String(line), String(count)]));
    expect(wanted.size).toBeGreaterThan(15);
    const show = (all: ReadonlyMap<string | undefined, string | undefined>): string[] => [...wanted.keys()].map((line) => `${line}: ${all.get(line)}`);
    expect(show(found)).toEqual(show(wanted));
  }, 120_000);
});
