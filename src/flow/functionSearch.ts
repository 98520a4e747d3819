/**
 * A register that was set long ago in the same function, before a loop that took millions of instructions: breakpoints
 * at all instructions of the function that can set it, and at its beginning, find the last one at full speed. Only hits
 * of the same activation of the function count, which the canonical frame address tells.
 */
import { type GuestAddr, guestAddr } from '../base/types.js';
import type { Modules } from '../debugger/program/modules.js';
import { ProgramView } from '../debugger/program/programView.js';
import { at } from '../replay/log/position.js';
import type { Execution } from '../replay/timeline/execution.js';
import type { State } from '../replay/timeline/state.js';
import type { Work } from '../replay/timeline/work.js';
import { mayWrite } from './copies/instructionFlow.js';
import type { Place } from './copies/place.js';
import { type Instructions, isCall } from './instructions.js';
import { isPreserved } from './registerSearch.js';
import type { Step } from './steps.js';

/** Code that a function consists of. */
interface Code {
  readonly start: GuestAddr;
  readonly bytes: Uint8Array;
}

const LARGEST_FUNCTION = 1 << 20;

export class FunctionSearch {
  /** So many searches were made. */
  searches = 0;

  constructor(
    private readonly execution: Execution,
    private readonly modules: Modules,
    private readonly instructions: Instructions,
  ) {}

  /**
   * Before `step`: the time of the instruction to look at next, after which the register had the value that it has at
   * `step`. Undefined if the function cannot be told, or something is not as compilers do it. The execution moves.
   */
  async lastSetting(place: Place & { readonly kind: 'register' }, step: Step, work?: Work): Promise<number | undefined> {
    await this.execution.seek(at(step.time), work);
    const { thread } = step;
    const view = this.view(this.execution.state, thread);
    const cfa = view?.innermost().cfa();
    const code = view === undefined ? [] : this.codeAround(view);
    if (cfa === undefined || code.length === 0) return undefined;
    this.searches++;
    const addresses = [...this.stops(place, code)];
    const hit = await this.execution.backward([{ kind: 'address', addresses }], work, {
      accepts: (found, state) => found.task === thread && this.view(state, thread)?.innermost().cfa() === cfa,
    });
    if (hit === undefined) return undefined;
    const { time } = hit.position;
    await this.execution.seek(at(time + 1), work);
    return this.isSame(place, step) ? time : undefined;
  }

  private isSame({ offset, size }: { readonly offset: number; readonly size: number }, { thread, words }: Step): boolean {
    const now = this.execution.state.cpuWords(thread);
    const [a, b] = [now, words].map((list) => (list === undefined ? undefined : new Uint8Array(list.buffer, list.byteOffset + offset, size)));
    return a !== undefined && b !== undefined && a.every((byte, i) => byte === b[i]);
  }

  private view(state: State, id: number): ProgramView | undefined {
    const thread = state.threads.find((candidate) => candidate.id === id);
    return thread === undefined ? undefined : new ProgramView(state, thread, this.modules);
  }

  /** The function that the thread is in, and the part of it that the compiler has put aside. */
  private codeAround(view: ProgramView): Code[] {
    const found = view.symbols.at(view.pc)?.symbol;
    if (found === undefined || found.size === 0 || found.size > LARGEST_FUNCTION) return this.describedCode(view);
    const name = found.name.replace(/\.cold(\.\d+)?$/, '');
    const parts = [found, ...[name, `${name}.cold`].flatMap((part) => view.symbols.named(part).filter(({ module }) => module === found.module))];
    const starts = new Set<bigint>();
    return parts.flatMap(({ address, size }) => {
      const bytes = starts.has(address) ? undefined : view.memory(address, size);
      starts.add(address);
      return bytes === undefined ? [] : [{ start: guestAddr(Number(address)), bytes: bytes.slice() }];
    });
  }

  /** Without symbols: what one description for unwinding covers. */
  private describedCode(view: ProgramView): Code[] {
    const module = view.moduleAt(view.pc);
    const described = module?.frames.find(Number(view.pc - module.bias));
    if (module === undefined || described === undefined || described.high - described.low > LARGEST_FUNCTION) return [];
    const start = BigInt(described.low) + module.bias;
    const bytes = view.memory(start, described.high - described.low);
    return bytes === undefined ? [] : [{ start: guestAddr(Number(start)), bytes: bytes.slice() }];
  }

  private *stops(
    { offset, size }: { readonly offset: number; readonly size: number },
    code: readonly Code[],
  ): Generator<GuestAddr> {
    for (const { start, bytes } of code) {
      yield start;
      for (const { address, block } of this.instructions.all(start, bytes)) {
        if (mayWrite(block, offset, size)) yield address;
        if (isCall(block) && !isPreserved(offset)) yield guestAddr(block.next);
      }
    }
  }
}
