/**
 * All cases of all groups of rules. A group goes through its scenarios and through the flows at once, until every
 * scenario had its turn and there are enough; another group begins with another flow. A buggy program and its clean
 * twin are made together; some of the twins are compiled with optimisation, too, since that is what false alarms like
 * best.
 */
import type { BugCase, SourceFile } from '../bugCase.js';
import { FLOWS } from './flows/all.js';
import type { Flow } from './flows/flow.js';
import { twin } from './scenario.js';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios/all.js';

const PAIRS = 20;
/** Of each group's clean cases. */
const OPTIMISED = 2;
/** Makes groups begin with flows of different kinds. */
const STRIDE = 5;

export function variantsOf(rule: string): BugCase[] {
  const scenarios = SCENARIOS[rule] ?? [];
  const first = Object.keys(SCENARIOS).indexOf(rule) * STRIDE;
  const chosen = pairs(scenarios, first);
  const twins = chosen.flatMap(([scenario, flow]) => [makeCase(rule, scenario, flow, 'buggy'), makeCase(rule, scenario, flow, 'clean')]);
  return [...twins, ...chosen.slice(0, OPTIMISED).map(([scenario, flow]) => makeCase(rule, scenario, flow, 'optimised'))];
}

export function allVariants(): BugCase[] {
  return Object.keys(SCENARIOS).flatMap(variantsOf);
}

/** A scenario that cannot take the next flow takes the one after it; a pair that there is already is not made again. */
function pairs(scenarios: readonly Scenario[], first: number): [Scenario, Flow][] {
  const chosen = new Map<string, [Scenario, Flow]>();
  let flows = first;
  for (let turn = 0; turn < Math.max(PAIRS, scenarios.length) || chosen.size < PAIRS; turn++) {
    const scenario = scenarios[turn % scenarios.length];
    const flow = rotated(FLOWS, flows).find((one) => scenario !== undefined && fits(scenario, one) && !chosen.has(`${scenario.name} ${one.name}`));
    if (scenario === undefined || flow === undefined) break;
    flows = FLOWS.indexOf(flow) + 1;
    chosen.set(`${scenario.name} ${flow.name}`, [scenario, flow]);
  }
  return [...chosen.values()];
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

function fits(scenario: Scenario, flow: Flow): boolean {
  if (scenario.nested === true && flow.nested !== true) return false;
  if (scenario.scalar === true && flow.pointers === true) return false;
  if (scenario.undefinedValue === true && flow.observed === true) return false;
  return scenario.unless?.includes(flow.name) !== true;
}

export function makeCase(rule: string, scenario: Scenario, flow: Flow, kind: 'buggy' | 'clean' | 'optimised'): BugCase {
  const buggy = kind === 'buggy';
  return {
    name: `${rule}/${scenario.name}/${flow.name}/${kind}`,
    rule,
    buggy,
    sources: Object.entries(flow.files).map(([name, text]) => ({ name: fileName(name, scenario), text: fill(text, scenario, buggy) })),
    flags: kind === 'optimised' ? ['-O2'] : [],
  };
}

function fileName(name: string, scenario: Scenario): SourceFile['name'] {
  return scenario.language === 'cc' ? name.replace(/\.c$/, '.cc') : name;
}

function fill(text: string, scenario: Scenario, buggy: boolean): string {
  const prologue = ['#include <stdio.h>', '#include <stdlib.h>', '#include <string.h>', scenario.prologue?.trim() ?? '', `typedef ${scenario.type} Data;`, ''];
  return text
    .replace('@PROLOGUE@', () => prologue.filter((line, i) => line !== '' || i === prologue.length - 1).join('\n'))
    .replace(/^( *)@SOURCE@/gm, (_, indent: string) => indented(twin(scenario.source, buggy), indent))
    .replace(/^( *)@SINK@/gm, (_, indent: string) => indented(twin(scenario.sink, buggy), indent));
}

/** In braces, so that it may declare what it likes. */
function indented(code: string, indent: string): string {
  return ['{', ...code.trim().split('\n').map((line) => `  ${line}`), '}'].map((line) => indent + line).join('\n');
}
