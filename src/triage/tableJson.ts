/** The table for programs. */
import type { ShownCommand } from './tableText.js';
import type { TriageInput } from './triageInput.js';
import type { TriageTable } from './triageTable.js';

export function tableJson(table: TriageTable, { shown, args }: ShownCommand): unknown {
  return {
    version: 1,
    command: [shown, ...args],
    inputs: table.inputs,
    files: table.files,
    pending: table.pending,
    groups: table.groups.map(({ culprit: { kind, place }, inputs, answer, rules, sites }) => ({
      kind, place: place === undefined ? null : { function: place.function ?? null, file: place.file ?? null, line: place.line ?? null, module: place.module ?? null, address: place.address },
      count: inputs.length,
      rules,
      why: answer.places[0]?.what ?? answer.why,
      memory: answer.places[0]?.memory ?? null,
      stack: answer.places[0]?.stack ?? [],
      remarks: answer.remarks,
      failures: sites.map(({ text, count }) => ({ where: text, count })),
      smallest: inputs[0]?.name ?? null,
      inputs: inputs.map(inputJson),
    })),
    clean: table.clean.map(inputJson),
    flaky: table.flaky.map(({ input, said }) => ({ ...inputJson(input), answers: said })),
    undecided: table.undecided.map(inputJson),
    lost: table.lost.map(({ input, why }) => ({ ...inputJson(input), why })),
  };
}

function inputJson({ name, size, hash, said, copies }: TriageInput): { readonly name: string; readonly size: number; readonly hash: string; readonly said: string; readonly copies: readonly string[] } {
  return { name, size, hash, said, copies };
}
