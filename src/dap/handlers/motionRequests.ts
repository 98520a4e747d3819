/** Requests that move the program through time. They are answered at once; where it stops is an event. */
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Debugger } from '../../debugger/control/debugger.js';
import type { Direction, Stop } from '../../debugger/control/stops.js';
import { at, comparePositions } from '../../replay/log/position.js';
import type { Work } from '../../replay/timeline/work.js';
import type { Adapter } from '../adapter.js';
import type { Arguments } from '../arguments.js';
import type { Body, Handler, Handlers, RequestContext } from '../handler.js';
import { stepTargets } from '../../debugger/control/stepTargets.js';

type Move = (debug: Debugger, work: Work) => Promise<Stop>;

function goOn(adapter: Adapter, request: RequestContext, title: string, move: Move): void {
  const { debug } = adapter;
  const origin = debug.position;
  request.afterwards(() => adapter.motion.start({
    title, request: request.seq,
    move: async (work) => {
      const stop = await move(debug, work);
      // A step is several moves: given up, it is undone.
      if (stop.kind === 'cancelled' && comparePositions(debug.position, origin) !== 0) await debug.goTo(origin);
      return stop;
    },
  }));
}

const continuing = (direction: Direction): Handler => (adapter, args, request): Body<DebugProtocol.ContinueResponse> => {
  chooseThread(adapter, args);
  goOn(adapter, request, direction === 'forward' ? 'Continuing' : 'Going back', (debug, work) => debug.continue(direction, work));
  return { allThreadsContinued: true };
};

type StepKind = 'over' | 'into' | 'out';

function step(debug: Debugger, kind: StepKind, isInstruction: boolean, direction: Direction, work: Work): Promise<Stop> {
  if (kind === 'out') return debug.finish({ direction, work });
  if (isInstruction) return kind === 'over' ? debug.nextInstruction({ direction, work }) : debug.stepInstruction({ direction, work });
  return kind === 'over' ? debug.next({ direction, work }) : debug.step({ direction, work });
}

const stepping = (kind: StepKind, direction: Direction): Handler => (adapter, args, request) => {
  const isInstruction = args.oneOf('granularity', ['statement', 'line', 'instruction']) === 'instruction';
  chooseThread(adapter, args);
  goOn(adapter, request, 'Stepping', (debug, work) => step(debug, kind, isInstruction, direction, work));
};

/** Into any call, or into the one that is meant. */
const steppingIn: Handler = (adapter, args, request) => {
  const target = args.optionalInteger('targetId');
  if (target === undefined) return stepping('into', 'forward')(adapter, args, request);
  const returnAddress = adapter.calls.get(target);
  chooseThread(adapter, args);
  goOn(adapter, request, 'Stepping', (debug, work) => debug.stepIntoCall(returnAddress, work));
};

/** What a step into the line that runs there can go into. */
const stepInTargets: Handler = (adapter, args): Body<DebugProtocol.StepInTargetsResponse> => {
  const { thread, frame } = adapter.frames.get(args.integer('frameId'));
  const line = adapter.client.line(frame.line);
  return { targets: stepTargets(adapter.debug, thread, frame).map(({ label, returnAddress }) => ({ id: adapter.calls.add(returnAddress), label, line })) };
};

/** Steps are those of the thread that is asked for. */
function chooseThread(adapter: Adapter, args: Arguments): void {
  const { debug } = adapter;
  const id = args.optionalInteger('threadId');
  if (id !== undefined && id !== debug.thread?.id) debug.selectThread(id);
}

/** The search is given up, and the program stands where it did before. */
const pause: Handler = (adapter) => {
  if (adapter.recorder !== undefined) return adapter.recorder.stop();
  if (adapter.isCommanding) adapter.works.cancelAll();
  void adapter.motion.interrupt();
};

/** There is nothing to start again: it is all recorded. So it goes to the start. */
const restart: Handler = async (adapter, _args, request) => {
  await adapter.motion.interrupt();
  goOn(adapter, request, 'Going to the start', (debug, work) => begin(adapter, debug, work, { openAt: 'start', stopOnEntry: adapter.beginning.stopOnEntry }));
};

/** As the user wants to begin. */
export async function begin(adapter: Adapter, debug: Debugger, work: Work, { openAt, stopOnEntry }: Adapter['beginning'] = adapter.beginning): Promise<Stop> {
  if (openAt === 'end') return debug.goToEnd(work);
  await debug.goTo(at(0), work);
  if (!stopOnEntry) return debug.continue('forward', work);
  return goToMain(adapter, debug, work);
}

async function goToMain(adapter: Adapter, debug: Debugger, work: Work): Promise<Stop> {
  const [main] = adapter.programs.find('main');
  if (main === undefined) return { kind: 'start', thread: debug.thread?.id ?? 0 };
  const point = debug.breakpoints.addLocation('main', [main], { temporary: true });
  const stop = await debug.continue('forward', work);
  if (debug.breakpoints.find(point.number) !== undefined) debug.breakpoints.delete(point.number);
  return stop.kind === 'breakpoint' && stop.numbers.includes(point.number) ? { kind: 'start', thread: stop.thread } : stop;
}

export const motionRequests: Handlers = {
  continue: continuing('forward'), reverseContinue: continuing('backward'),
  next: stepping('over', 'forward'), stepIn: steppingIn, stepOut: stepping('out', 'forward'), stepBack: stepping('over', 'backward'),
  stepInTargets, pause, restart,
};
