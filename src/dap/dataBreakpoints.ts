/**
 * Breakpoints on memory. The client first asks what a variable is to be called by (`dataBreakpointInfo`), later sets
 * breakpoints on such names. What the name means is found out at first, in the frame that the client shows then: it may
 * be the frame's own variable.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../base/errors.js';
import type { Watchpoint } from '../debugger/control/breakpoints.js';
import type { Adapter } from './adapter.js';
import { addressText, parseAddress } from './addresses.js';
import type { Arguments } from './arguments.js';
import type { BreakpointRequest } from './breakpoints.js';
import type { Body } from './handler.js';
import { hitCondition } from './hitCondition.js';
import { type NamedExpression, namedValue } from './namedValue.js';

type Watched = Pick<Watchpoint, 'expression' | 'scope' | 'owner' | 'fallback'>;

const ACCESS = { read: 'read', write: 'write', readWrite: 'access' } as const;
/** More than anybody wants to watch. */
const MOST_BYTES = 1 << 20;

export class DataBreakpoints {
  private readonly known = new Map<string, Watched>();

  constructor(private readonly adapter: Adapter) {}

  info(args: Arguments): Body<DebugProtocol.DataBreakpointInfoResponse> {
    const name = args.string('name');
    try {
      const meant = args.boolean('asAddress') ? { expression: atAddress(name, args.optionalInteger('bytes')), at: undefined } : namedValue(this.adapter, args, 'name');
      const watched = this.watched(meant);
      const isGlobal = watched.scope === undefined;
      const dataId = isGlobal ? watched.expression : `${watched.expression} @${watched.scope?.stack.toString(16)}`;
      this.known.set(dataId, watched);
      return { dataId, description: meant.expression, accessTypes: ['write', 'read', 'readWrite'], canPersist: isGlobal };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { dataId: null, description: error.message };
    }
  }

  request(one: Arguments): BreakpointRequest {
    const dataId = one.string('dataId');
    const access = ACCESS[one.oneOf('accessType', ['read', 'write', 'readWrite']) ?? 'write'];
    const condition = one.optionalString('condition') || undefined;
    const hits = one.optionalString('hitCondition') || undefined;
    return {
      key: JSON.stringify([dataId, access, condition, hits]),
      reason: 'data breakpoint',
      make: (debug) => {
        const options = { condition, ...(hits === undefined ? {} : hitCondition(hits)) };
        const watched = this.known.get(dataId);
        return watched === undefined ? debug.addWatchpoint(dataId, access, options) : debug.breakpoints.addWatch(watched.expression, access, watched, options);
      },
    };
  }

  /** As the debugger watches it in that frame: made, and taken out again. */
  private watched({ expression, at }: NamedExpression): Watched {
    const { debug } = this.adapter;
    if (at !== undefined) this.adapter.select(at);
    const point = debug.addWatchpoint(expression);
    debug.breakpoints.delete(point.number);
    return point;
  }
}

function atAddress(text: string, bytes = 1): string {
  if (bytes < 1 || bytes > MOST_BYTES) throw new UserError(`not a number of bytes that can be watched: ${bytes}`);
  return `* (unsigned char (*)[${bytes}]) ${addressText(parseAddress(text))}`;
}
