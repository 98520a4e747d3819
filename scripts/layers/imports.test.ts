/** Every way to import that the language has, and texts that only look like it. */
import { describe, expect, it } from 'vitest';
import { importsOf } from './imports.js';
import { parseSource } from './syntax.js';

function modules(text: string): (string | null)[] {
  return importsOf(parseSource('src/base/x.ts', text)).map(({ module }) => module);
}

describe('imports', () => {
  it.each([
    ['of a side effect', "import './a.js';"],
    ['of names over several lines', "import {\n  one,\n  two,\n} from './a.js';"],
    ['in double quotes', 'import { one } from "./a.js";'],
    ['of types', "import type { One } from './a.js';"],
    ['of everything', "import * as all from './a.js';"],
    ['of everything, handed on', "export * from './a.js';"],
    ['of everything, handed on under a name', "export * as all from './a.js';"],
    ['of names, handed on over several lines', "export {\n  one,\n  two as three,\n} from './a.js';"],
    ['two on a line', "const a = 1; import './a.js';"],
    ['at run time', 'const a = await import("./a.js");'],
    ['at run time, with a template', 'const a = await import(`./a.js`);'],
    ['at run time, over several lines', "const a = import(\n  './a.js'\n);"],
    ['at run time, with a comment between', "const a = import /* why */ ('./a.js');"],
    ['deep inside', "class A { b = () => { if (c) return `${import('./a.js')}`; }; }"],
    ['of a type in its place', "type A = import('./a.js').A;"],
    ['of the types of a module', "let a: typeof import('./a.js');"],
    ['the old way', "const a = require('./a.js');"],
    ['the old way, in TypeScript', "import a = require('./a.js');"],
  ])('are found: %s', (_, text) => expect(modules(text)).toEqual(['./a.js']));

  it('may be bare names', () => expect(modules("import fs from 'fs'; import { x } from 'node:path';")).toEqual(['fs', 'node:path']));
  it('may be computed', () => expect(modules('const a = import(name);')).toEqual([null]));

  it.each([
    ['a comment', "// import './a.js'\n/* import { a } from './a.js';\nimport('./a.js') */"],
    ['a string', `const a = "import './a.js'";`],
    ['a template', "const a = `\nimport { a } from './a.js';\n`;"],
    ['a regular expression', "const a = /import('.\\/a.js')/;"],
    ['a property', "a.require('./a.js'); a.import('./a.js');"],
  ])('are not %s', (_, text) => expect(modules(text)).toEqual([]));

  it('take names', () => {
    const [first, second, third, fourth] = importsOf(parseSource('src/x.ts', `import { a, b as c, type D } from './1.js'; import * as e from './2.js';
      const { f, g: h } = await import('./3.js'); void import('./4.js').then(({ i }) => i);`));
    expect([first, second, third, fourth].map((one) => one!.names)).toEqual([['a', 'b', 'D'], 'all', ['f', 'g'], ['i']]);
  });
});
