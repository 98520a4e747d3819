/**
 * Makes iced-x86 cheap to load. As published it is 900 KB of CommonJS, mostly comments and enums with
 * thousands of members. Our sources use the enums as constants, so `Mnemonic.Add` becomes the number,
 * and an enum that is used in no other way is left out.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const IMPORT = /import\s*\{([^}]*)\}\s*from\s*'iced-x86';/;
const NAMESPACE_IMPORT = /import \* as (\w+) from 'iced-x86';/;

export function icedPlugin(directory) {
  const iced = require('iced-x86');
  return {
    name: 'iced-x86',
    setup(build) {
      const enums = new Set(Object.keys(iced).filter((name) => Object.isFrozen(iced[name]) && typeof iced[name] === 'object'));
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        return IMPORT.test(text) ? { contents: inlineEnums(text, iced, enums), loader: 'ts' } : undefined;
      });
      build.onLoad({ filter: /\/iced_x86\.js$/ }, () => ({ contents: trimmed(directory, enums), loader: 'js' }));
    },
  };
}

/** Enum members as numbers. What remains of an enum's name, if anything, still refers to the package. */
function inlineEnums(text, iced, enums) {
  const names = IMPORT.exec(text)[1].split(',').map((name) => name.trim());
  // For the sake of the module's memory only; a namespace as a whole would keep everything in it.
  let result = text.replace(NAMESPACE_IMPORT, "import { __wasm as icedWasm } from 'iced-x86';\nconst $1 = { __wasm: icedWasm };");
  for (const name of names) {
    if (!enums.has(name)) continue;
    result = result.replace(new RegExp(`(?<![\\w.$])${name}\\.([A-Za-z_]\\w*)`, 'g'), (whole, member) => {
      const value = iced[name][member];
      return typeof value === 'number' ? `(${value})` : whole;
    });
  }
  return result;
}

/** The package without enums that the bundle does not use, and with its wasm beside the bundle. */
function trimmed(directory, enums) {
  let text = readFileSync(join(directory, 'iced_x86.js'), 'utf8');
  for (const name of enums) {
    // Pure, so that esbuild drops what is unused.
    text = text.replace(`module.exports.${name} = Object.freeze({`, `export const ${name} = /* @__PURE__ */ Object.freeze({`);
  }
  return text
    .replace("imports['__wbindgen_placeholder__'] = module.exports;", "const callbacks = {};\nimports['__wbindgen_placeholder__'] = callbacks;")
    .replace(/^module\.exports\.(__wb\w+) =/gm, 'callbacks.$1 =')
    .replace(/^module\.exports\.(\w+) = \1;/gm, 'export { $1 };')
    .replace(/^module\.exports\.(\w+) =/gm, 'export const $1 =');
}
