/** `qGetTLSAddr`: where a thread's copy of a thread-local variable is. glibc describes its own tables, for debuggers, in `_thread_db_*`. */
import { StoredModules } from '../replay/play/storedModules.js';
import type { Client } from './client.js';
import { parseHex, valueOfBytes } from './hex.js';

/** Of an entry that has not been made, and of a module without a fixed place. */
const UNALLOCATED = (1n << 64n) - 1n;
const ENTRY_SIZE = 16n;

/** "thread,offset,link map". */
export function threadLocalAddress(client: Client, request: string): string {
  const [name = '', offset, map] = request.split(',');
  const thread = client.threadOf(name);
  const [at, linkMap] = [parseHex(offset), parseHex(map)];
  if (typeof thread !== 'object' || at === undefined || linkMap === undefined) return 'E16';
  const block = new Tables(client, thread.id).block(BigInt(linkMap));
  return block === undefined ? 'E03' : (block + BigInt(at)).toString(16);
}

class Tables {
  private readonly modules = new StoredModules();

  constructor(
    private readonly client: Client,
    private readonly thread: number,
  ) {}

  block(linkMap: bigint): bigint | undefined {
    const control = this.client.debuggee.state.register(this.thread, 'fs_base');
    const number = this.field(linkMap, '_thread_db_link_map_l_tls_modid');
    if (control === undefined || number === undefined || number === 0n) return undefined;
    const vector = this.field(control, '_thread_db_pthread_dtvp');
    const entry = vector === undefined ? undefined : this.word(vector + number * ENTRY_SIZE, 8);
    if (entry !== undefined && entry !== UNALLOCATED && entry !== 0n) return entry;
    const offset = this.field(linkMap, '_thread_db_link_map_l_tls_offset');
    return offset === undefined || offset === 0n || offset === UNALLOCATED ? undefined : control - offset;
  }

  /** A field of a structure, by its description: bits, count, offset. */
  private field(structure: bigint, description: string): bigint | undefined {
    const space = this.client.debuggee.state.space(this.thread);
    const symbol = space === undefined ? undefined : this.modules.find(space, description);
    if (symbol === undefined) return undefined;
    const [bits, offset] = [this.word(BigInt(symbol.address), 4), this.word(BigInt(symbol.address + 8), 4)];
    return bits === undefined || offset === undefined ? undefined : this.word(structure + offset, Number(bits) / 8);
  }

  private word(address: bigint, size: number): bigint | undefined {
    const bytes = this.client.debuggee.state.read(this.thread, Number(address), size);
    return bytes === null ? undefined : valueOfBytes(bytes);
  }
}
