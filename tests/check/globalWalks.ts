/**
 * Random programs in C that walk rows of global variables, forwards and backwards, with pointers to ends and to what is
 * in front, on purpose in ways that do not say which row is meant. None is wrong.
 */
import fc from 'fast-check';

interface Row {
  readonly type: 'char' | 'short' | 'int' | 'long' | 'struct pair';
  readonly count: number;
  readonly storage: 'static ' | '' | 'static const ';
  readonly isInitialised: boolean;
}

const row: fc.Arbitrary<Row> = fc.record({
  type: fc.constantFrom('char', 'short', 'int', 'long', 'struct pair'),
  count: fc.integer({ min: 1, max: 12 }),
  storage: fc.constantFrom('static ', 'static ', '', 'static const '),
  isInitialised: fc.boolean(),
});

/** Which way of walking, which row, and another one that is named as well. */
const step = fc.tuple(fc.nat(), fc.nat(), fc.nat());

export const walkingProgram: fc.Arbitrary<string> = fc.tuple(fc.array(row, { minLength: 2, maxLength: 8 }), fc.array(step, { minLength: 8, maxLength: 24 })).map(([rows, steps]) => programOf(rows, steps));

/** Of names, types and sizes; `o` is another row. */
interface Names {
  readonly a: string;
  readonly o: string;
  readonly n: number;
  readonly t: string;
  /** A name that no other statement has. */
  readonly x: string;
}

type Way = (names: Names) => string;

const WAYS: readonly Way[] = [
  ({ a, n, t }) => `for (const ${t} *p = ${a}; p != ${a} + ${n}; p++) sum += VALUE(p);`,
  ({ a, n, t }) => `for (const ${t} *p = ${a}; p < &${a}[${n}]; p++) sum += VALUE(p);`,
  ({ a, t }) => `for (const ${t} *p = ${a}; p < END(${a}); p++) sum += VALUE(p);`,
  ({ a, n, t }) => `for (const ${t} *p = ${a} + ${n}; p-- > ${a};) sum += VALUE(p);`,
  ({ a, n, t }) => `for (const ${t} *p = ${a} + ${n - 1}; p >= ${a}; p--) sum += VALUE(p);`,
  ({ a, n, t, x }) => `{ const ${t} *none${x} = ${a} - 1;\n  for (const ${t} *p = ${a} + ${n - 1}; p != none${x}; p--) sum += VALUE(p); }`,
  ({ a, n, t, x }) => `{ const ${t} *from_one${x} = ${a} - 1;\n  for (int i = 1; i <= ${n}; i++) sum += VALUE(&from_one${x}[i]); }`,
  ({ a, n }) => `sum += total(${a}, ${a} + ${n}, sizeof *${a});`,
  ({ a, n }) => `sum += total(${a},\n    ${a} + ${n},\n    sizeof *${a});`,
  ({ a, o, n }) => `sum += total(${a}, ${a} + ${n}, sizeof *${a}) + same(${o}, ${a});`,
  ({ a, o, n }) => `sum += total(${a}, ${a} + ${n}, sizeof *${a}) + total(${o}, ${o}_END, sizeof *${o});`,
  ({ a }) => `sum += total(${a}, ${a}_END, sizeof *${a});`,
  ({ a, t, x }) => `{ const ${t} *p = ${a}, *end${x} = ${a}_END;\n  while (p != end${x}) sum += VALUE(p++); }`,
  ({ a, n, t, x }) => `{ static const ${t} *from${x} = ${a}, *to${x} = ${a} + ${n};\n  for (const ${t} *p = from${x}; p != to${x}; p++) sum += VALUE(p); }`,
  ({ a, o, n, x }) => `{ static const void *ends${x}[] = { ${a}, ${a} + ${n}, ${o} };\n  sum += total(ends${x}[0], ends${x}[1], sizeof *${a}) + same(ends${x}[2], ${o}) + same(ends${x}[0], ${a}); }`,
  ({ a, n, o }) => `sum += (char *)(${a} + ${n}) - (char *)${a} + same(${a}, ${a}) * 3 + same(${o}, ${o});`,
  ({ a, n, x }) => `{ struct span span${x} = { ${a}, ${a} + ${n} }; sum += total(span${x}.begin, span${x}.end, sizeof *${a}); }`,
  ({ a, n }) => `printf("%ld %d\\n", total(${a}, &${a}[${n}], sizeof *${a}), same(${a}, &${a}[0]));`,
  ({ a, o, n, t, x }) => `{ static const ${t} *const end${x} = ${a} + ${n}; sum += total(${a}, end${x}, sizeof *${a});\n  sum += total(${a}, end${x}, 1) + same(${o}, ${o}); }`,
  ({ a, o, n, t, x }) => `{ const ${t} *const end${x} = ${a} + ${n};\n  sum += same(end${x}, ${o}) * 0 + total(${a}, end${x}, sizeof *${a});\n  sum += total(${o}, end${x} - ${n} == ${a} ? ${o}_END : 0, sizeof *${o}); }`,
  ({ a, o, n, x }) => `{ static const struct span span${x} = { ${a}, ${a} + ${n} };\n  sum += same(${o}, ${o}) + total(span${x}.begin, span${x}.end, sizeof *${a}); }`,
  ({ a, o }) => `sum += total(${a}, &${a} + 1, sizeof *${a}) + same(${o}, (&${o})[0]);`,
  ({ a, n, o }) => `f(${a}, (struct span) {\n    ${o}, ${o}_END\n  }, sizeof *${o}), sum += total(${a}, &(${n})[${a}], 1);`,
  ({ a, n, o }) => `sum += same(sum % 2 ? (const void *)${a} : (const void *)${o}, sum % 2 ? (const void *)${a} : (const void *)${o}) + (&${a}[${n}] > ${a});`,
];

const PROLOGUE = `#include <stdio.h>
struct pair { int key; long value; };
struct span { const void *begin, *end; };
#define END(row) ((row) + sizeof(row) / sizeof *(row))
#define VALUE(p) (*(const char *)(p) * 3 + 1)

static long sum;

static long total(const void *from, const void *to, int size) {
  long sum = 0;
  for (const char *p = from; p != (const char *)to; p += size) sum = sum * 3 % 10007 + *p;
  return sum;
}

static void f(const void *one, struct span other, int size) {
  sum += total(other.begin, other.end, size) + *(const char *)one;
}

static int same(const void *one, const void *other) {
  return one == other;
}
`;

function programOf(rows: readonly Row[], steps: readonly (readonly [number, number, number])[]): string {
  const declared = rows.map(({ type, count, storage, isInitialised }, i) => `${storage}${type} row${i}[${count}]${isInitialised || storage === 'static const ' ? ` = { ${initialiser(type, count)} }` : ''};\n#define row${i}_END (row${i} + ${count})`);
  const walks = steps.map(([way, which, other], i) => {
    const at = which % rows.length;
    const { type, count } = rows[at] as Row;
    return `  ${(WAYS[way % WAYS.length] as Way)({ a: `row${at}`, o: `row${other % rows.length}`, n: count, t: type, x: `${i}` })}`;
  });
  return `${PROLOGUE}\n${declared.join('\n')}\n\nint main(void) {\n${walks.join('\n')}\n  printf("%ld\\n", sum);\n  return 0;\n}\n`;
}

function initialiser(type: Row['type'], count: number): string {
  return Array.from({ length: count }, (_, i) => (type === 'struct pair' ? `{ ${i + 1}, ${i} }` : `${(i * 7 + 3) % 50}`)).join(', ');
}
