import { describe, expect, it } from 'vitest';
import { Expressions } from '../../src/debugger/values/expressions.js';
import type { Child } from '../../src/debugger/values/tree/child.js';
import { childrenOf } from '../../src/debugger/values/tree/children.js';
import type { Value } from '../../src/debugger/values/value.js';
import { placesOf } from '../../src/debugger/values/places.js';
import { askAtStops, compileProgram } from './gdbAnswers.js';

function expressionsAt(source: string, place: string, frame: number): Expressions {
  const [stop] = askAtStops(compileProgram(source, ['-O0', '-g']), [{ place, frame, commands: [] }]);
  if (stop === undefined) throw new Error('no stop');
  return new Expressions(stop.program);
}

function parts(expressions: Expressions, text: string): readonly Child[] {
  return childrenOf(expressions, expressions.evaluate(text), text)?.list(0, 20) ?? [];
}

function shown(expressions: Expressions, value: Value): string {
  return expressions.printer().nested(value, 0, true);
}

/** Every part, two levels deep, is what its expression means. */
function checkParts(expressions: Expressions, text: string): number {
  let checked = 0;
  const check = ({ name, expression, value }: Child): void => {
    // What the compiler put there can not be named.
    if (expression === undefined) return expect(name).toMatch(/^_vptr\./);
    expect(shown(expressions, expressions.evaluate(expression)), expression).toBe(shown(expressions, value()));
    checked++;
  };
  for (const child of parts(expressions, text)) {
    check(child);
    if (child.expression !== undefined) childrenOf(expressions, child.value(), child.expression)?.list(0, 5).forEach(check);
  }
  return checked;
}

describe('parts of values', () => {
  it('have expressions that mean them, in C', () => {
    const expressions = expressionsAt('shapes.c', 'stop_here', 1);
    for (const text of ['m', '*m', 'first', 'grid', 'array', 'vla2', 'b', 'pp', 'strings', 'aptr', 'deep', 'flex', '&first', 'array[0]@3']) {
      expect(checkParts(expressions, text), text).toBeGreaterThan(0);
    }
    expect(parts(expressions, 'first').map(({ name, expression }) => [name, expression])).toEqual([['value', 'first.value'], ['next', 'first.next'], ['name', 'first.name']]);
    expect(parts(expressions, 'pp').map(({ expression }) => expression)).toEqual(['pp->x', 'pp->y']);
    expect(parts(expressions, 'ip').map(({ expression }) => expression)).toEqual(['*ip']);
    for (const text of ['null', 'global', 'callee', 'opaque', 'cb']) expect(parts(expressions, text)).toEqual([]);
  });

  it('have expressions that mean them, in C++', () => {
    const expressions = expressionsAt('classes.cc', 'freeFunction', 1);
    for (const text of ['derived', 'base', 'reference', 'diamond', 'points', 'has', 'array']) expect(checkParts(expressions, text), text).toBeGreaterThan(0);
    expect(parts(expressions, 'derived').map(({ name, kind }) => `${kind} ${name}`)).toEqual(['base Base', 'base Other', 'member derived', 'member kind', 'static population', 'static last']);
  });

  it('come in pages', () => {
    const expressions = expressionsAt('shapes.c', 'stop_here', 1);
    const many = childrenOf(expressions, expressions.evaluate('many'), 'many');
    expect(many).toMatchObject({ isIndexed: true, count: 250 });
    expect(many?.list(100, 2).map((child) => [child.name, expressions.text(child.value())])).toEqual([['[100]', '100'], ['[101]', '101']]);
    expect(many?.list(249, 10)).toHaveLength(1);
    expect(many?.find('[249]')?.expression).toBe('many[249]');
    expect(many?.find('[250]')).toBeUndefined();
  });

  it('say where they live', () => {
    const expressions = expressionsAt('shapes.c', 'stop_here', 1);
    const at = (text: string): bigint => expressions.evaluate(text).address ?? 0n;
    expect(placesOf(expressions.evaluate('global'))).toEqual({ memory: [{ address: at('global'), size: 4 }], registers: [] });
    expect(placesOf(expressions.evaluate('m->text'))).toEqual({ memory: [{ address: at('m->text'), size: 16 }], registers: [] });
    expect(placesOf(expressions.evaluate('b.c'))).toEqual({ memory: [{ address: at('b'), size: 1 }], registers: [] });
    expect(placesOf(expressions.evaluate('in_register')).registers).toEqual(['rbx']);
    expect(placesOf(expressions.evaluate('global + 1'))).toEqual({ memory: [], registers: [] });
    expect(placesOf(expressions.evaluate('$rsp'))).toEqual({ memory: [], registers: ['rsp'] });
  });
});
