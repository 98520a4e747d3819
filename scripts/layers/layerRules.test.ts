import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { importProblems } from './layerRules.js';
import { LAYERS } from './layers.js';
import { parseSource } from './syntax.js';

function problems(path: string, text: string): string[] {
  return importProblems(parseSource(path, text)).map(({ message }) => message);
}

describe('layers', () => {
  it.each([
    ['a side effect from above', 'src/base/x.ts', "import '../linux/kernel.js';", /^base\/ must not import linux\//],
    ['a type from above, over several lines', 'src/ir/x.ts', "import type {\n  A,\n} from '../jit/a.js';", /^ir\/ must not import jit\//],
    ['a layer above within a folder', 'src/replay/log/x.ts', "import { a } from '../play/player.js';", /^replay\/log\/ must not import replay\/play\//],
    ['a module of Node without its prefix', 'src/base/x.ts', "import fs from 'fs';", /^fs outside/],
    ['a module of Node at run time', 'src/base/x.ts', 'await import(`node:fs`)', /^node:fs outside/],
    ['a computed name', 'src/base/x.ts', 'await import(a)', /computed/],
    ['a package', 'src/base/x.ts', "import { Register } from 'iced-x86';", /^iced-x86 must not/],
    ['the machine from an analysis', 'src/flow/x.ts', "import type { Engine } from '../machine/engine.js';", /^flow\/ must not import machine\/engine/],
    ['the player from a front end', 'src/gdbserver/x.ts', "export { Player } from '../replay/play/player.js';", /^gdbserver\/ must not import replay\/play\/player/],
  ])('forbid %s', (_, path, text, message) => {
    expect(problems(path, text)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    ['folders below', 'src/linux/x.ts', "import '../base/a.js'; import { b } from '../machine/engine.js';"],
    ['the folder itself', 'src/linux/files/x.ts', "import { a } from '../a.js'; import { b } from '../sockets/b.js';"],
    ['Node to the host', 'src/host/x.ts', "import fs from 'node:fs'; await import(a);"],
    ['the interface of executions to analyses', 'src/flow/x.ts', "import type { Execution } from '../replay/timeline/execution.js';"],
    ['machine and kernel to checks', 'src/check/x.ts', "import { a } from '../machine/engine.js'; import { b } from '../linux/kernel.js';"],
    ['everything to tests', 'src/base/x.test.ts', "import { a } from '../cli/main.js';"],
  ])('allow %s', (_, path, text) => expect(problems(path, text)).toEqual([]));

  it('are the map in ARCHITECTURE.md', () => {
    const rows = [...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^\| `([\w/]+)` \|/gm)].map(([, folder]) => folder!);
    const folders = LAYERS.map(({ folder }) => folder).filter((folder) => !folder.includes('/') || rows.includes(folder));
    expect(rows.filter((row) => folders.includes(row))).toEqual(folders);
    expect(rows.filter((row) => !folders.includes(row))).toEqual([]);
  });
});
