/**
 * All cases of all rules. Every scenario goes the direct way; then each flow gets a scenario, in turn, so that every
 * rule meets every flow without the product of both. A buggy program and its clean twin are always made together.
 */
import type { BugCase, SourceFile } from '../bugCase.js';
import { FLOWS } from './flows/all.js';
import type { Flow } from './flows/flow.js';
import { twin } from './scenario.js';
import type { Scenario } from './scenario.js';
import { SCENARIOS } from './scenarios/all.js';

export function variantsOf(rule: string): BugCase[] {
  const scenarios = SCENARIOS[rule] ?? [];
  return pairs(scenarios).flatMap(([scenario, flow]) => [true, false].map((buggy) => makeCase(rule, scenario, flow, buggy)));
}

export function allVariants(): BugCase[] {
  return Object.keys(SCENARIOS).flatMap(variantsOf);
}

function pairs(scenarios: readonly Scenario[]): [Scenario, Flow][] {
  const [direct, ...others] = FLOWS;
  if (direct === undefined) return [];
  const chosen = scenarios.map((scenario): [Scenario, Flow] => [scenario, direct]);
  let next = 0;
  for (const flow of others) {
    const turn = scenarios.map((_, i) => scenarios[(next + i) % scenarios.length]).findIndex((scenario) => scenario !== undefined && fits(scenario, flow));
    const scenario = scenarios[(next + turn) % scenarios.length];
    if (turn < 0 || scenario === undefined) continue;
    chosen.push([scenario, flow]);
    next += turn + 1;
  }
  return chosen;
}

function fits(scenario: Scenario, flow: Flow): boolean {
  if (scenario.nested === true && flow.nested !== true) return false;
  if (scenario.scalar === true && flow.pointers === true) return false;
  if (scenario.undefinedValue === true && flow.observed === true) return false;
  return scenario.unless?.includes(flow.name) !== true;
}

function makeCase(rule: string, scenario: Scenario, flow: Flow, buggy: boolean): BugCase {
  return {
    name: `${rule}/${scenario.name}/${flow.name}/${buggy ? 'buggy' : 'clean'}`,
    rule,
    buggy,
    sources: Object.entries(flow.files).map(([name, text]) => ({ name: fileName(name, scenario), text: fill(text, scenario, buggy) })),
    flags: [],
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
