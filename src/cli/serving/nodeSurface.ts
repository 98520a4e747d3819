/** The terminal's surface on Node: standard streams, readline with history and completion, Ctrl-C. */
import { visibleLines } from '../../base/visible.js';
import { spawnSync } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { UserError } from '../../base/errors.js';
import type { Completion } from '../../terminal/completion.js';
import type { StartedWork, Surface } from '../../terminal/surface.js';
import { appendHistory, readHistory } from '../stores/commandHistory.js';
import { endBySignals } from '../running/endBySignals.js';
import { writeFully } from '../output/output.js';
import { writeUserFile } from '../output/outputFile.js';
import { Progress } from '../output/progress.js';
import { complain, wantsColour } from '../output/report.js';
import { readTextFile } from '../arguments/textFile.js';

const STDOUT = 1;
/** How long work goes on before it looks whether the user pressed Ctrl-C. */
const BREATH_MILLISECONDS = 50;

export class NodeSurface implements Surface {
  readonly isTerminal: boolean;
  readonly hasColour: boolean;
  completer: ((line: string) => Completion) | undefined;
  private lines: LineReader | undefined;
  private interrupted = false;
  private readonly onInterrupt = (): void => {
    this.interrupted = true;
  };

  constructor(private readonly options: { readonly isBatch: boolean }) {
    this.isTerminal = process.stdout.isTTY === true && !options.isBatch;
    this.hasColour = wantsColour(process.stdout);
    // A user who has given all commands already is not there to give others.
    if (options.isBatch) endBySignals('SIGINT');
    else process.on('SIGINT', this.onInterrupt);
  }

  get size(): Surface['size'] {
    const { columns, rows, isTTY } = process.stdout;
    return isTTY === true ? { columns, rows } : undefined;
  }

  write(text: string): void {
    writeFully(STDOUT, Buffer.from(visibleLines(text, this.hasColour)));
  }

  writeAsIs(text: string): void {
    writeFully(STDOUT, Buffer.from(text));
  }

  complain(line: string): void {
    complain(line);
  }

  async confirm(question: string): Promise<boolean> {
    const isNo = question.includes('[n]');
    if (!this.isTerminal || process.stdin.isTTY !== true) {
      this.write(`${question}[answered ${isNo ? 'N' : 'Y'}; input not from terminal]\n`);
      return !isNo;
    }
    for (;;) {
      const answer = (await this.nextLine(question))?.trim().toLowerCase();
      if (answer === undefined || answer === 'n' || answer === 'no' || (answer === '' && isNo)) return false;
      if (answer === 'y' || answer === 'yes') return true;
      this.write('Please answer y or n.\n');
    }
  }

  async nextLine(prompt: string): Promise<string | undefined> {
    this.lines ??= process.stdin.isTTY === true && this.isTerminal ? new TypedLines((line) => this.complete(line)) : new PipedLines();
    return this.lines.next(prompt);
  }

  writeText(path: string, text: string): void {
    writeUserFile(path, text);
  }

  readText(path: string): string | undefined {
    try {
      return readTextFile(path);
    } catch (error) {
      if (error instanceof RangeError) throw new UserError(`${path}: ${error.message}`);
      return undefined;
    }
  }

  async shell(command: string): Promise<void> {
    spawnSync(process.env['SHELL'] ?? '/bin/sh', command === '' ? [] : ['-c', command], { stdio: 'inherit' });
  }

  startWork(what: string): StartedWork {
    const progress = new Progress(what, !this.options.isBatch);
    let last = performance.now();
    this.interrupted = false;
    return {
      progress: (done, total) => progress.report(total === 0 ? undefined : done / total),
      isCancelled: () => this.interrupted,
      breathe: async () => {
        const now = performance.now();
        if (now - last < BREATH_MILLISECONDS) return;
        last = now;
        await setImmediate();
      },
      done: () => {
        progress.clear();
        this.interrupted = false;
      },
    };
  }

  close(): void {
    this.lines?.close();
    process.off('SIGINT', this.onInterrupt);
  }

  private complete(line: string): Completion {
    return this.completer?.(line) ?? { candidates: [], replaced: '' };
  }
}

interface LineReader {
  /** Undefined at the end of input. */
  next(prompt: string): Promise<string | undefined>;
  close(): void;
}

/** From a pipe or a file: without prompts. */
class PipedLines implements LineReader {
  private readonly reader = createInterface({ input: process.stdin, terminal: false });
  private readonly iterator = this.reader[Symbol.asyncIterator]();

  async next(): Promise<string | undefined> {
    const { value, done } = await this.iterator.next();
    return done === true ? undefined : (value as string);
  }

  close(): void {
    this.reader.close();
  }
}

/**
 * From a user at a terminal. Between two lines the terminal is as usual, not raw: then Ctrl-C is a signal, which work
 * notices, and what is typed ahead waits in the kernel.
 */
class TypedLines implements LineReader {
  private history = readHistory();

  constructor(private readonly complete: (line: string) => Completion) {}

  async next(prompt: string): Promise<string | undefined> {
    const reader = createInterface({
      input: process.stdin, output: process.stdout, terminal: true, prompt, history: [...this.history], historySize: 1000, removeHistoryDuplicates: false,
      completer: (line: string) => this.completions(line),
    });
    try {
      const line = await this.ask(reader);
      if (line !== undefined && line.trim() !== '' && line !== this.history[0]) {
        this.history = [line, ...this.history].slice(0, 1000);
        appendHistory(line);
      }
      return line;
    } finally {
      reader.close();
    }
  }

  close(): void {
    process.stdin.pause();
  }

  private async ask(reader: Interface): Promise<string | undefined> {
    return new Promise((resolve) => {
      reader.on('line', resolve);
      reader.on('close', () => resolve(undefined));
      reader.on('SIGINT', () => {
        process.stdout.write('Quit\n');
        reader.write(null, { ctrl: true, name: 'u' });
        reader.prompt();
      });
      reader.on('SIGCONT', () => reader.prompt(true));
      reader.prompt();
    });
  }

  private completions(line: string): [string[], string] {
    const { candidates, replaced } = this.complete(line);
    return [[...candidates], replaced];
  }
}
