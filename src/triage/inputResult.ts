/**
 * What came of one input, as a value that JSON can carry: a line of the state file, the result of a job in a queue. Of
 * a report of blame it keeps what tables and pages show, and not every execution that led to it.
 */
import type { BlamedFailure, BlamedPlace, BlameReport, BlameVerdict } from '../blame/blameReport.js';

/** What blame says of one run of an input, without how it came to say so. */
export interface Answer {
  readonly verdict: BlameVerdict;
  /** The likeliest first; the others are few. */
  readonly places: readonly BlamedPlace[];
  readonly failure: BlamedFailure | undefined;
  readonly remarks: readonly string[];
  readonly why: string;
  readonly runs: number;
}

export interface InputResult {
  /** Of the input. */
  readonly hash: string;
  /** One for every time that it was run; none if that could not be done. */
  readonly answers: readonly Answer[];
  /** Why it could not be done: what blames it has died twice. */
  readonly lost?: string | undefined;
}

const MOST_PLACES = 3;
const MOST_FRAMES = 32;

export function answerOf({ verdict, places, failure, remarks, why, runs }: BlameReport): Answer {
  return { verdict, places: places.slice(0, MOST_PLACES).map((place) => ({ ...place, stack: place.stack.slice(0, MOST_FRAMES) })), failure, remarks, why, runs };
}

/** Of a line of JSON that may be damaged, or another program's. Undefined if it is no result. */
export function readResult(value: unknown): InputResult | undefined {
  if (!isRecord(value) || typeof value['hash'] !== 'string' || !Array.isArray(value['answers'])) return undefined;
  const isLost = typeof value['lost'] === 'string';
  if (!value['answers'].every(isAnswer) || (value['answers'].length === 0 && !isLost)) return undefined;
  return { hash: value['hash'], answers: value['answers'] as Answer[], ...(isLost ? { lost: value['lost'] as string } : {}) };
}

const VERDICTS: readonly unknown[] = ['corruption', 'otherFailure', 'clean', 'unknown'] satisfies BlameVerdict[];

function isAnswer(value: unknown): value is Answer {
  if (!isRecord(value) || !VERDICTS.includes(value['verdict']) || typeof value['why'] !== 'string' || typeof value['runs'] !== 'number') return false;
  const { places, failure, remarks } = value;
  return Array.isArray(places) && places.every(isPlace) && Array.isArray(remarks) && (failure === undefined || isFailure(failure));
}

function isPlace(value: unknown): boolean {
  return isFrame(value) && Array.isArray(value['by']) && typeof value['what'] === 'string' && Array.isArray(value['stack']) && value['stack'].every(isFrame);
}

function isFailure(value: unknown): boolean {
  return isRecord(value) && typeof value['kind'] === 'string' && typeof value['name'] === 'string' && typeof value['message'] === 'string' && isFrame(value['place']);
}

function isFrame(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value) || typeof value['address'] !== 'string') return false;
  const { line } = value;
  return ['function', 'file', 'module'].every((name) => value[name] === undefined || typeof value[name] === 'string') && (line === undefined || typeof line === 'number');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
