/**
 * What a recording says about itself, as JSON: a header before the run and a summary after it. Texts
 * that are bytes to the program (names of files, arguments) have one character per byte.
 */
import { UserError } from '../../base/errors.js';
import type { JsonObject } from '../format/recordingWriter.js';

/** Of the events (log/); to be raised when an older version of culprit would misunderstand them. */
export const EVENTS_VERSION = 1;

export interface RecordingHeader {
  readonly eventsVersion: number;
  /** Version of the culprit that made it. */
  readonly culprit: string;
  /** As it was typed. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: readonly string[];
  readonly scheduleSeed: number;
  readonly aslrSeed?: number;
  readonly sandbox?: boolean;
  /** The number of the first process. */
  readonly pidBase?: number;
  /** Seconds of the guest's monotonic clock when it began. */
  readonly startSeconds: number;
  /** When it was made, ISO 8601. */
  readonly date: string;
  readonly host: { readonly kernel: string; readonly uid: number; readonly gid: number };
}

/** How the first process ended, or why we ended the run. */
export type RecordedEnding =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'signaled'; readonly signal: number }
  | { readonly how: 'timeout' | 'deadlock' };

export interface RecordingSummary {
  readonly ending: RecordedEnding;
  /** Retired by all threads: the last time there is. */
  readonly instructions: number;
  /** Of the guest's clock. */
  readonly seconds: number;
  readonly events: number;
  readonly threads: number;
  readonly processes: number;
  /** Signals that took effect. */
  readonly signals: number;
}

/** Throws a UserError if it is not what we can use. `name` is the file's, for messages. */
export function parseHeader(json: JsonObject, name: string): RecordingHeader {
  const { eventsVersion } = json;
  if (typeof eventsVersion === 'number' && eventsVersion > EVENTS_VERSION) {
    throw new UserError(`${name} was made by a newer version of culprit (events ${eventsVersion}; this one reads up to ${EVENTS_VERSION})`);
  }
  if (!isHeader(json)) throw new UserError(`${name}: its header makes no sense`);
  return json;
}

/** Undefined if it is not what we can use: then the recording counts as cut off. */
export function parseSummary(json: JsonObject | undefined): RecordingSummary | undefined {
  return json !== undefined && isSummary(json) ? json : undefined;
}

function isHeader(json: JsonObject): json is JsonObject & RecordingHeader {
  const { host } = json;
  const texts = [json['culprit'], json['program'], json['cwd'], json['date']];
  const numbers = [json['eventsVersion'], json['scheduleSeed'], json['startSeconds']];
  return texts.every(isText) && numbers.every(isCount) && isTexts(json['args']) && isTexts(json['environment']) && isObject(host) && isText(host['kernel']) && isCount(host['uid']) && isCount(host['gid']);
}

function isSummary(json: JsonObject): json is JsonObject & RecordingSummary {
  const { ending, seconds } = json;
  const numbers = [json['instructions'], json['events'], json['threads'], json['processes'], json['signals']];
  return numbers.every(isCount) && typeof seconds === 'number' && isObject(ending) && isEnding(ending);
}

function isEnding(json: JsonObject): boolean {
  switch (json['how']) {
    case 'exited':
      return isCount(json['code']);
    case 'signaled':
      return isCount(json['signal']);
    default:
      return json['how'] === 'timeout' || json['how'] === 'deadlock';
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
