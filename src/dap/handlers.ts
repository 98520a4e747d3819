/** All requests that are answered, by name. */
import type { Handler } from './handler.js';
import { alterationRequests } from './handlers/alterationRequests.js';
import { blameRequests } from './handlers/blameRequests.js';
import { probeRequests } from './handlers/probeRequests.js';
import { breakpointRequests } from './handlers/breakpointRequests.js';
import { lifecycleRequests } from './handlers/lifecycleRequests.js';
import { memoryRequests } from './handlers/memoryRequests.js';
import { motionRequests } from './handlers/motionRequests.js';
import { sliceRequests } from './handlers/sliceRequests.js';
import { sourceRequests } from './handlers/sourceRequests.js';
import { stackRequests } from './handlers/stackRequests.js';
import { timeRequests } from './handlers/timeRequests.js';
import { valueRequests } from './handlers/valueRequests.js';

/** The session itself answers this one. */
const cancel: Handler = () => undefined;

export const HANDLERS: ReadonlyMap<string, Handler> = new Map(Object.entries({
  cancel, ...lifecycleRequests, ...breakpointRequests, ...motionRequests, ...stackRequests, ...valueRequests, ...memoryRequests, ...sourceRequests, ...timeRequests, ...sliceRequests, ...alterationRequests, ...probeRequests, ...blameRequests,
}));

/** Those that end or interrupt what others wait for: they do not stand in line. */
export const URGENT: ReadonlySet<string> = new Set(['pause', 'terminate', 'disconnect']);
