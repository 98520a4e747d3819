/**
 * Node's own modules that few runs need are loaded when a function of theirs is first called: some
 * take as long as all of our own code.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

export function lazyBuiltins(names) {
  const namespace = 'lazy-builtin';
  return {
    name: namespace,
    setup(build) {
      const filter = new RegExp(`^(${names.join('|')})$`);
      build.onResolve({ filter }, ({ path }) => ({ path, namespace }));
      build.onLoad({ filter, namespace }, ({ path }) => {
        const functions = Object.keys(require(path)).filter((key) => /^[a-z]\w*$/.test(key) && typeof require(path)[key] === 'function');
        const lines = functions.map((key) => `export const ${key} = (...args) => require('${path.slice('node:'.length)}').${key}(...args);`);
        return { contents: lines.join('\n'), loader: 'js' };
      });
    },
  };
}
