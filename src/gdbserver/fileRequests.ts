/**
 * `vFile` packets: a client reads the program and its libraries as they were recorded, and what /proc would have said
 * of the process. Nothing of this machine's files is served.
 */
import type { Debuggee } from './debuggee.js';
import { bytesOfHex, parseHex, textOfBytes } from './hex.js';
import { quoted } from './packets.js';
import { processFile, processLink } from './processFiles.js';

/** Error numbers of the protocol. */
const ERROR = { ENOENT: 2, EBADF: 9, EINVAL: 22, EMFILE: 24, EROFS: 30 } as const;
const WRITES = 0x3;
const MOST_FILES = 256;
const STAT_BYTES = 64;
const REGULAR_FILE = 0o100555;
const BLOCK = 512;

interface OpenFile {
  readonly size: number;
  read(offset: number, target: Uint8Array): number;
}

export class FileRequests {
  private readonly open = new Map<number, OpenFile>();

  constructor(private readonly longestReply: number) {}

  /** The answer to `request`, which is what follows `vFile:`. '' if it is not known. */
  answer(request: string, debuggee: Debuggee): string {
    const [, name = '', rest = ''] = /^(\w+):(.*)$/s.exec(request) ?? [];
    const args = rest.split(',');
    switch (name) {
      case 'setfs':
        return 'F0';
      case 'open':
        return this.openFile(args, debuggee);
      case 'close':
        return this.open.delete(parseHex(args[0]) ?? -1) ? 'F0' : failure(ERROR.EBADF);
      case 'pread':
        return this.read(args);
      case 'fstat':
        return this.status(args);
      case 'readlink':
        return readLink(args, debuggee);
      case 'pwrite':
      case 'unlink':
        return failure(ERROR.EROFS);
      default:
        return '';
    }
  }

  private openFile([path, flags]: readonly string[], debuggee: Debuggee): string {
    const name = nameOf(path);
    if (name === undefined) return failure(ERROR.EINVAL);
    if (((parseHex(flags) ?? 0) & WRITES) !== 0) return failure(ERROR.EROFS);
    const file = processFile(name, debuggee) ?? debuggee.file(name);
    if (file === undefined) return failure(ERROR.ENOENT);
    for (let fd = 3; fd < MOST_FILES; fd++) {
      if (this.open.has(fd)) continue;
      this.open.set(fd, file instanceof Uint8Array ? bytesFile(file) : file);
      return `F${fd.toString(16)}`;
    }
    return failure(ERROR.EMFILE);
  }

  private read([fd, count, offset]: readonly string[]): string {
    const file = this.open.get(parseHex(fd) ?? -1);
    const [wanted, from] = [parseHex(count), parseHex(offset)];
    if (file === undefined) return failure(ERROR.EBADF);
    if (wanted === undefined || from === undefined) return failure(ERROR.EINVAL);
    const length = Math.max(0, Math.min(wanted, file.size - from, this.longestReply));
    const bytes = new Uint8Array(length);
    return withBytes(bytes.subarray(0, file.read(from, bytes)), this.longestReply);
  }

  private status([fd]: readonly string[]): string {
    const file = this.open.get(parseHex(fd) ?? -1);
    if (file === undefined) return failure(ERROR.EBADF);
    const view = new DataView(new ArrayBuffer(STAT_BYTES));
    view.setUint32(8, REGULAR_FILE);
    view.setUint32(12, 1);
    view.setBigUint64(28, BigInt(file.size));
    view.setBigUint64(36, BigInt(BLOCK));
    view.setBigUint64(44, BigInt(Math.ceil(file.size / BLOCK)));
    return withBytes(new Uint8Array(view.buffer), this.longestReply);
  }
}

function readLink([path]: readonly string[], debuggee: Debuggee): string {
  const name = nameOf(path);
  const target = name === undefined ? undefined : processLink(name, debuggee);
  return target === undefined ? failure(ERROR.ENOENT) : withBytes(target, target.length * 2);
}

function nameOf(hex: string | undefined): string | undefined {
  const bytes = hex === undefined ? undefined : bytesOfHex(hex);
  return bytes === undefined ? undefined : textOfBytes(bytes);
}

function bytesFile(bytes: Uint8Array): OpenFile {
  return {
    size: bytes.length,
    read(offset, target) {
      const part = bytes.subarray(offset, offset + target.length);
      target.set(part);
      return part.length;
    },
  };
}

/** As many of the bytes as fit when they are quoted. */
function withBytes(bytes: Uint8Array, most: number): string {
  let text = quoted(bytes);
  let count = bytes.length;
  while (text.length > most) {
    count = Math.floor((count * most) / (text.length + 1));
    text = quoted(bytes.subarray(0, count));
  }
  return `F${count.toString(16)};${text}`;
}

function failure(error: number): string {
  return `F-1,${error.toString(16)}`;
}
