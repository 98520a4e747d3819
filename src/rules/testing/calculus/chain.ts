/**
 * Value propagation chains by the letter of Section 4.1: a write event (k, write, r, v, f) is an edge from f to r, and
 * a chain follows them back from the detection point until a value was made. The locators for real programs are held to
 * this.
 */
import { target, type Origin, type State, type Target, type Trace } from './state.js';

interface Link {
  readonly time: number;
  /** The place that was written with the value. */
  readonly place: Target;
}

/**
 * The last link first. `origin` is where the value at the end of the chain came from: f of the state, for the redex's
 * own value.
 */
export function propagationChain(state: State, origin: Origin = state.origin): Link[] {
  const links: Link[] = [];
  let trace = state.trace;
  let from = origin;
  for (;;) {
    const place = from.kind === 'gen' ? undefined : target(state, from.place);
    const written = place === undefined ? undefined : lastWrite(trace, place);
    if (place === undefined || written === undefined) return links;
    links.push({ time: written.time, place });
    from = written.event.origin;
    trace = written.before;
  }
}

function lastWrite(trace: Trace | undefined, place: Target) {
  for (let at = trace; at !== undefined; at = at.before) {
    const { event, time, before } = at;
    if (event.kind === 'write' && event.pointer.bid === place.bid && event.pointer.index === place.index) return { event, time, before };
  }
  return undefined;
}
