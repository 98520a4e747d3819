/**
 * Questions with very many hits, each from the beginning: `culprit query FILE traceQuestions.ts QUESTION`. Prints the
 * answer and seconds of processor time.
 */
import { args, editHamt, type EditHamt, execution } from 'culprit/traces';

const EDITS = 100_000;
const KEYS = 1000;

function seconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function timed<T>(action: () => Promise<T> | T): Promise<{ answer: T; seconds: number }> {
  const began = seconds();
  const answer = await action();
  return { answer, seconds: seconds() - began };
}

/** The same edits and lookups, in a map that has no history. */
function plainEdits(): number {
  const map = new Map<number, number>();
  let found = 0;
  for (let i = 0; i < EDITS; i++) map.set(i % KEYS, i);
  for (let i = 0; i < EDITS; i++) found += map.has(i % (2 * KEYS)) ? 1 : 0;
  return found;
}

async function edits(): Promise<number> {
  let map: EditHamt<number, number> = editHamt.empty();
  let found = 0;
  for (let i = 0; i < EDITS; i++) map = editHamt.addKeyValue(map, i % KEYS, i);
  for (let i = 0; i < EDITS; i++) found += (await map.contains(i % (2 * KEYS))) ? 1 : 0;
  return found;
}

const QUESTIONS: Readonly<Record<string, () => Promise<number> | number>> = {
  calls: () => execution.breakpoints('bar').length,
  lastWrite: async () => (await execution.watchpoints('last').last())?.time ?? 0,
  edits,
  plainEdits,
};

const question = QUESTIONS[args[0] ?? ''];
if (question === undefined) throw new RangeError(`no such question: ${args[0]}`);
console.log(JSON.stringify(await timed(question)));
