/**
 * What /proc would have said of the process: as far as gdb asks (`info proc`, `info proc mappings`,
 * `generate-core-file`).
 */
import { processMaps } from '../debugger/program/processMaps.js';
import type { Debuggee } from './debuggee.js';
import { bytesOfText } from './hex.js';

/** Undefined if it is no such file. */
export function processFile(path: string, debuggee: Debuggee): Uint8Array | undefined {
  const [, pid, name] = /^\/proc\/(\d+)\/(?:task\/\d+\/)?(\w+)$/.exec(path) ?? [];
  if (pid === undefined || Number(pid) !== debuggee.pid) return undefined;
  switch (name) {
    case 'maps':
      return debuggee.program === undefined ? undefined : bytesOfText(processMaps(debuggee.program));
    case 'cmdline':
      return bytesOfText(debuggee.process.args.map((arg) => `${arg}\0`).join(''));
    case 'auxv':
      return debuggee.beginning.auxv;
    case 'comm':
      return bytesOfText(`${debuggee.threads[0]?.name ?? ''}\n`);
    default:
      return undefined;
  }
}

/** Where a link of it leads to. */
export function processLink(path: string, debuggee: Debuggee): Uint8Array | undefined {
  return path === `/proc/${debuggee.pid}/exe` ? bytesOfText(debuggee.process.exe) : undefined;
}
