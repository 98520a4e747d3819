/**
 * Calls that were jumps: a function whose last act is a call leaves no frame. Compilers describe calls, so what the
 * frame above has called is known, and which jumps may have led from there to the function that runs. If there is one
 * way, its functions are shown as if they were on the stack, as gdb does it; of several ways, only what they have in
 * common at their ends.
 */
import type { Die } from './die.js';
import { AT, TAG } from './dwarfConstants.js';
import { rangesOf } from './ranges.js';
import type { Scope } from './scope.js';
import type { Module } from './stackFrame.js';

/** More jumps than that are not followed. */
const MOST_STEPS = 1000;
const MOST_WAYS = 16;
const DEEPEST = 64;

/**
 * Where the function that a described call leads to begins (without load bias); undefined if that is not known before
 * it is made.
 */
export function calleeOf(call: Die, module: Module): number | undefined {
  const target = call.reference(AT.CALL_ORIGIN) ?? call.reference(AT.ABSTRACT_ORIGIN);
  if (target === undefined) return undefined;
  if (target.has(AT.LOW_PC) || target.has(AT.RANGES)) return rangesOf(target)[0]?.low;
  const name = target.string(AT.LINKAGE_NAME) ?? target.string(AT.NAME);
  if (target.flag(AT.DECLARATION)) return name === undefined ? undefined : module.symbolAddress?.(name);
  return target.unit.functions.all().find((scope) => scope.function.origin.offset === target.offset)?.entry;
}

/** Return addresses of the jumps between a call and a function that it has led to, from the inside out. */
export function jumpsBetween(call: Die, reached: number, module: Module): number[] {
  const called = calleeOf(call, module);
  if (called === undefined || called === reached) return [];
  const ways: number[][] = [];
  const taken: number[] = [];
  let steps = 0;
  const follow = (entry: number): void => {
    for (const jump of jumpsOf(entry, module)) {
      if (++steps > MOST_STEPS || ways.length >= MOST_WAYS) return;
      const target = taken.includes(jump.returnAddress) || taken.length >= DEEPEST ? undefined : calleeOf(jump.call, module);
      if (target === undefined) continue;
      taken.push(jump.returnAddress);
      if (target === reached) ways.push([...taken]);
      else follow(target);
      taken.pop();
    }
  };
  follow(called);
  return steps > MOST_STEPS || ways.length >= MOST_WAYS ? [] : commonEnds(ways).reverse();
}

interface Jump {
  readonly call: Die;
  readonly returnAddress: number;
}

function jumpsOf(entry: number, { info }: Module): Jump[] {
  const unit = info?.byAddress.unitsAt(entry)[0];
  const scope = unit?.functions.at(entry);
  return scope === undefined ? [] : jumpsIn(scope, 0);
}

function jumpsIn({ die }: Pick<Scope, 'die'>, depth: number): Jump[] {
  if (depth > DEEPEST) return [];
  return [...die.children()].flatMap((child): Jump[] => {
    if (child.tag === TAG.LEXICAL_BLOCK || child.tag === TAG.INLINED_SUBROUTINE) return jumpsIn({ die: child }, depth + 1);
    if (child.tag !== TAG.CALL_SITE && child.tag !== TAG.GNU_CALL_SITE) return [];
    const returnAddress = child.address(AT.CALL_RETURN_PC) ?? child.address(AT.LOW_PC);
    return returnAddress === undefined || !(child.flag(AT.CALL_TAIL_CALL) || child.flag(AT.GNU_TAIL_CALL)) ? [] : [{ call: child, returnAddress }];
  });
}

/** From the call on as far as all ways are the same, and from where they meet again for good. */
function commonEnds(ways: readonly (readonly number[])[]): number[] {
  const [first, ...others] = ways;
  if (first === undefined) return [];
  if (others.length === 0) return [...first];
  const shortest = Math.min(...ways.map((way) => way.length));
  let begin = 0;
  while (begin < shortest && others.every((way) => way[begin] === first[begin])) begin++;
  let end = 0;
  while (end < shortest - begin && others.every((way) => way.at(-1 - end) === first.at(-1 - end))) end++;
  return [...first.slice(0, begin), ...first.slice(first.length - end)];
}
