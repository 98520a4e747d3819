/** Requests about variables and expressions. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../../base/errors.js';
import { type GoneBlock, goneText } from '../../debugger/control/goneSearch.js';
import { assign } from '../../debugger/values/assignment.js';
import { frameScopes } from '../../debugger/values/tree/frameScopes.js';
import type { Value } from '../../debugger/values/value.js';
import type { Adapter, FrameReference } from '../adapter.js';
import type { Arguments } from '../arguments.js';
import { commandIn } from '../commandConsole.js';
import { type CompletedName, completeExpression } from '../../debugger/values/completion.js';
import type { Body, Handler, Handlers, RequestContext } from '../handler.js';
import { childOf } from '../namedValue.js';
import type { ValueView } from '../valueView.js';
import { commitWrites, frameOf, seeing, viewIn, withCalls } from '../valueViews.js';

const scopes: Handler = (adapter, args): Body<DebugProtocol.ScopesResponse> => {
  args.integer('frameId');
  const at = frameOf(adapter, args);
  if (at === undefined) throw new UserError('scopes: "frameId" is missing');
  const view = viewIn(adapter, at, args);
  const shown = frameScopes(at.frame, view.expressions);
  return { scopes: shown.map(({ name, kind, isExpensive, children }) => ({ name, presentationHint: kind, expensive: isExpensive, ...view.unfoldable(children) })) };
};

const variables: Handler = async (adapter, args, request): Promise<Body<DebugProtocol.VariablesResponse>> => {
  void adapter.debug;
  const { view, children } = adapter.containers.get(args.integer('variablesReference'));
  const page = { filter: args.oneOf('filter', ['named', 'indexed']), start: Math.max(0, args.optionalInteger('start') ?? 0), count: Math.max(0, args.optionalInteger('count') ?? 0) };
  const { seen, gone } = await seeing(adapter, request, () => view.variables(children, page));
  return { variables: [...gone.flatMap((block) => remarkOn(block, children.target)), ...seen] };
};

/** What is unfolded is no more: said before its parts. */
function remarkOn(block: GoneBlock, address: bigint | undefined): DebugProtocol.Variable[] {
  if (address === undefined || address < block.begin || address >= block.begin + block.size) return [];
  return [{ name: '(freed)', value: goneText(block), variablesReference: 0, presentationHint: { kind: 'virtual', attributes: ['readOnly'] } }];
}

/** Contexts in which expressions are evaluated again and again, unasked: they must not change anything. */
const PASSIVE = new Set(['watch', 'hover', 'variables', 'clipboard']);

const evaluate: Handler = async (adapter, args, request): Promise<Body<DebugProtocol.EvaluateResponse>> => {
  const context = args.optionalString('context') ?? 'repl';
  const expression = args.string('expression');
  const at = frameOf(adapter, args);
  const isPassive = PASSIVE.has(context);
  const command = isPassive ? undefined : commandIn(expression);
  if (command !== undefined) return commanded(adapter, at, command, request);
  const { seen: { view, value, warnings, text, parts }, gone } = await seeing(adapter, request, () => withCalls(adapter, at, args, request, (inFrame) => {
    const said: string[] = [];
    const found = inFrame.expressions.evaluate(expression, said);
    const shown = isPassive ? inFrame.expressions.printer(inFrame.settings).nested(found, 0, true) : inFrame.expressions.text(found, inFrame.settings);
    return { view: inFrame, value: found, warnings: said, text: shown, parts: inFrame.details(found, expression) };
  }));
  const result = [text, ...gone.map(goneText)].join(isPassive ? '  ' : '\n');
  const writes = view.around.takeWrites();
  if (writes.length > 0) {
    if (isPassive) throw new UserError('this expression changes the program: evaluate it in the debug console');
    await commitWrites(adapter, writes, view.program.thread.id, request);
    return { result, type: view.expressions.typeName(value.type), variablesReference: 0 };
  }
  if (!isPassive) {
    for (const warning of warnings) adapter.say(warning);
    adapter.history.add(value);
  }
  const { evaluateName: _, ...rest } = parts;
  return { result, ...rest };
};

/** A command of the terminal. Where it leads to is told as a stop. */
async function commanded(adapter: Adapter, at: FrameReference | undefined, command: string, request: RequestContext): Promise<Body<DebugProtocol.EvaluateResponse>> {
  const { debug, console } = adapter;
  if (at !== undefined) adapter.select(at);
  adapter.isCommanding = true;
  try {
    const { text, hasMoved } = await request.doing(command, (work) => console.run(command, work));
    if (hasMoved) request.afterwards(() => adapter.stopped(debug.lastStop));
    else adapter.breakpoints.dropEnded();
    return { result: text, variablesReference: 0 };
  } finally {
    adapter.isCommanding = false;
  }
}

const setVariable: Handler = async (adapter, args, request): Promise<Body<DebugProtocol.SetVariableResponse>> => {
  const reference = args.integer('variablesReference');
  const child = childOf(adapter, reference, args.string('name'));
  return assigned(adapter, args, request, child.value(), adapter.containers.get(reference).view);
};

const setExpression: Handler = async (adapter, args, request): Promise<Body<DebugProtocol.SetExpressionResponse>> => {
  const view = viewIn(adapter, frameOf(adapter, args), args);
  return assigned(adapter, args, request, view.expressions.evaluate(args.string('expression')), view);
};

async function assigned(adapter: Adapter, args: Arguments, request: RequestContext, target: Value, view: ValueView): Promise<{ value: string; type: string; variablesReference: number }> {
  const { expressions } = view;
  const changed = assign(target, expressions.evaluate(args.string('value')), adapter.history, (warning) => adapter.say(warning));
  const answer = { value: view.text(changed), type: expressions.typeName(changed.type), variablesReference: 0 };
  await commitWrites(adapter, view.around.takeWrites(), view.program.thread.id, request);
  return answer;
}

const completions: Handler = (adapter, args): Body<DebugProtocol.CompletionsResponse> => {
  const [typed, at] = [args.string('text'), frameOf(adapter, args)];
  const before = typed.slice(0, Math.max(0, args.integer('column') - adapter.client.column));
  const command = commandIn(before);
  if (command !== undefined) {
    if (at !== undefined) adapter.select(at);
    const { candidates, replaced } = adapter.console.terminal.complete(command);
    return { targets: candidates.map((label) => ({ label, start: before.length - replaced.length, length: replaced.length })) };
  }
  const { expressions } = viewIn(adapter, at, args);
  const { word, names } = completeExpression(expressions, before, { modules: expressions.around.modules, most: MOST_COMPLETIONS });
  return { targets: names.map(({ name, kind }) => ({ label: name, type: COMPLETION_TYPES[kind], start: before.length - word.length, length: word.length })) };
};

const MOST_COMPLETIONS = 300;
const COMPLETION_TYPES: Readonly<Record<CompletedName['kind'], DebugProtocol.CompletionItemType>> = {
  register: 'variable', variable: 'variable', function: 'function', enumerator: 'enum', type: 'class', member: 'field', method: 'method',
};

export const valueRequests: Handlers = { scopes, variables, evaluate, setVariable, setExpression, completions };
