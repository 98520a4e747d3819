/**
 * Alterations as a list that is shown, edited, switched off and on, and saved. It is a value: who changes it has
 * another one, and a branch is made of it anew.
 */
import { UserError } from '../base/errors.js';
import { type Alteration, alterationText, parseAlteration } from './alteration.js';

export interface Listed {
  /** From 1 on; never used again. */
  readonly id: number;
  readonly alteration: Alteration;
  readonly on: boolean;
}

export interface Alterations {
  readonly next: number;
  readonly all: readonly Listed[];
}

export const NO_ALTERATIONS: Alterations = { next: 1, all: [] };

const KIND = 'culprit alterations';
const VERSION = 1;

export function withAlteration({ next, all }: Alterations, alteration: Alteration): Alterations {
  return { next: next + 1, all: [...all, { id: next, alteration, on: true }] };
}

export function withoutAlteration(list: Alterations, id: number): Alterations {
  find(list, id);
  return { ...list, all: list.all.filter((one) => one.id !== id) };
}

export function switched(list: Alterations, id: number, on: boolean): Alterations {
  find(list, id);
  return { ...list, all: list.all.map((one) => (one.id === id ? { ...one, on } : one)) };
}

/** Those that count. */
export function activeOf({ all }: Alterations): Alteration[] {
  return all.filter(({ on }) => on).map(({ alteration }) => alteration);
}

/** A line for each. */
export function alterationLines({ all }: Alterations): string[] {
  return all.map(({ id, alteration, on }) => `${String(id).padEnd(3)} ${on ? 'on ' : 'off'} ${alterationText(alteration)}`);
}

/** As a file has it. */
export function savedAlterations({ all }: Alterations): string {
  const alterations = all.map(({ id, alteration, on }) => ({ id, on, alteration: alterationText(alteration) }));
  return `${JSON.stringify({ kind: KIND, version: VERSION, alterations }, undefined, 2)}\n`;
}

/** Throws a UserError in one line if the file is something else. */
export function loadedAlterations(text: string, name: string): Alterations {
  const { kind, version, alterations } = objectIn(text);
  if (kind !== KIND || !Array.isArray(alterations)) throw new UserError(`${name}: no alterations that were saved`);
  if (version !== VERSION) throw new UserError(`${name}: saved by another version of culprit (${String(version)} instead of ${VERSION})`);
  const all = alterations.map((one: unknown) => listedIn(one, name));
  if (new Set(all.map(({ id }) => id)).size !== all.length) throw new UserError(`${name}: two alterations have the same number`);
  return { next: Math.max(0, ...all.map(({ id }) => id)) + 1, all };
}

function listedIn(value: unknown, name: string): Listed {
  const { id, on, alteration } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const [, what, rest] = typeof alteration === 'string' ? (/^(switch|suppress) (.*)$/.exec(alteration) ?? []) : [];
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1 || typeof on !== 'boolean' || rest === undefined) throw new UserError(`${name}: one of the alterations is damaged`);
  return { id, on, alteration: parseAlteration(what as Alteration['what'], rest) };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function find({ all }: Alterations, id: number): Listed {
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw new UserError(`there is no alteration ${id}`);
  return found;
}
