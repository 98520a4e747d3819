/** Failures as text: for a test's message, and summed up for people who repair many at once. */
import { guestAddr } from '../../src/base/types.js';
import { decodeOne } from '../../src/x86/translate.js';
import type { Failure, Plan } from './harness.js';
import type { Program } from './machineState.js';

export function describeFailure(failure: Failure, plan: Plan): string {
  const { testCase, differences, configuration } = failure;
  const { program } = testCase;
  const bytes = [...program.bytes].map((b) => b.toString(16).padStart(2, '0')).join(' ');
  const lines = differences.map((d) => `    ${d.field.padEnd(14)} before ${d.before}\n${' '.repeat(19)}cpu    ${d.cpu}\n${' '.repeat(19)}engine ${d.engine}`);
  return [
    `${testCase.name} in the ${configuration}: ${disassembly(program)}   (${bytes})`,
    ...lines,
    `    again: CULPRIT_SEED=${plan.seed} CULPRIT_CASE=${testCase.name} npx vitest run tests/cpu`,
  ].join('\n');
}

function disassembly(program: Program): string {
  const texts: string[] = [];
  for (let at = 0; at < program.bytes.length; ) {
    const { text, length } = decodeOne(program.bytes.subarray(at), guestAddr(program.address + at));
    texts.push(text);
    at += length;
  }
  return texts.join('; ');
}

export function describeFailures(failures: readonly Failure[], total: number, plan: Plan, most = 3): string {
  const shown = failures.slice(0, most).map((f) => describeFailure(f, plan));
  return [`${failures.length} of ${total} cases differ from the real CPU`, ...shown].join('\n\n');
}

/** One section per form: how many failed, in which fields, and the first example. */
export function summarise(failures: readonly Failure[], plan: Plan): string {
  const byForm = new Map<string, Failure[]>();
  for (const f of failures) {
    const { name, mnemonic } = f.testCase.program;
    const key = `${mnemonic} ${name.split('/')[0]} [${f.configuration}]`;
    const list = byForm.get(key);
    if (list === undefined) byForm.set(key, [f]);
    else list.push(f);
  }
  const sections = [...byForm].map(([key, list]) => {
    const fields = new Map<string, number>();
    for (const f of list) for (const d of f.differences) fields.set(d.field.replace(/^\[.*/, 'memory'), (fields.get(d.field.replace(/^\[.*/, 'memory')) ?? 0) + 1);
    const fieldText = [...fields].map(([field, n]) => `${field} ${n}×`).join(', ');
    return `### ${key}: ${list.length} failures (${fieldText})\n\`\`\`\n${describeFailure(list[0] as Failure, plan)}\n\`\`\`\n`;
  });
  return sections.join('\n');
}
