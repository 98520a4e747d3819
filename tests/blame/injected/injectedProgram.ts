/**
 * Random programs with one bug. The same seed gives the same program: around the bug is either a small program that
 * computes, allocates and calls, or one of tests/slices with signals, threads, processes, pipes and jumps.
 */
import { dice as diceOf } from '../../flow/moves.js';
import { randomProgram } from '../../slices/generator.js';
import { among, type Dice, type Injection, PRELUDE } from './injection.js';
import { danglingLocal, doubleFree, uninitialised, useAfterFree } from './lifetimes.js';
import { globalOverflow, heapOverflow, stackOverflow, wrongIndex } from './overflows.js';

const KINDS: readonly ((dice: Dice) => Injection)[] = [heapOverflow, stackOverflow, globalOverflow, useAfterFree, danglingLocal, uninitialised, wrongIndex, doubleFree];

export interface InjectedProgram {
  readonly seed: number;
  readonly kind: string;
  readonly name: string;
  readonly source: string;
  /** Lines that are the first corruption, and those that the paper's definition allows, too. */
  readonly corrupt: readonly number[];
  readonly also: readonly number[];
}

export function injectedProgram(seed: number): InjectedProgram {
  const dice = diceOf(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let i = 0; i < 8; i++) dice(2);
  const { kind, name, declarations } = (KINDS[seed % KINDS.length] as (dice: Dice) => Injection)(dice);
  const inThread = dice(4) === 0;
  const isLarge = dice(3) === 0;
  const call = inThread ? '{ pthread_t one; pthread_create(&one, 0, away, 0); pthread_join(one, 0); }' : 'bug();';
  const parts = { declarations: `${PRELUDE}${declarations}static void *aside(void *given) { bug(); return given; }\n`, call: call.replace('away', 'aside') };
  const source = isLarge ? inSlicesProgram(dice, parts) : inSmallProgram(dice, parts);
  return { seed, kind, name: `${name}${inThread ? ', in a thread' : ''}${isLarge ? ', large' : ''}`, source, corrupt: marked(source, 'corrupt'), also: marked(source, 'also') };
}

interface Parts {
  readonly declarations: string;
  readonly call: string;
}

function inSlicesProgram(dice: Dice, { declarations, call }: Parts): string {
  const text = randomProgram(dice);
  const result = '  int result = f0(a, b);\n';
  const calls = among(dice, [`${call}\n${result}  after();\n`, `${result}${call}\n  after();\n`, `${call}\n  after();\n${result}`].map((one) => `${one}  printf("%ld\\n", shown);\n`));
  return text.replace('static int f0(int, int);', () => `${declarations}static int f0(int, int);`).replace(result, () => calls);
}

function inSmallProgram(dice: Dice, { declarations, call }: Parts): string {
  const work = (): string => among(dice, [`all += work(${dice(40)});`, `all += deeper(${1 + dice(5)});`, `gather(${8 + dice(60)});`, `char *some${dice(1e6)} = block(${8 + dice(300)});`, '']);
  const several = (): string => Array.from({ length: 1 + dice(3) }, work).join('\n    ');
  const depth = dice(3);
  const chain = Array.from({ length: depth }, (_, i) => `APART int level${i + 1}(int n) {\n    volatile int here = n + ${i};\n    level${i}(here);\n    return here * 3;\n}\n`).join('');
  return `#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
${declarations}
static int numbers[16];
static char *gathered;
APART int work(int n) {
    int all = n;
    for (int i = 0; i < n * 3; i++) {
        numbers[i & 15] += all ^ i;
        all = all * 31 + numbers[(i + 3) & 15];
    }
    return all;
}
APART int deeper(int n) { return n <= 0 ? numbers[2] : deeper(n - 1) + work(n); }
APART void gather(int n) {
    char *more = block(n);
    memset(more, 'g', n);
    release(gathered);
    gathered = more;
}
APART int level0(int n) {
    ${call}
    return n;
}
${chain}
int main(void) {
    int all = 0;
    ${several()}
    level${depth}(all & 7);
    ${several()}
    after();
    ${several()}
    printf("%d %ld\\n", all, shown);
    return 0;
}
`;
}

function marked(source: string, mark: string): number[] {
  return source.split('\n').flatMap((line, i) => (line.endsWith(`// @${mark}`) ? [i + 1] : []));
}
