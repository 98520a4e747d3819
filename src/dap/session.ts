/**
 * One client's session. Requests are answered one after another, in the order in which they came; only those that
 * interrupt something are answered at once. Whatever goes wrong in a request is its answer: a session ends when the
 * client says so, or is gone.
 */
import { DebugSession, Event, Response } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../base/errors.js';
import { Cancelled } from '../replay/timeline/work.js';
import { Adapter, messageOf } from './adapter.js';
import { Arguments } from './arguments.js';
import { Door, type TokenCheck } from './door.js';
import type { Handler } from './handler.js';
import { HANDLERS, URGENT } from './handlers.js';
import type { DapHost, RunningRecorder } from './host.js';
import { encodeMessage, LONGEST_BODY, MessageDecoder } from './wire.js';

/** Requests whose failure the user has to see, whichever client it is. */
const SHOWN = new Set(['launch', 'attach', 'goto', 'setVariable', 'setExpression', 'writeMemory', 'culprit/goto', 'culprit/lastChange']);
const FAILED = 1;
/** How long the client may take to answer: it may ask the user. */
const ANSWER_MILLISECONDS = 300_000;
/** Bytes of a message from a client that may still turn out to be a stranger. */
const LONGEST_STRANGE_BODY = 1 << 20;

interface SessionEnds {
  write(bytes: Uint8Array): void;
  /** Nothing more will be said. */
  ended(): void;
}

export class DapSession extends DebugSession {
  private readonly adapter: Adapter;
  private readonly decoder: MessageDecoder;
  private answered: Promise<void> = Promise.resolve();
  /** Requests that have not been answered, and those of them that the client does not want any more. */
  private readonly open = new Set<number>();
  private readonly unwanted = new Set<number>();
  private isOver = false;
  private readonly door: Door;
  /** When a program that was left has ended, too. */
  programLeft: Promise<void> = Promise.resolve();

  constructor(
    host: DapHost,
    private readonly ends: SessionEnds,
    isToken?: TokenCheck,
  ) {
    super();
    this.door = new Door(isToken);
    this.adapter = new Adapter(host, (event, body) => this.sendEvent(new Event(event, body)), (command, args) => this.ask(command, args));
    this.onDidSendMessage((message) => {
      if (!this.isOver) ends.write(encodeMessage(message));
    });
    this.decoder = new MessageDecoder({
      message: (message) => this.receive(message),
      badMessage: (why) => this.adapter.say(`culprit: ${why} was ignored`, 'stderr'),
      lost: (why) => {
        this.adapter.say(`culprit: ${why}`, 'stderr');
        this.end();
      },
      longestBody: () => (this.door.isOpen ? LONGEST_BODY : LONGEST_STRANGE_BODY),
    });
  }

  /** When all requests so far have been answered. */
  get settled(): Promise<void> {
    return this.answered;
  }

  /** Bytes from the client. */
  push(bytes: Uint8Array): void {
    if (!this.isOver) this.decoder.push(bytes);
  }

  /** The client is gone, or said goodbye. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    const { recorder, isProgramLeft } = this.adapter;
    if (isProgramLeft && recorder !== undefined) return this.leave(recorder);
    this.adapter.works.cancelAll();
    recorder?.stop();
    this.ends.ended();
  }

  /** The program goes on, and writes to us as long as it can. */
  private leave(recorder: RunningRecorder): void {
    recorder.leave();
    this.programLeft = recorder.finished.then(() => undefined, () => undefined);
    void this.programLeft.then(() => this.ends.ended());
  }

  override shutdown(): void {
    this.end();
  }

  private receive(message: unknown): void {
    if (typeof message !== 'object' || message === null) return this.adapter.say('culprit: a message that is no object was ignored', 'stderr');
    const { type } = message as Partial<DebugProtocol.ProtocolMessage>;
    if (type === 'request' || type === 'response') this.handleMessage(message as DebugProtocol.ProtocolMessage);
    else this.adapter.say(`culprit: a message of type ${JSON.stringify(type)?.slice(0, 40)} was ignored`, 'stderr');
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    const { seq, command } = request;
    if (!Number.isSafeInteger(seq) || typeof command !== 'string') {
      this.refuse({ ...request, seq: Number.isSafeInteger(seq) ? seq : 0, command: String(command) }, new UserError('a request needs a number and a command'));
      return;
    }
    const handler = HANDLERS.get(command);
    if (handler === undefined) this.refuse(request, new UserError(`unknown request: ${command.slice(0, 100)}`));
    else if (command === 'cancel') this.cancel(request);
    else if (URGENT.has(command)) void this.answer(request, handler);
    else {
      this.open.add(seq);
      this.answered = this.answered.then(() => this.answer(request, handler));
    }
  }

  private async answer(request: DebugProtocol.Request, handler: Handler): Promise<void> {
    const { seq, command } = request;
    const later: (() => void)[] = [];
    try {
      if (this.isOver) return;
      if (this.unwanted.has(seq)) throw new Cancelled();
      const args = new Arguments(request.arguments, command);
      this.door.check(command, args);
      const body = await handler(this.adapter, args, {
        seq,
        doing: (title, action) => this.adapter.works.doing(title, seq, action),
        afterwards: (action) => void later.push(action),
      });
      const response: DebugProtocol.Response = new Response(request);
      if (body !== undefined) response.body = body;
      this.sendResponse(response);
      if (command === 'initialize') this.door.introduced();
    } catch (error) {
      this.refuse(request, error);
    } finally {
      this.open.delete(seq);
      this.unwanted.delete(seq);
    }
    this.doAfterwards(later);
    if (command === 'disconnect' || this.door.isShut) this.end();
  }

  private doAfterwards(actions: readonly (() => void)[]): void {
    for (const action of actions) {
      try {
        action();
      } catch (error) {
        this.adapter.say(messageOf(error), 'important');
      }
    }
  }

  private refuse(request: DebugProtocol.Request, error: unknown): void {
    const isCancelled = error instanceof Cancelled;
    const message = isCancelled ? 'cancelled' : messageOf(error);
    const response: DebugProtocol.ErrorResponse = Object.assign(new Response(request), { success: false, message, body: {} });
    if (!isCancelled) response.body.error = { id: FAILED, format: message, showUser: SHOWN.has(request.command) };
    this.sendResponse(response);
  }

  private ask(command: string, args: object): Promise<DebugProtocol.Response> {
    return new Promise((resolve) => this.sendRequest(command, args, ANSWER_MILLISECONDS, resolve));
  }

  private cancel(request: DebugProtocol.Request): void {
    const args = new Arguments(request.arguments, 'cancel');
    try {
      this.door.check('cancel', args);
      const [number, id] = [args.optionalInteger('requestId'), args.optionalString('progressId')];
      this.adapter.works.cancel({ request: number, id });
      if (number !== undefined && this.open.has(number)) this.unwanted.add(number);
      this.sendResponse(new Response(request));
    } catch (error) {
      this.refuse(request, error);
    }
  }
}
