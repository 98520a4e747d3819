/** What `qXfer` packets read: documents, in parts. */
import { linkEntries, linkName } from '../debugger/program/linkMap.js';
import type { Thread } from '../replay/timeline/state.js';
import type { Debuggee } from './debuggee.js';
import { bytesOfText, parseHex, textOfBytes } from './hex.js';
import { quoted } from './packets.js';
import { lastPrograms, type RecordedProcess } from '../replay/timeline/recordedProcesses.js';
import { targetDescription } from './targetRegisters.js';
import { threadName } from './threadIds.js';

interface DocumentSource {
  /** What is known of the signal that has stopped the program. */
  signalInfo(): Promise<Uint8Array | undefined>;
  readonly debuggee: Debuggee;
  /** Those that the client knows. */
  readonly threads: readonly Thread[];
  readonly processes: readonly RecordedProcess[];
  readonly hasProcesses: boolean;
}

/** All that can be asked for, as qSupported announces it. */
export const DOCUMENTS = ['features', 'auxv', 'exec-file', 'libraries-svr4', 'threads', 'osdata', 'memory-map', 'siginfo'] as const;

const USER_SPACE = 0x8000_0000_0000;

/** The answer to `request`, which is what follows `qXfer:`: "object:read:annex:offset,length". */
export async function readDocument(request: string, source: DocumentSource, longest: number): Promise<string> {
  const [, object, annex, offset, length] = /^([\w-]+):read:([^:]*):([0-9a-f]+),([0-9a-f]+)$/i.exec(request) ?? [];
  const [from, count] = [parseHex(offset), parseHex(length)];
  if (object === undefined || annex === undefined) return '';
  if (from === undefined || count === undefined) return 'E01';
  const document = object === 'siginfo' ? await source.signalInfo() : documentOf(object, annex, source);
  if (document === undefined) return (DOCUMENTS as readonly string[]).includes(object) ? 'E00' : '';
  const part = document.subarray(from, from + Math.min(count, longest));
  return `${from + part.length < document.length ? 'm' : 'l'}${quoted(part)}`;
}

function documentOf(object: string, annex: string, source: DocumentSource): Uint8Array | undefined {
  const { debuggee } = source;
  switch (object) {
    case 'features':
      return annex === 'target.xml' ? bytesOfText(targetDescription()) : undefined;
    case 'auxv':
      return debuggee.beginning.auxv;
    case 'exec-file':
      return bytesOfText(debuggee.process.exe);
    case 'libraries-svr4':
      return bytesOfText(librariesXml(debuggee));
    case 'threads':
      return bytesOfText(threadsXml(source));
    case 'osdata':
      return bytesOfText(osdataXml(annex, source));
    case 'memory-map':
      return bytesOfText(memoryMapXml());
    default:
      return undefined;
  }
}

function librariesXml({ program }: Debuggee): string {
  const entries = program === undefined ? [] : linkEntries(program);
  const lines = entries.flatMap((entry) => {
    const name = program === undefined ? '' : textOfBytes(linkName(program, entry));
    const attributes = { name: escaped(name), lm: hex(entry.map), l_addr: hex(entry.bias), l_ld: hex(entry.dynamic), lmid: '0x0' };
    return name === '' ? [] : [`<library ${Object.entries(attributes).map(([key, value]) => `${key}="${value}"`).join(' ')}/>`];
  });
  const main = entries[0] === undefined ? '' : ` main-lm="${hex(entries[0].map)}"`;
  return `<library-list-svr4 version="1.0"${main}>${lines.join('')}</library-list-svr4>`;
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}

function threadsXml({ threads, hasProcesses }: DocumentSource): string {
  const lines = threads.map(({ pid, tid, name }) => `<thread id="${threadName(pid, tid, hasProcesses)}" core="0" name="${escaped(name)}"/>\n`);
  return `<?xml version="1.0"?>\n<threads>\n${lines.join('')}</threads>\n`;
}

/** Mappings come and go with time, and clients ask once: anything in user space may be there. */
function memoryMapXml(): string {
  return `<?xml version="1.0"?>\n<!DOCTYPE memory-map PUBLIC "+//IDN gnu.org//DTD GDB Memory Map V1.0//EN" "http://sourceware.org/gdb/gdb-memory-map.dtd">\n<memory-map><memory type="ram" start="0x0" length="0x${USER_SPACE.toString(16)}"/></memory-map>\n`;
}

function osdataXml(annex: string, { debuggee, processes }: DocumentSource): string {
  const item = (columns: Readonly<Record<string, string | number>>): string =>
    `<item>${Object.entries(columns).map(([name, value]) => `<column name="${name}">${escaped(String(value))}</column>`).join('')}</item>`;
  const rows: Readonly<Record<string, () => string[]>> = {
    '': () => [
      item({ Type: 'processes', Description: 'Listing of all processes', Title: 'Processes' }),
      item({ Type: 'threads', Description: 'Listing of all threads', Title: 'Threads' }),
    ],
    processes: () => lastPrograms(processes).map(({ pid, args, exe }) => item({ pid, user: '', command: args.length === 0 ? exe : args.join(' '), cores: 0 })),
    threads: () => debuggee.state.threads.map(({ pid, tid, name }) => item({ pid, command: name, tid, core: 0 })),
  };
  return `<?xml version="1.0"?>\n<!DOCTYPE target SYSTEM "osdata.dtd">\n<osdata type="${annex === '' ? 'types' : escaped(annex)}">${(rows[annex]?.() ?? []).join('')}</osdata>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

function escaped(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '').replace(/[\x00-\x1f]/g, '?');
}
