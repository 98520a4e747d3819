/**
 * Addresses at which the engine stops before it executes what is there. Code elsewhere does not know of
 * them: translation ends blocks in front of such an address and no block starts there, so generated code that gets
 * there looks the address up in the block table, finds nothing and comes to JavaScript. Where registers are tested
 * first, a block does start there, with the test.
 */
import type { RegisterTest } from '../ir/registerTest.js';
import type { Translator } from '../x86/translate.js';
import type { Hooks } from './instrumentation.js';

/** Translated code: can give up what lies around an address. */
interface CodeHolder {
  /** Drops all code that contains the address, begins there or ends there. */
  dropAround(address: number): void;
}

export class Breakpoints {
  private addresses: ReadonlySet<number> = new Set();
  /** Where it stops if registers are so. */
  private tests: ReadonlyMap<number, RegisterTest> = new Map();
  /** Where it always stops: all who share code have the same. */
  private hooks: ReadonlySet<number> = new Set();
  /** Hooks and looks that others who share code do not have. */
  private changing: ReadonlySet<number> = new Set();
  /** Where a handler has a look, and perhaps stops it. */
  private looks: ReadonlySet<number> = new Set();

  /** `holders` are told in order. With `origin`: what they hold was made for its addresses. */
  constructor(
    private readonly translator: Translator,
    private readonly holders: readonly CodeHolder[],
    origin?: Breakpoints,
  ) {
    if (origin === undefined) return;
    ({ addresses: this.addresses, tests: this.tests, hooks: this.hooks, changing: this.changing, looks: this.looks } = origin);
    this.setBoundaries();
  }

  get any(): boolean {
    return this.addresses.size + this.tests.size > 0;
  }

  has(address: number): boolean {
    return this.addresses.has(address) || this.hooks.has(address);
  }

  /**
   * Whether a run that begins there executes what is there. A hook has to be passed on purpose: a slice of time may
   * have ended in front of it by chance.
   */
  isPassed(address: number, passesHook: boolean): boolean {
    return this.hooks.has(address) || this.looks.has(address) ? passesHook : this.addresses.has(address) || this.tests.has(address);
  }

  /** Whether one lies in [start, end]: code that ends in front of one has been made for it. */
  anyIn(start: number, end: number): boolean {
    return someIn(this.addresses, start, end) || someIn(this.tests, start, end) || someIn(this.changing, start, end);
  }

  set(addresses: ReadonlySet<number>): void {
    const before = this.addresses;
    this.addresses = addresses;
    this.setBoundaries();
    for (const address of addresses) if (!before.has(address)) this.changed(address);
    // What had to end there can now be longer.
    for (const address of before) if (!addresses.has(address)) this.changed(address);
  }

  /** An address that is a breakpoint as well is nothing else. */
  setTests(tests: ReadonlyMap<number, RegisterTest>): void {
    const before = this.tests;
    this.tests = tests;
    this.setBoundaries();
    for (const [address, test] of tests) if (before.get(address) !== test) this.changed(address);
    for (const address of before.keys()) if (!tests.has(address)) this.changed(address);
  }

  setHooks({ addresses, changing, looks, key }: Hooks): void {
    const before = [this.hooks, this.looks] as const;
    this.hooks = addresses;
    this.changing = key === undefined ? new Set([...addresses, ...changing, ...looks]) : changing;
    this.looks = looks;
    this.setBoundaries();
    [this.hooks, this.looks].forEach((now, i) => {
      const old = before[i] as ReadonlySet<number>;
      for (const address of now) if (!old.has(address)) this.changed(address);
      for (const address of old) if (!now.has(address)) this.changed(address);
    });
  }

  private setBoundaries(): void {
    const all = new Set([...this.addresses, ...this.tests.keys(), ...this.hooks, ...this.looks]);
    this.translator.tests = this.tests.size > 0 ? this.tests : undefined;
    this.translator.boundaries = all.size > 0 ? all : undefined;
  }

  private changed(address: number): void {
    for (const holder of this.holders) holder.dropAround(address);
  }
}

/** There may be thousands of addresses, and blocks are short. */
function someIn(addresses: Pick<ReadonlySet<number>, 'has' | 'size' | 'keys'>, start: number, end: number): boolean {
  if (addresses.size > end - start) {
    for (let address = start; address <= end; address++) if (addresses.has(address)) return true;
    return false;
  }
  for (const address of addresses.keys()) if (address >= start && address <= end) return true;
  return false;
}
