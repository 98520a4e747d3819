import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { ChangingSurroundings } from '../../src/debugger/control/changingSurroundings.js';
import type { Debugger } from '../../src/debugger/control/debugger.js';
import { Expressions } from '../../src/debugger/values/expressions.js';
import { frameScopes } from '../../src/debugger/values/tree/frameScopes.js';
import { ValueEvaluator } from '../../src/debugger/values/valueEvaluator.js';
import { at } from '../../src/replay/log/position.js';
import { compile, debug } from './debugged.js';

const SOURCE = readFileSync(new URL('programs/hiding.c', import.meta.url), 'utf8');
const HERE = SOURCE.split('\n').findIndex((line) => line.includes('/* here */')) + 1;

describe('scopes of a frame', () => {
  let session: Debugger;
  let expressions: Expressions;
  beforeAll(async () => {
    session = await debug(compile('hiding.c', ['-O0', '-g']), { evaluator: new ValueEvaluator() });
    await session.goTo(at(0));
    session.addBreakpoint(`hiding.c:${HERE}`);
    await session.continue();
    expressions = new Expressions(new ChangingSurroundings(session.program(), session.frame));
  }, 60_000);

  function scope(name: string): string[] {
    const found = frameScopes(session.frame as NonNullable<typeof session.frame>, expressions).find((one) => one.name.startsWith(name));
    return found?.children.list().map((child) => `${child.name} (${child.expression ?? '-'}) = ${expressions.printer().nested(child.value(), 0, true)}`) ?? [];
  }

  it('have locals, innermost first; those that are hidden have no expression', () => {
    expect(scope('Locals')).toEqual(['sum (sum) = 400', 'level (level) = 430', 'i (i) = 0', 'sum (of line 9) (-) = 42']);
  });

  it('have arguments, hidden ones too', () => {
    expect(scope('Arguments').map((text) => text.replace(/0x[\da-f]+/, 'ADDRESS'))).toEqual(['level (of line 8) (-) = 10', 'pair (pair) = ADDRESS']);
  });

  it('have globals of the file and registers', () => {
    expect(scope('Globals of hiding.c')).toEqual(['level (::level) = 1']);
    const registers = scope('Registers');
    expect(registers[0]).toMatch(/^rip \(\$rip\) = 0x[\da-f]+ <inner\+\d+>$/);
    expect(registers.length).toBeGreaterThan(40);
  });

  it('give every child that can be named an expression that means it', () => {
    for (const { name, children } of frameScopes(session.frame as NonNullable<typeof session.frame>, expressions).slice(0, 3)) {
      for (const child of children.list()) {
        if (child.expression !== undefined) expect(expressions.text(expressions.evaluate(child.expression)), name).toBe(expressions.text(child.value()));
      }
    }
  });

  it('collect what an expression writes, and let it read that', () => {
    const around = new ChangingSurroundings(session.program(), session.frame);
    const changing = new Expressions(around);
    expect(changing.text(changing.evaluate('pair->left = 77, pair->left + 1'))).toBe('78');
    const [write, ...others] = around.takeWrites();
    expect(write).toMatchObject({ kind: 'memory', bytes: Uint8Array.of(77, 0, 0, 0) });
    expect([others, around.takeWrites()]).toEqual([[], []]);
    expect(expressions.text(expressions.evaluate('pair->left'))).toBe('2');
    expect(() => changing.evaluate('*(int *) 16 = 1')).toThrow('Cannot access memory at address 0x10');
    expect(around.takeWrites()).toEqual([]);
  });
});
