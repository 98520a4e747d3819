/**
 * What the client wants to stop at. It sends whole lists (all of a file, all of one kind), which replace what was there
 * before; what is the same as before stays, with its number and its count of hits. What cannot be resolved is tried
 * again when more is known.
 */
import type { DebugProtocol } from '@vscode/debugprotocol';
import { UserError } from '../base/errors.js';
import type { Breakpoint } from '../debugger/control/breakpoints.js';
import type { Debugger } from '../debugger/control/debugger.js';
import type { CodeLocation } from '../debugger/program/location.js';
import type { Adapter } from './adapter.js';

type StopReason = 'breakpoint' | 'function breakpoint' | 'instruction breakpoint' | 'data breakpoint' | 'exception';

export interface BreakpointRequest {
  /** Equal for equal requests. */
  readonly key: string;
  readonly reason: StopReason;
  /** Makes it. Throws a UserError that says why it cannot be. */
  make(debug: Debugger): Breakpoint;
  /** Where it is. Throws a LocationNotFound if that is not known yet. */
  places?(): CodeLocation[];
  /** Where the client put it. */
  readonly line?: number;
  readonly source?: DebugProtocol.Source;
}

interface Entry {
  readonly id: number;
  readonly group: string;
  readonly request: BreakpointRequest;
  point: Breakpoint | undefined;
  message: string | undefined;
  /** As the client was told. */
  isVerified: boolean;
}

export class ClientBreakpoints {
  private entries: Entry[] = [];
  private next = 1;

  constructor(private readonly adapter: Adapter) {}

  /** `group` is what the list is all of. */
  replace(group: string, requests: readonly BreakpointRequest[]): DebugProtocol.Breakpoint[] {
    const old = this.entries.filter((entry) => entry.group === group);
    const chosen = requests.map((request) => {
      const same = old.findIndex((entry) => entry.request.key === request.key && entry.point !== undefined);
      return same >= 0 ? (old.splice(same, 1)[0] as Entry) : this.made(group, request);
    });
    for (const { point } of old) this.remove(point);
    this.entries = [...this.entries.filter((entry) => entry.group !== group), ...chosen];
    return chosen.map((entry) => this.shown(entry));
  }

  idsOf(numbers: readonly number[]): number[] {
    return this.entries.filter(({ point }) => point !== undefined && numbers.includes(point.number)).map(({ id }) => id);
  }

  reasonFor(numbers: readonly number[]): StopReason {
    return this.entries.find(({ point }) => point !== undefined && numbers.includes(point.number))?.request.reason ?? 'breakpoint';
  }

  /** Looks again for what was nowhere, if more is known than before, and tells the client what has been found. */
  update(isMoreKnown: boolean): void {
    for (const entry of this.entries.filter(({ isVerified }) => !isVerified)) {
      if (isMoreKnown) this.resolve(entry);
      if (isPlaced(entry.point)) this.adapter.send<DebugProtocol.BreakpointEvent>('breakpoint', { reason: 'changed', breakpoint: this.shown(entry) });
    }
  }

  /** Those that the debugger has deleted by itself: watched variables of functions that have ended. */
  dropEnded(): void {
    const { breakpoints } = this.adapter.program.debug;
    const ended = this.entries.filter(({ point }) => point !== undefined && breakpoints.find(point.number) === undefined);
    this.entries = this.entries.filter((entry) => !ended.includes(entry));
    for (const entry of ended) this.adapter.send<DebugProtocol.BreakpointEvent>('breakpoint', { reason: 'removed', breakpoint: { id: entry.id, verified: false } });
  }

  private made(group: string, request: BreakpointRequest): Entry {
    const entry: Entry = { id: this.next++, group, request, point: undefined, message: undefined, isVerified: false };
    this.resolve(entry);
    return entry;
  }

  private resolve(entry: Entry): void {
    const { request, point } = entry;
    try {
      if (point === undefined) entry.point = request.make(this.adapter.program.debug);
      else if (point.kind === 'breakpoint' && !isPlaced(point)) point.places = (request.places?.() ?? []).map((location) => ({ location, enabled: true }));
      entry.message = undefined;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      entry.message = error.message;
    }
  }

  private remove(point: Breakpoint | undefined): void {
    if (point === undefined) return;
    const { breakpoints } = this.adapter.program.debug;
    if (breakpoints.find(point.number) !== undefined) breakpoints.delete(point.number);
  }

  private shown(entry: Entry): DebugProtocol.Breakpoint {
    const { id, point, message, request } = entry;
    const { client } = this.adapter;
    entry.isVerified = isPlaced(point);
    const asked = { ...(request.line === undefined ? {} : { line: client.line(request.line) }), ...(request.source === undefined ? {} : { source: request.source }) };
    if (point === undefined || !entry.isVerified) {
      const why = message ?? (point?.kind === 'breakpoint' ? `${point.text} is not known yet; when the program runs, it is looked for in all of the recording` : 'not known yet');
      return { id, verified: false, reason: point === undefined ? 'failed' : 'pending', ...asked, message: why };
    }
    const place = point.kind === 'breakpoint' ? point.places[0]?.location : undefined;
    return { id, verified: true, ...asked, ...(place === undefined ? {} : this.at(place)) };
  }

  private at({ address, path, line }: CodeLocation): Partial<DebugProtocol.Breakpoint> {
    const { client, sources } = this.adapter;
    return {
      instructionReference: `0x${address.toString(16)}`,
      ...(line === 0 ? {} : { line: client.line(line) }),
      ...(path === undefined ? {} : { source: sources.of(path) }),
    };
  }
}

/** Whether it is known where it is. */
function isPlaced(point: Breakpoint | undefined): boolean {
  return point !== undefined && (point.kind !== 'breakpoint' || point.places.length > 0);
}
