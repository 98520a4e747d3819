/** Clocks, randomness and Node under whatever name, and what only looks like them. */
import { describe, expect, it } from 'vitest';
import { impuritiesOf } from './determinism.js';
import { parseSource } from './syntax.js';

function found(text: string): string[] {
  return impuritiesOf(parseSource('src/base/x.ts', text)).map(({ what }) => what);
}

describe('what makes runs differ', () => {
  it.each([
    ['called', 'Date.now()', 'Date'],
    ['made', 'new Date', 'Date'],
    ['by its global object', 'globalThis.process.pid', 'globalThis.process'],
    ['by its global object, as text', "globalThis['process']", 'globalThis.process'],
    ['by a chain of global objects', 'globalThis.globalThis.process', 'globalThis.globalThis'],
    ['taken apart', 'const { now } = performance;', 'performance'],
    ['taken out of its global object', 'const { process: p } = globalThis;', 'globalThis.process'],
    ['under another name', 'const clock = performance;', 'performance'],
    ['whose object has another name', 'const g = globalThis;', 'globalThis under another name'],
    ['randomness', 'Math.random()', 'Math.random'],
    ['randomness taken apart', 'const { random } = Math;', 'Math.random'],
    ['randomness by a computed name', 'Math[which]()', 'Math under another name'],
    ['mathematics under another name', 'roll(Math);', 'Math under another name'],
    ['handed to a function', 'wait(setTimeout);', 'setTimeout'],
    ['in a template', 'const a = `${Date.now()}`;', 'Date'],
    ['as a shorthand', 'const a = { process };', 'process'],
    ['beside a local of the same name elsewhere', 'function a(process: P) { return process.x; }\nconst b = process.pid;', 'process'],
    ['Node’s loader', "require('fs')", 'require'],
  ])('is found: %s', (_, text, what) => expect(found(text)).toEqual([what]));

  it.each([
    ['a parameter', 'function a({ process }: A) { return process.pid; }'],
    ['a variable', 'const process = guest(); const a = () => process.pid;'],
    ['a variable declared later', 'function a() { return process.pid; } const process = 1;'],
    ['an import', "import { performance } from './a.js'; performance.now();"],
    ['a caught value', 'try { a(); } catch (process) { process.x; }'],
    ['a loop’s variable', 'for (const process of all) process.run();'],
    ['a variable of a case', 'switch (a) { case 1: { const process = 1; process.x; } }'],
    ['a property', 'this.process.pid; a.Date; const b = { process: 1 }; class C { process = 1; }'],
    ['a type', 'let a: Date; interface B { process: number } function c(d: typeof process) {}'],
    ['other mathematics', 'Math.max(1, 2); const { floor } = Math;'],
    ['a question whether it is there', "typeof process === 'undefined'"],
    ['a comment, a string or a template', "// Date.now()\nconst a = 'Date.now()' + `process.pid`;"],
    ['a regular expression', 'const a = /process.pid/;'],
  ])('is not %s', (_, text) => expect(found(text)).toEqual([]));
});
