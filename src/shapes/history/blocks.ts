/**
 * All blocks of memory that the program allocated, in the order of time, from one observed pass over the execution that
 * logs calls of the functions that allocate and free. The same pass notes when places of the code are come to, which
 * are points where structures must hold.
 */
import type { ExecutionListener, SpotPlace, SpotRegisters } from '../../replay/timeline/observing.js';
import type { AllocatorRole, Allocators } from './allocators.js';

export interface Block {
  readonly address: number;
  readonly bytes: number;
  /** When it was handed out; what it has then is its first value. */
  readonly made: number;
  /** When it was freed, or moved; Infinity if never. */
  gone: number;
  /** Where the call came back to that freed it; 0 if none did. */
  goneTo: number;
  goneThread: number;
  /** Where the call came back to that allocated it: of several that passed it on, the outermost. */
  site: number;
  readonly thread: number;
  /** By malloc and its like, rather than by a function of the user's. */
  readonly isMalloced: boolean;
  /** The block that it was before it was resized. */
  readonly before: Block | undefined;
}

/** A call of a function that is asked for. */
interface OpenCall {
  readonly entry: number;
  readonly rsp: number;
  readonly returnTo: number;
  readonly time: number;
  readonly args: readonly number[];
}

export interface Passage {
  /** Of the instruction; of a return: the first instruction of the function. */
  readonly address: number;
  readonly kind: 'pass' | 'entry' | 'exit';
  readonly time: number;
  readonly thread: number;
  /** Of an entry: the stack pointer. */
  readonly rsp: number;
}

/** Larger blocks are no structure but a mistake. */
const LARGEST = 2 ** 31;

export class BlockWatch implements ExecutionListener {
  readonly blocks: Block[] = [];
  readonly passages: Passage[] = [];
  private readonly live = new Map<number, Block>();
  private readonly open = new Map<number, OpenCall[]>();

  /** `space`: the memory that is meant; `functions`: whose entries and exits are noted, by their first instruction. */
  constructor(
    private readonly isMeant: (place: SpotPlace, time: number) => boolean,
    private readonly allocators: Allocators,
    private readonly functions: ReadonlySet<number>,
  ) {}

  came(place: SpotPlace, time: number, kind: 'pass' | 'call' | 'return', registers: SpotRegisters): void {
    if (!this.isMeant(place, time)) return;
    const { thread, instruction } = place;
    if (kind === 'return') return this.returned(thread, time, registers);
    if (kind === 'pass') return void this.passages.push({ address: instruction, kind: 'pass', time, thread, rsp: registers.rsp });
    const { rsp, top, first, second, third } = registers;
    const calls = this.openCalls(thread);
    // What is below was left by a jump.
    while (calls.length > 0 && (calls.at(-1) as OpenCall).rsp < rsp) calls.pop();
    const call = { entry: instruction, rsp, returnTo: top, time, args: [first, second, third] };
    calls.push(call);
    if (this.functions.has(instruction)) this.passages.push({ address: instruction, kind: 'entry', time, thread, rsp });
    const role = this.allocators.get(instruction);
    if (role?.does === 'free') this.freed(call, thread, call.args[role.pointer] ?? 0);
  }

  private openCalls(thread: number): OpenCall[] {
    let calls = this.open.get(thread);
    if (calls === undefined) this.open.set(thread, (calls = []));
    return calls;
  }

  private returned(thread: number, time: number, { rsp, top, first }: SpotRegisters): void {
    const calls = this.openCalls(thread);
    while (calls.length > 0 && (calls.at(-1) as OpenCall).rsp <= rsp) {
      const call = calls.pop() as OpenCall;
      if (call.rsp !== rsp || call.returnTo !== top) continue;
      if (this.functions.has(call.entry)) this.passages.push({ address: call.entry, kind: 'exit', time, thread, rsp });
      const role = this.allocators.get(call.entry);
      if (role !== undefined) this.allocated(call, role, thread, time, first);
    }
  }

  private freed({ time, returnTo }: OpenCall, thread: number, address: number): void {
    const block = this.live.get(address);
    if (block === undefined) return;
    Object.assign(block, { gone: time, goneTo: returnTo, goneThread: thread });
    this.live.delete(address);
  }

  private allocated(call: OpenCall, role: AllocatorRole, thread: number, time: number, result: number): void {
    if (role.does === 'free' || role.does === 'measure' || role.does === 'allocateInto') return;
    if (role.does === 'resize') return this.resized(call, role, thread, time, result);
    if (result <= 0) return;
    const known = this.live.get(result);
    const fresh = { address: result, thread, made: time, site: call.returnTo, before: undefined };
    // It was allocated while this call was under way, by one of another name.
    if (known !== undefined && known.made >= call.time) known.site = call.returnTo;
    else if (role.does === 'allocate') this.add({ ...fresh, bytes: sizeOf(call.args, role), isMalloced: role.family === 'malloc' });
    else if (role.does === 'hand out') this.add({ ...fresh, bytes: 0, isMalloced: false });
  }

  private resized(call: OpenCall, role: AllocatorRole & { does: 'resize' }, thread: number, time: number, result: number): void {
    const pointer = call.args[role.pointer] ?? 0;
    const bytes = sizeOf(call.args, role);
    const inner = this.live.get(result);
    const before = this.live.get(pointer);
    if (result <= 0) return bytes === 0 ? this.freed(call, thread, pointer) : undefined;
    if (before !== undefined) {
      Object.assign(before, { gone: time, goneTo: call.returnTo, goneThread: thread });
      this.live.delete(pointer);
    }
    if (inner !== undefined && inner !== before && inner.made >= call.time) inner.site = call.returnTo;
    else this.add({ address: result, bytes, thread, made: time, site: call.returnTo, before, isMalloced: role.family === 'malloc' });
  }

  private add({ address, bytes, thread, made, site, before, isMalloced }: Omit<Block, 'gone' | 'goneTo' | 'goneThread'>): void {
    if (bytes < 0 || bytes > LARGEST) return;
    const stale = this.live.get(address);
    if (stale !== undefined) Object.assign(stale, { gone: made, goneTo: site, goneThread: thread });
    const block: Block = { address, bytes, made, gone: Infinity, goneTo: 0, goneThread: 0, site, thread, before, isMalloced };
    this.blocks.push(block);
    this.live.set(address, block);
  }
}

function sizeOf(args: readonly number[], { size, count }: { readonly size: number; readonly count?: number }): number {
  return (args[size] ?? 0) * (count === undefined ? 1 : (args[count] ?? 0));
}
