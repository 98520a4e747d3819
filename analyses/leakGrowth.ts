/**
 * Where does memory grow? Bytes that are allocated and not yet given back, by the line that asked for them, at four
 * times of the execution and at its end.
 *
 *     culprit query bug.culprit analyses/leakGrowth.ts
 */
import { execution } from 'culprit/traces';

interface Block {
  readonly site: string;
  readonly size: number;
}

const PARTS = 4;
const live = new Map<number, Block>();
const growth = new Map<string, number[]>();
let [part, began] = [0, -1];

for await (const { time, value } of execution.allocations()) {
  if (began < 0) began = time;
  while (part < PARTS && time > began + ((execution.endTime - began) * (part + 1)) / (PARTS + 1)) note(part++);
  if (value.freed !== 0) live.delete(value.freed);
  if (value.kind !== 'free' && value.pointer !== 0) live.set(value.pointer, { site: value.site, size: value.size });
}
while (part <= PARTS) note(part++);

const rows = [...growth].filter(([, bytes]) => bytes.some((n) => n > 0)).sort(([, a], [, b]) => (b[PARTS] ?? 0) - (a[PARTS] ?? 0));
if (rows.length === 0) console.log('nothing was allocated');
for (const [site, bytes] of rows) {
  const grows = bytes.every((n, i) => i === 0 || n > (bytes[i - 1] ?? 0));
  console.log(`${bytes.map((n) => String(n).padStart(8)).join('')}  ${site}${grows ? '   <- grows and grows' : ''}`);
}

function note(index: number): void {
  for (const bytes of growth.values()) bytes[index] = 0;
  for (const { site, size } of live.values()) {
    const bytes = growth.get(site) ?? Array.from({ length: PARTS + 1 }, () => 0);
    growth.set(site, bytes);
    bytes[index] = (bytes[index] ?? 0) + size;
  }
}
