/** Requests about files: programs, libraries, sources. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { unlessCorrupt } from '../../dwarf/dwarfError.js';
import type { LoadedModule } from '../../debugger/program/modules.js';
import { addressText } from '../addresses.js';
import type { Body, Handler, Handlers } from '../handler.js';
import { moduleId } from '../moduleIds.js';

const modules: Handler = (adapter, args): Body<DebugProtocol.ModulesResponse> => {
  void adapter.program;
  const all = adapter.programs.modules;
  const start = Math.max(0, args.optionalInteger('startModule') ?? 0);
  const count = args.optionalInteger('moduleCount') ?? 0;
  return { modules: all.slice(start, count > 0 ? start + count : undefined).map(shownModule), totalModules: all.length };
};

function shownModule(module: LoadedModule): DebugProtocol.Module {
  const { path, start, end, file } = module;
  const symbolFilePath = file.info === undefined ? undefined : (file.debugPath ?? path);
  return {
    id: moduleId(module), name: path.slice(path.lastIndexOf('/') + 1), path, isOptimized: false, isUserCode: module.isProgram,
    symbolStatus: symbolFilePath === undefined ? 'Symbols only' : 'Debug information loaded',
    ...(symbolFilePath === undefined ? {} : { symbolFilePath }),
    addressRange: `${addressText(start)}-${addressText(end)}`,
  };
}

/**
 * Of the program and its own libraries: those of the system, whose debug information lies apart, have thousands, which
 * would be in the way.
 */
const loadedSources: Handler = (adapter): Body<DebugProtocol.LoadedSourcesResponse> => {
  void adapter.program;
  const paths = adapter.programs.modules.flatMap(({ file }) => {
    const { info, debugPath } = file;
    if (debugPath !== undefined) return [];
    return info === undefined ? [] : unlessCorrupt(() => info.sources.paths(), () => []);
  });
  return { sources: [...new Set(paths)].sort().slice(0, MOST_SOURCES).map((path) => adapter.sources.of(path)) };
};

const MOST_SOURCES = 5000;

const source: Handler = (adapter, args): Body<DebugProtocol.SourceResponse> => {
  const reference = args.object('source').optionalInteger('sourceReference') ?? args.integer('sourceReference');
  return { content: adapter.sources.text(reference), mimeType: 'text/plain' };
};

export const sourceRequests: Handlers = { modules, loadedSources, source };
