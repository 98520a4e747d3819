/** What the client said about itself in `initialize`, and how numbers are shown to it. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Arguments } from './arguments.js';

export class DapClient {
  readonly showsProgress: boolean;
  readonly knowsInvalidation: boolean;
  readonly knowsMemoryEvents: boolean;
  readonly knowsTypes: boolean;
  readonly opensTerminals: boolean;
  private readonly firstLine: number;
  private readonly firstColumn: number;

  constructor(args: Arguments) {
    this.showsProgress = args.boolean('supportsProgressReporting');
    this.knowsInvalidation = args.boolean('supportsInvalidatedEvent');
    this.knowsMemoryEvents = args.boolean('supportsMemoryEvent');
    this.knowsTypes = args.boolean('supportsVariableType');
    this.opensTerminals = args.boolean('supportsRunInTerminalRequest');
    this.firstLine = args.boolean('linesStartAt1', true) ? 1 : 0;
    this.firstColumn = args.boolean('columnsStartAt1', true) ? 1 : 0;
  }

  /** From a line of ours (the first is 1) to one of its, and back. */
  line(line: number): number {
    return line === 0 ? 0 : line - 1 + this.firstLine;
  }

  fromLine(line: number): number {
    return line + 1 - this.firstLine;
  }

  /** We know no columns: the first one. */
  get column(): number {
    return this.firstColumn;
  }
}

/** Asks the client for something; its answer, or why there is none. */
export type AskClient = (command: string, args: object) => Promise<DebugProtocol.Response>;

/** Sends an event. */
export type SendEvent = <E extends DebugProtocol.Event>(event: E['event'], body: E['body']) => void;
