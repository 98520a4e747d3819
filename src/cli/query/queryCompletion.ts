/** Completion at the prompt of `culprit query`: names that are there, and what a value before a dot has. */

/** Calls in a chain are not made to complete it: what traces have after them is known. */
const AFTER_CALL: Readonly<Record<string, string>> = { breakpoints: 'trace', syscalls: 'trace', watchpoints: 'trace', writers: 'trace', readers: 'trace', allCalls: 'trace', allReturns: 'trace', signals: 'trace', threads: 'trace', allocations: 'trace', atomics: 'trace', output: 'trace', getAt: 'snapshot' };
const TRACE = [
  'length', 'getAt(', 'getBefore(', 'getAfter(', 'first(', 'last(', 'count(', 'forward(', 'backward(', 'toArray(', 'toTable(', 'filter(', 'map(', 'slice(', 'takeUntil(', 'merge(', 'trailingMerge(',
  'revTrailingMerge(', 'join(', 'scan(', 'revScan(', 'tscan(', 'revTscan(', 'window(', 'windowTime(', 'distinct(', 'groupBy(',
];
const SNAPSHOT = ['time', 'readVar(', 'readArg(', 'returned', 'readRetaddrs(', 'backtrace(', 'variables(', 'registers', 'register(', 'memory(', 'threadId', 'source', 'access', 'atomic', 'after', 'of('];
const WORDS = ['await', 'const', 'let', 'for', 'function', 'async'];

export function completions(line: string): { readonly candidates: readonly string[]; readonly replaced: string } {
  const [, chain = '', word = ''] = /((?:[\w$]+(?:\([^()]*\))?\.)*)([\w$]*)$/.exec(line) ?? [];
  const all = chain === '' ? [...Object.keys(globalThis), ...WORDS] : membersOf(chain.slice(0, -1));
  return { candidates: [...new Set(all)].filter((name) => name.startsWith(word) && /^[\w$]+\(?$/.test(name)).sort(), replaced: word };
}

function membersOf(chain: string): readonly string[] {
  const steps = chain.split('.');
  const call = steps.findLast((step) => step.endsWith(')'));
  if (call !== undefined) return AFTER_CALL[call.slice(0, call.indexOf('('))] === 'snapshot' ? SNAPSHOT : TRACE;
  let value: unknown = globalThis;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null) return [];
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return typeof value === 'object' && value !== null ? namesIn(value) : [];
}

function namesIn(value: object): string[] {
  const names: string[] = [];
  for (let at: object | null = value; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (name === 'constructor') continue;
      const { value: own } = Object.getOwnPropertyDescriptor(at, name) ?? {};
      names.push(typeof own === 'function' ? `${name}(` : name);
    }
  }
  return names;
}
