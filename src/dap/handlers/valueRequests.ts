/** Requests about variables and expressions. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Adapter, FrameReference } from '../adapter.js';
import type { Arguments } from '../arguments.js';
import { registerScope } from '../registerScope.js';
import type { Body, Handler, Handlers } from '../handler.js';

const scopes: Handler = (adapter, args): Body<DebugProtocol.ScopesResponse> => {
  const { debug } = adapter;
  void debug;
  const at = adapter.frames.get(args.integer('frameId'));
  const registers = registerScope(at);
  return {
    scopes: [
      { name: 'Registers', presentationHint: 'registers', variablesReference: adapter.containers.add(registers), namedVariables: registers.named, expensive: true },
    ],
  };
};

const variables: Handler = (adapter, args): Body<DebugProtocol.VariablesResponse> => {
  void adapter.debug;
  const container = adapter.containers.get(args.integer('variablesReference'));
  const page = { filter: args.oneOf('filter', ['named', 'indexed']), start: Math.max(0, args.optionalInteger('start') ?? 0), count: Math.max(0, args.optionalInteger('count') ?? 0) };
  return { variables: container.variables(page) };
};

const evaluate: Handler = (adapter, args): Body<DebugProtocol.EvaluateResponse> => {
  const { debug } = adapter;
  const at = frameOf(adapter, args);
  const program = at?.frame.program ?? debug.program();
  const { text } = debug.evaluator.evaluate(args.string('expression'), program as NonNullable<typeof program>, at?.frame);
  return { result: text, variablesReference: 0 };
};

function frameOf(adapter: Adapter, args: Arguments): FrameReference | undefined {
  const id = args.optionalInteger('frameId');
  return id === undefined ? undefined : adapter.frames.get(id);
}

export const valueRequests: Handlers = { scopes, variables, evaluate };
