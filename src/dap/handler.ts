/** How requests are answered. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Adapter } from './adapter.js';
import type { Arguments } from './arguments.js';
import type { LongWork } from './longWork.js';

export interface RequestContext {
  readonly seq: number;
  /** Work that the client can watch and cancel. */
  doing<T>(title: string, action: (work: LongWork) => Promise<T>): Promise<T>;
  /** Done when the answer has been sent. */
  afterwards(action: () => void): void;
}

/** The answer's body. What is thrown becomes an answer, too. */
export type Handler = (adapter: Adapter, args: Arguments, request: RequestContext) => object | undefined | void | Promise<object | undefined | void>;

export type Handlers = Readonly<Record<string, Handler>>;

/** The body of an answer, checked against the protocol. */
export type Body<R extends DebugProtocol.Response> = R['body'];
