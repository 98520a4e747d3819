/**
 * Scripts of dist/ with V8's code cache made at build time: compiling our JavaScript afresh would take longer than many a guest
 * runs. V8 itself rejects a cache of another version; then the script is compiled as usual.
 *
 * Caches are good only with the flags they were made with, and Node has such caches for its own modules, too: so nothing may be set
 * before our script has been compiled and Node's modules that it needs (NAME.modules) have been loaded; threads start at half the
 * cost if nothing is set yet.
 *
 *   CULPRIT_RECORD_CODE_CACHE=NAME   for the build: scripts write their caches when they end; the command's is called NAME
 */
'use strict';
const { readFileSync, rmSync, writeFileSync } = require('node:fs');
const { builtinModules, createRequire } = require('node:module');
const { join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const dist = join(__dirname, '..', 'dist');
const isRecording = process.env.CULPRIT_RECORD_CODE_CACHE !== undefined;

/**
 * Optimising compilers pay off later than V8 thinks: most of our JavaScript runs for a moment and not
 * again. This budget is for the decoder; src/cli/v8/tiering.ts has those of other WebAssembly modules. Node 21 and
 * later have none for JavaScript, and V8 complains about flags that it does not know.
 */
const FLAGS = [...(Number.parseInt(process.versions.node, 10) < 21 ? ['--interrupt-budget=300000'] : []), '--wasm-tiering-budget=1000000000'];

exports.FLAGS = FLAGS;

/** For the whole process: when all that is to be loaded has been. */
exports.setFlags = () => {
  if (!isRecording) for (const flag of FLAGS) setFlagsFromString(flag);
};

function readOptional(name) {
  try {
    return readFileSync(join(dist, name));
  } catch {
    return undefined;
  }
}

/** A function that runs the script; undefined if there is none. Of its caches, each for a kind of run, the first that is there is taken. */
exports.loadScript = (name, caches = [name]) => {
  const source = readOptional(`${name}.cjs`);
  if (source === undefined) return undefined;
  const filename = join(dist, `${name}.cjs`);
  // import() does not work in what comes from a code cache: loadModule does.
  const wrapper = `(function (require, module, loadModule, __dirname, __filename) {${source.latin1Slice()}\n})`;
  const found = isRecording ? undefined : caches.map((cache) => ({ cache, cachedData: readOptional(`${cache}.cache`) })).find(({ cachedData }) => cachedData !== undefined);
  const script = new Script(wrapper, { filename, cachedData: found?.cachedData });
  if (isRecording) recordCache(script, caches[0]);
  else if (process.env.CULPRIT_DEBUG === '1' && script.cachedDataRejected) {
    process.stderr.write(`culprit: the code cache of ${name} does not fit this version of Node\n`);
  }
  if (found !== undefined) for (const module of readOptional(`${found.cache}.modules`)?.latin1Slice().split('\n') ?? []) require(module);
  return () => script.runInThisContext()(createRequire(filename), { exports: {} }, (url) => import(url), dist, filename);
};

/** V8 runs what is in it: only the user who builds may write there, whatever umask a guest has left behind. */
function writeAnew(name, content) {
  const path = join(dist, name);
  rmSync(path, { force: true });
  writeFileSync(path, content, { mode: 0o644 });
}

/** After a typical run it holds the functions that such a run needs, unless V8 has thrown them away meanwhile. */
function recordCache(script, name) {
  setFlagsFromString('--no-flush-bytecode');
  process.on('exit', () => {
    setFlagsFromString('--flush-bytecode');
    writeAnew(`${name}.cache`, script.createCachedData());
    const loaded = process.moduleLoadList.map((module) => module.replace(/^NativeModule /, ''));
    writeAnew(`${name}.modules`, loaded.filter((module) => builtinModules.includes(module)).join('\n'));
  });
}
