/**
 * What the recorded program was told by calls whose answers are different every time: clocks and randomness. A second
 * run gets the same answers, in the same order for each thread; what it asks beyond that, its own kernel answers.
 */
import { linuxSyscallTable } from '../../linux/linuxSyscalls.js';
import type { SyscallHandler } from '../../linux/syscall.js';
import type { SyscallEntry } from '../../linux/syscallTable.js';
import type { CallListener, CallResult } from './callResults.js';

interface Answer {
  readonly bytes: Uint8Array;
  readonly result: number;
}

interface Asked {
  /** Which argument says where the answer goes. */
  readonly address: number;
  /** What else tells one question from another: an argument. */
  readonly about: readonly number[];
  length(result: number): number;
}

const TIMESPEC = 16;

const ASKED: Readonly<Record<string, Asked>> = {
  clock_gettime: { address: 1, about: [0], length: () => TIMESPEC },
  gettimeofday: { address: 0, about: [], length: () => TIMESPEC },
  time: { address: 0, about: [], length: () => 8 },
  getrandom: { address: 0, about: [1, 2], length: (result) => result },
};

export class AnswerSurvey implements CallListener {
  private readonly answers = new Map<string, Answer[]>();

  returned({ call, result, ledger, stored }: CallResult): void {
    const asked = ASKED[call.name];
    if (asked === undefined || result < 0) return;
    const address = call.argument(asked.address);
    const length = address === 0 ? 0 : asked.length(result);
    const bytes = stored([{ address, length }]);
    const key = keyOf(ledger.tasks.get(call.task)?.facts.tid ?? 0, call.name, asked.about.map((index) => call.argument(index)));
    const known = this.answers.get(key);
    if (bytes === undefined) return;
    if (known === undefined) this.answers.set(key, [{ bytes, result }]);
    else known.push({ bytes, result });
  }

  /** The system calls, those of them answered as recorded as long as there is an answer. To be asked once. */
  table(): readonly (SyscallEntry | undefined)[] {
    return linuxSyscallTable().map((entry) => {
      const asked = entry === undefined ? undefined : ASKED[entry.name];
      if (entry === undefined || asked === undefined || entry.handler === 'unsupported') return entry;
      return { ...entry, handler: this.answering(entry.name, asked, entry.handler) };
    });
  }

  private answering(name: string, { address, about }: Asked, handler: SyscallHandler): SyscallHandler {
    return (p, a) => {
      const answer = this.answers.get(keyOf(p.tid, name, about.map((index) => a.addr(index))))?.shift();
      if (answer === undefined) return handler(p, a);
      const target = a.addr(address);
      if (target !== 0) p.space.write(target, answer.bytes);
      return answer.result;
    };
  }
}

function keyOf(tid: number, name: string, about: readonly number[]): string {
  return `${tid} ${name} ${about.join()}`;
}
