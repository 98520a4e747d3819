import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Binder, BinaryOperator, Expression, Item } from './ast.js';
import { parseRules } from './parser.js';
import { printFile } from './printer.js';

const place = { file: 'a.bug', line: 1, column: 1 };
const name = fc.constantFrom('r', 'r1', 'bid', 'k', 'x_2');
const wildcard: fc.Arbitrary<Expression> = fc.constant({ kind: 'wildcard', place });
const named: fc.Arbitrary<Expression> = name.map((text) => ({ kind: 'name', name: text, fresh: false, place }));
const operators: BinaryOperator[] = ['||', '&&', '==', '!=', '<', '<=', '>', '>=', '|', '^', '&', '<<', '>>', '+', '-', '*', '/', '%'];

const { expression } = fc.letrec<{ expression: Expression; field: Expression; binder: Binder }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    named,
    fc.constant<Expression>({ kind: 'null', place }),
    fc.boolean().map((value): Expression => ({ kind: 'boolean', value, place })),
    fc.nat().map((value): Expression => ({ kind: 'number', value: BigInt(value), text: String(value), place })),
    fc.string().map((text): Expression => ({ kind: 'text', text: text.replaceAll(/[^ -~]|\{/g, ''), place })),
    fc.record({ kind: fc.constant('unary' as const), operator: fc.constantFrom('!' as const, '-' as const, '~' as const), operand: tie('expression'), place: fc.constant(place) }),
    fc.record({ kind: fc.constant('binary' as const), operator: fc.constantFrom(...operators), left: tie('expression'), right: tie('expression'), place: fc.constant(place) }),
    fc.record({ kind: fc.constant('apply' as const), name: fc.constantFrom('Bid', 'Freed'), args: fc.array(tie('field'), { maxLength: 3 }), place: fc.constant(place) }),
    fc.record({ kind: fc.constant('member' as const), element: tie('expression'), state: fc.constantFrom('H' as const, 'F' as const), place: fc.constant(place) }),
    fc.record(
      { kind: fc.constant('quantified' as const), quantifier: fc.constantFrom('exists' as const, 'forall' as const), binder: tie('binder'), condition: tie('expression'), place: fc.constant(place) },
      { requiredKeys: ['kind', 'quantifier', 'binder', 'place'] },
    ),
  ),
  field: fc.oneof(wildcard, tie('expression'), name.map((text): Expression => ({ kind: 'name', name: text, fresh: true, place }))),
  binder: fc.oneof(
    fc.record({ kind: fc.constant('block' as const), block: named, state: fc.constantFrom('H' as const, 'G' as const), place: fc.constant(place) }),
    fc.record({ kind: fc.constant('pointer' as const), pointer: named, block: tie('field'), index: tie('field'), place: fc.constant(place) }),
    fc.record({ kind: fc.constant('frame' as const), fields: fc.array(tie('field'), { maxLength: 3 }), place: fc.constant(place) }),
    fc
      .record({ time: tie('field'), event: fc.constantFrom('malloc' as const, 'write' as const), fields: fc.array(tie('field'), { maxLength: 3 }), place: fc.constant(place) })
      .map((pattern): Binder => ({ kind: 'event', pattern, place })),
  ),
}));

/** Trees without their places. */
function bare(items: readonly Item[]): unknown {
  return JSON.parse(JSON.stringify(items, (key, value: unknown) => (key === 'place' || key === 'calleePlace' || key === 'lines' ? undefined : typeof value === 'bigint' ? String(value) : value)));
}

it('what is printed means the same again', () => {
  fc.assert(
    fc.property(expression, (condition) => {
      const item: Item = { kind: 'rule', name: 'a.b', states: ['Trace'], points: [{ kind: 'deref', variables: [{ name: 'r', place }], place }], condition, locators: [], place, lines: 1 };
      const text = printFile({ path: 'a.bug', items: [item] });
      const { file, problems } = parseRules(text, 'a.bug');
      expect(problems, text).toEqual([]);
      expect(bare(file.items), text).toEqual(bare([item]));
    }),
    { numRuns: 500 },
  );
});

it('whole files, too', () => {
  const text = `#include "x.bug"
functions A = b, "c d"
define Null(r, .) = r == NULL
[a.b] detect <H; Trace; deref r, n | deref_w r, n>: Null(r, .) :VPC(r)
  message "{{ {r} \\"q\\""
  severity note
  help "a\\nb"
  default off
[c] detect <call A(x, .)>: true
[d] detect <ret . v>: true
[e] detect <use branch v>: true
[f] detect <exit>: true
`;
  const { file, problems } = parseRules(text, 'a.bug');
  expect(problems).toEqual([]);
  expect(printFile(file)).toBe(text);
});
