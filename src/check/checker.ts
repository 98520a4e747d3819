/**
 * Runs programs on a heap that is watched to the byte (heap/heap.ts): stands in for the allocation functions of their
 * libraries, looks at faults before they become signals, and asks the rules. What it finds it hands on; whether the run
 * goes on is for others to say.
 */
import { type DebugFiles, NO_FILES } from '../debugger/program/debugFiles.js';
import { type GuestAddr, guestAddr, pageCeil } from '../base/types.js';
import { RAX, RSP } from '../layout/cpuState.js';
import type { Interceptor } from '../linux/interception.js';
import { MAP } from '../linux/memory/mmapFlags.js';
import type { ExitStatus, Process } from '../linux/process.js';
import type { SigInfo } from '../linux/signals/siginfo.js';
import { SIG } from '../base/signalNumbers.js';
import type { Task } from '../linux/tasks/task.js';
import { type AddressSpace, PROT } from '../machine/addressSpace.js';
import type { Mapping } from '../machine/mapping.js';
import { type Access, type Stop, VECTOR } from '../machine/stop.js';
import type { Check } from '../rules/analysis/precondition.js';
import type { Firing } from '../rules/evaluate/compileRule.js';
import type { Occurrence } from '../rules/evaluate/machine.js';
import type { RuleSet } from '../rules/evaluate/ruleSet.js';
import type { CheckedPoint } from '../rules/language/core.js';
import { CallRules } from './calls/callRules.js';
import { LANDINGS_AFTER, LANDINGS_AT } from './calls/openCalls.js';
import { ARGUMENTS } from './calls/arguments.js';
import { copyInPlaceOf } from './calls/copies.js';
import { CheckedSpace, EXIT, type Needs } from './checkedSpace.js';
import { crashRule, describeCrash } from './crashes/crash.js';
import type { Finding } from './findings.js';
import { type AllocationFunctions, LIBRARY_FUNCTIONS, plainName } from './functions.js';
import type { Block, Moment } from './heap/blocks.js';
import type { Heap } from './heap/heap.js';
import type { Pages } from './heap/storage.js';
import { HeapMachine } from './heapMachine.js';
import { HeapPointers } from './leaks/heapPointers.js';
import { isStackOf } from './leaks/stackEnds.js';
import { type FoundFunction, isLibraryCode, Libraries } from './libraries.js';
import { LibraryCall } from './libraryCall.js';
import { continuationOf, placeCode } from './standInCode.js';
import { RuleSwitches } from './ruleSwitches.js';
import { isOutside, tolerate } from './tolerance.js';
import { takesArgument } from './systemCalls.js';
import { ProgramSources } from './variables/programSources.js';
import { VariableSitesOfFiles } from './variables/variableSites.js';
import { Suspicions } from './suspicions/suspicions.js';

/** What is to be done about a finding: stop everything, or let the program go on as well as it can. */
export type Decision = 'stop' | 'go on';

/** Crashes come wherever they come. */
const NO_POINT: CheckedPoint = { kind: 'exit', slots: [], text: '' };

type IncompleteFinding = Omit<Finding, 'rip' | 'allocatedIn'>;

/** What a fault, or a free of something else than a live block, may be. */
const ALL_CHECKS: ReadonlySet<Check> = new Set<Check>(['null', 'freed', 'outOfBounds', 'notABlock', 'notBlockBegin', 'otherFamily']);

const UNDEFINED_VALUE: ReadonlySet<Check> = new Set<Check>(['undefinedValue']);
const UNINITIALIZED: ReadonlySet<Check> = new Set<Check>(['uninitialized']);
const WORD = 8;
const NEAR_RETURN = 0xc3;
const SIGNAL_RETURN: readonly number[] = [0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05];
/** Exceptions come to their handlers by a return. */
const UNWINDERS = /\/libgcc_s[^/]*$/;

export class Checker implements Interceptor {
  readonly codeKey: string;
  private readonly spaces = new Map<AddressSpace, CheckedSpace>();
  private readonly libraries: Libraries;
  private readonly callRules: CallRules;
  private readonly needs: Needs;
  private readonly allocators: AllocationFunctions;
  private readonly watchesLocals: boolean;
  private readonly watchesGlobals: boolean;
  private readonly variableSites: VariableSitesOfFiles;
  /** Functions of the user's that have not been found in any file. */
  readonly missingAllocators: Set<string>;

  /** When a rule has last had something to say. */
  private lastTold: Moment | undefined;

  /** To be judged when the run is over. */
  readonly suspicions = new Suspicions();
  /** Of a return that was noted: whether there is any sense in going on. */
  onStray: ((task: Task, from: number) => Decision) | undefined;
  /** Told of all that rules say, also those that are off: what they say at the same time comes together. */
  onFirings: ((findings: readonly Finding[]) => void) | undefined;

  constructor(
    private readonly rules: RuleSet,
    private readonly onFinding: (finding: Finding, task: Task) => Decision,
    /** The user's own. */
    custom: AllocationFunctions = {},
    /** Which of the rules are on at a time; all, if the caller does not say. */
    private readonly switches = new RuleSwitches(namesOf(rules), new Set(namesOf(rules))),
    /** Functions of which findings say whether it was a call of theirs that allocated the block. */
    allocatingCalls: ReadonlySet<string> = new Set(),
    /** Where sources of programs are. */
    files: DebugFiles = NO_FILES,
    heapOrder?: 'up' | 'down',
  ) {
    this.variableSites = new VariableSitesOfFiles(new ProgramSources(files));
    this.allocators = { ...LIBRARY_FUNCTIONS, ...custom };
    this.missingAllocators = new Set(Object.keys(custom));
    this.callRules = new CallRules(rules, switches.functions, allocatingCalls);
    const views = needsViews(rules);
    const tracked = new Set(rules.enabled().flatMap(({ trackers }) => trackers.map(({ kind }) => kind)));
    const looksForPointers = tracked.has('pointerMap') || tracked.has('reachability');
    this.watchesLocals = views && tracked.has('stackBlocks');
    this.watchesGlobals = tracked.has('globalBlocks');
    const { calls, returns } = this.callRules;
    const landings = returns.size > 0 || this.watchesLocals ? [...LANDINGS_AFTER, ...LANDINGS_AT] : [];
    const watched = new Set([...calls, ...returns, ...switches.functions, ...landings, ...(looksForPointers ? [EXIT] : [])]);
    const shadow = needsUnwritten(rules) ? { stopsAtReads: rules.needs('read').checks.has('uninitialized') } : undefined;
    const kinds = [...(this.watchesLocals ? ['locals'] : []), ...(this.watchesGlobals ? ['globals'] : []), ...(shadow === undefined ? [] : ['unwritten'])];
    this.codeKey = [...[...watched].map((name) => (this.callRules.quickTest(name) === undefined ? `${name}!` : name)), ...Object.keys(custom), ...kinds].sort().join();
    const checksReturns = rules.needs('ret').checks.has('returnAddressChanged');
    this.needs = { views, everyFree: rules.needs('free').always, allocatingCalls, codeKey: this.codeKey, checksReturns, shadow, heapOrder };
    this.libraries = new Libraries({ replaced: new Set(Object.keys(LIBRARY_FUNCTIONS)), custom: new Set(Object.keys(custom)), watched });
  }

  programStarted(process: Process): void {
    const { space } = process;
    const checked = new CheckedSpace(process, pagesOf(process), this.callRules, this.needs);
    this.spaces.set(space, checked);
    space.onRefused = (address, access) => this.refused(process.world.acting, address, access);
    if (this.needs.views) space.expectViews();
    checked.places.prepare(process);
    checked.instrument(process);
    space.onCodeMapped = (m) => this.codeMapped(process, checked, m);
    // A copy: what we map meanwhile moves those behind it.
    for (const m of [...space.mappings()]) if (m.file !== undefined && (m.prot & PROT.EXEC) !== 0) this.codeMapped(process, checked, m);
  }

  forked(maker: Process, child: Process): void {
    const from = this.spaces.get(maker.space);
    if (from === undefined || child.space === maker.space) return;
    const checked = new CheckedSpace(child, pagesOf(child), this.callRules, this.needs, from);
    this.spaces.set(child.space, checked);
    child.space.onRefused = (address, access) => this.refused(child.world.acting, address, access);
    child.space.onCodeMapped = (m) => this.codeMapped(child, checked, m);
    checked.instrument(child);
  }

  threadEnded(task: Task, memoryLives: boolean): void {
    this.spaces.get(task.process.space)?.stacks.threadEnded(task, memoryLives);
  }

  returnedAstray(task: Task, { from }: Stop & { kind: 'astray' }): void {
    const { cpu, space, world, pid } = task.process;
    if (UNWINDERS.test(space.find(from)?.name ?? '') || isSignalReturn(space, cpu.rip) || this.spaces.get(space)?.indirect.landings.has(cpu.rip) === true) return;
    const slot = guestAddr(cpu.num(RSP) - WORD);
    this.suspicions.note({ kind: 'return', time: world.instructions - 1, tid: task.tid, pid, rip: from, slot });
    this.onStray?.(task, from);
  }

  usedUndefined(task: Task, stop: Stop & { kind: 'undefined' }): void {
    const { use, value, bits, origin } = stop;
    if (use === 'read') return void this.ask(task, { kind: 'read', pointer: value, size: 1 }, momentOf(task, ''), {}, UNINITIALIZED);
    if (use === 'syscall' && !takesArgument(task.process.cpu.lo(RAX), stop.arguments?.[0] ?? 0)) return;
    const from = stop.from && { ...stop.from, time: task.process.world.timeOf(stop.from.instructions) };
    const machine = this.machineFor(task.process);
    const occurrence: Occurrence = { kind: 'use', use, value, undefinedBits: bits, from: BigInt(origin) };
    const firings = machine === undefined ? [] : this.rules.fire(machine, occurrence, UNDEFINED_VALUE);
    const moment = momentOf(task, '');
    this.tell(task, firings, (firing) => ({ firing, occurrence, moment, isKernels: false, origin, from, block: this.heapOf(task.process)?.blocks.of(origin) }));
  }

  /** An address that is none cannot be returned to. */
  trapped(task: Task, { vector }: Stop & { kind: 'trap' }): boolean {
    const { cpu, space, world, pid } = task.process;
    if (vector === VECTOR.BR) return this.leftVariable(task);
    if (vector !== VECTOR.GP || !this.needs.checksReturns) return false;
    const code = space.peek(cpu.rip, 1);
    if (code?.[0] !== NEAR_RETURN) return false;
    const slot = guestAddr(cpu.num(RSP));
    this.suspicions.note({ kind: 'return', time: world.instructions, tid: task.tid, pid, rip: cpu.rip, slot });
    return false;
  }

  /** An access that names a variable is not in it. */
  private leftVariable(task: Task): boolean {
    const { process } = task;
    const checked = this.spaces.get(process.space);
    const moment = momentOf(task, '');
    const escape = checked?.bounds.escapeOf(process, moment);
    if (checked === undefined || escape === undefined) return false;
    const { kind, pointer, block } = escape;
    if (this.ask(task, { kind, pointer, size: 1 }, moment, { block }) === 'stop') return true;
    checked.bounds.allow(process.cpu.rip);
    checked.instrument(process);
    return true;
  }

  called(task: Task, at: GuestAddr): void {
    const { process } = task;
    const checked = this.spaces.get(process.space);
    if (checked === undefined || (checked.returns.has(at) && this.returned(task, checked, at) === 'stop')) return;
    const { indirect } = checked;
    const resolver = checked.resolvers.get(at);
    if (resolver !== undefined) return this.hooksChanged(process, checked, indirect.resolving(process, resolver));
    if (indirect.landings.has(at)) return this.hooksChanged(process, checked, indirect.resolved(process, at));
    const entry = indirect.entries.get(at);
    if (entry !== undefined) process.cpu.rip = guestAddr(entry.target);
    // Most come here only because they copy what has not been written.
    if (entry !== undefined && !checked.mayBreakRule(entry.name) && copyInPlaceOf(entry.name, process)) return;
    const replaced = checked.replaced.get(at);
    const names = entry !== undefined ? [entry.name] : replaced !== undefined ? [plainName(replaced)] : checked.watchedAt(at);
    if (names.includes(EXIT)) checked.stacks.leaves(task);
    for (const name of names) if (this.switches.functions.has(name)) this.switches.called(name, process.world.instructions);
    if (this.entered(task, checked, names) === 'stop' || (entry !== undefined && copyInPlaceOf(entry.name, process)) || replaced === undefined) return;
    this.standIn(task, checked, replaced);
  }

  private standIn(task: Task, checked: CheckedSpace, name: string): void {
    const { heap, errno } = checked;
    const action = this.allocators[name];
    if (action === undefined) return;
    const { cpu, space } = task.process;
    const moment = { ...momentOf(task, plainName(name)), isLibrarys: isLibraryCode(space.find(space.readNum64(cpu.num(RSP)))) };
    const ask = (pointer: bigint): Decision => this.ask(task, { kind: 'free', pointer, by: moment.by }, moment) ?? 'go on';
    new LibraryCall(task.process, heap, moment, { ask, asksAlways: this.needs.everyFree }, errno).answer(action.does === 'allocate' && checked.hasStrictAlignment(name) ? { ...action, isStrict: true } : action);
  }

  /**
   * A function that rules name is about to be executed. What libraries call themselves is right, except that they may
   * have been given what has not been written, or what does not end.
   */
  private entered(task: Task, checked: CheckedSpace, names: readonly string[]): Decision {
    const { calls, returns } = this.callRules;
    const { cpu, space } = task.process;
    const seen = names.filter((name) => calls.has(name) || returns.has(name) || LANDINGS_AFTER.includes(name) || LANDINGS_AT.includes(name));
    const slot = cpu.num(RSP);
    const returnsTo = seen.length === 0 || space.peek(slot, 8) === null ? undefined : space.readNum64(slot);
    if (returnsTo === undefined) return 'go on';
    if (isLibraryCode(space.find(returnsTo)) || checked.isJumpedTo(space, cpu.rip, returnsTo)) return this.enteredByLibrary(task, seen);
    if (seen.some((callee) => LANDINGS_AT.includes(callee))) {
      checked.open.landed(slot);
      landed(task, checked, slot);
    }
    const returning = seen.filter((callee) => returns.has(callee));
    if (returning.length > 0) checked.open.begin({ callees: returning, slot, returnsTo, tid: task.tid, began: task.process.world.instructions, blocksBefore: checked.heap.blocks.made });
    if (returning.length > 0 || seen.some((callee) => LANDINGS_AFTER.includes(callee))) this.stopAt(task.process, checked, returnsTo);
    return this.callTo(task, checked, seen.filter((callee) => calls.has(callee)));
  }

  private enteredByLibrary(task: Task, names: readonly string[]): Decision {
    const args = ARGUMENTS.map((slot) => task.process.cpu.big(slot));
    const isStopped = names.some((callee) => this.askAbout(task, { kind: 'call', callee, args }, this.callRules.aboutContents(callee)) === 'stop');
    return isStopped ? 'stop' : 'go on';
  }

  /**
   * A call of a function, by all of its names. It becomes part of the past when all rules have been asked: none finds
   * the call itself there, nor by another name.
   */
  private callTo(task: Task, { history }: CheckedSpace, callees: readonly string[]): Decision {
    const args = ARGUMENTS.map((slot) => task.process.cpu.big(slot));
    const time = BigInt(task.process.world.instructions);
    const isStopped = callees.some((callee) => this.askAbout(task, { kind: 'call', callee, args }) === 'stop');
    for (const callee of callees) history.note({ kind: 'call', callee, args, time });
    return isStopped ? 'stop' : 'go on';
  }

  /** The program is at an address that a call returns to. */
  private returned(task: Task, checked: CheckedSpace, at: number): Decision {
    const { cpu, world } = task.process;
    landed(task, checked, cpu.num(RSP));
    const call = checked.open.end(at, cpu.num(RSP));
    if (call === undefined) return 'go on';
    const { callees } = call;
    const value = cpu.big(RAX);
    const isStopped = callees.some((callee) => this.askAbout(task, { kind: 'ret', callee, value }) === 'stop');
    for (const callee of callees) checked.history.note({ kind: 'ret', callee, value, time: BigInt(world.instructions) });
    checked.allocating.returned(call, world.instructions, checked.heap.blocks.made);
    return isStopped ? 'stop' : 'go on';
  }

  private askAbout(task: Task, occurrence: Occurrence & { kind: 'call' | 'ret' }, rules = this.callRules.at(occurrence.kind, occurrence.callee)): Decision {
    const machine = rules.length === 0 ? undefined : this.machineFor(task.process);
    if (machine === undefined) return 'go on';
    const asked = this.onFirings === undefined ? rules.filter(({ rule }) => this.switches.isOn(rule.name, task.process.world.instructions)) : rules;
    const firings = asked.flatMap((rule) => rule.evaluate(machine, occurrence) ?? []);
    const moment = momentOf(task, occurrence.callee);
    // We know of a return when it has happened.
    const then = occurrence.kind === 'ret' ? { ...moment, time: moment.time - 1 } : moment;
    return this.tell(task, firings, (firing) => this.about(task, firing, occurrence, then)) ?? 'go on';
  }

  private stopAt(process: Process, checked: CheckedSpace, address: number): void {
    const { returns } = checked;
    if (returns.has(address)) return;
    returns.add(address);
    checked.instrument(process);
  }

  private hooksChanged(process: Process, checked: CheckedSpace, haveChanged: boolean): void {
    if (haveChanged) checked.instrument(process);
  }

  faulted(task: Task, { address, access }: Stop & { kind: 'pageFault' }): boolean {
    const { process } = task;
    const block = this.blockOf(process, Number(address));
    // Who has a handler may have meant it, unless it is about the heap.
    if (access === 'execute' || (block === undefined && process.signals.catches(SIG.SEGV))) return false;
    const decision = this.ask(task, { kind: access, pointer: address, size: 1 }, momentOf(task, ''));
    if (decision === undefined) return block !== undefined && isOutside(block, Number(address)) && tolerate(process.space, block, Number(address));
    for (const hidden of this.spaces.get(process.space)?.locals.takeHidden() ?? []) process.space.witness?.unviewing(process.space, hidden);
    return decision === 'stop' || (block !== undefined && tolerate(process.space, block, Number(address)));
  }

  /** A system call of the program's needs memory that it cannot have. */
  private refused(process: Process | undefined, address: number, access: Access): boolean {
    const block = process && this.blockOf(process, address);
    if (process === undefined || block === undefined || access === 'execute' || process.exitStatus !== undefined) return false;
    const { task } = process;
    process.machine.load(task);
    const decision = this.ask(task, { kind: access, pointer: BigInt(address), size: 1 }, momentOf(task, ''), { isKernels: true });
    return decision !== 'stop' && tolerate(process.space, block, address);
  }

  /** What rules have had something to say about is no crash besides. */
  killed(task: Task, info: SigInfo, stop: Stop | undefined): void {
    const moment = momentOf(task, '');
    const described = describeCrash(task, info, stop);
    if (described === undefined || (this.lastTold?.time === moment.time && this.lastTold.tid === moment.tid)) return;
    const { crash, message, access } = described;
    const locators = crash.blamed === undefined ? [] : [{ text: `VPC(${crash.blamed})`, value: crash.address ?? 0n }];
    const firing: Firing = { rule: crashRule(crash), severity: 'error', message, point: NO_POINT, variables: [], locators };
    const block = access === undefined ? undefined : this.blockOf(task.process, Number(access.pointer));
    const finding = this.completed(task, { firing, occurrence: access ?? { kind: 'crash' }, moment, isKernels: false, block, crash });
    this.onFirings?.([finding]);
    this.onFinding(finding, task);
  }

  /** A process has ended, with its memory still there. */
  ended(process: Process, status: ExitStatus): void {
    const { leader } = process;
    const occurrence: Occurrence = { kind: 'exit', status: BigInt(status.kind === 'exited' ? status.code : 128 + status.signal) };
    const machine = this.machineFor(process);
    if (machine === undefined) return;
    const moment = momentOf(leader, '');
    for (const firing of this.rules.fireAll(machine, occurrence)) this.tell(leader, [firing], () => this.about(leader, firing, occurrence, moment));
  }

  private heapOf(process: Process): Heap | undefined {
    return this.spaces.get(process.space)?.heap;
  }

  private blockOf({ space }: Process, address: number): Block | undefined {
    const checked = this.spaces.get(space);
    return checked?.heap.blocks.of(address) ?? checked?.locals.of(address) ?? checked?.globals.of(address);
  }

  private machineFor(process: Process): HeapMachine | undefined {
    const checked = this.spaces.get(process.space);
    return checked && new HeapMachine(checked, process.space, process.world.instructions, () => new HeapPointers(process, checked.heap, checked.stacks, checked.threadPlaces), this.allocators);
  }

  /** What the first rule that fires comes to; undefined if there is none. */
  private ask(task: Task, occurrence: Occurrence, moment: Moment, about: { readonly isKernels?: boolean; readonly block?: Block } = {}, failed = ALL_CHECKS): Decision | undefined {
    const machine = this.machineFor(task.process);
    if (machine === undefined) return undefined;
    machine.subject = about.block;
    return this.tell(task, this.rules.fire(machine, occurrence, failed), (firing) => this.about(task, firing, occurrence, moment, about));
  }

  private about(task: Task, firing: Firing, occurrence: Occurrence, moment: Moment, { isKernels = false, block }: { readonly isKernels?: boolean; readonly block?: Block } = {}): IncompleteFinding {
    return { firing, occurrence, moment, isKernels, ...(block === undefined ? this.subjectOf(task.process, firing, occurrence) : { block }) };
  }

  /** Of what rules say at the same time, the first of those that are on is a finding. */
  private tell(task: Task, firings: readonly Firing[], about: (firing: Firing) => IncompleteFinding): Decision | undefined {
    if (firings.length > 0) this.onFirings?.(firings.map((firing) => this.completed(task, about(firing))));
    const first = firings.find(({ rule }) => this.switches.isOn(rule, task.process.world.instructions));
    if (first !== undefined) this.lastTold = momentOf(task, '');
    return first && this.onFinding(this.completed(task, about(first)), task);
  }

  private completed(task: Task, { block, ...rest }: IncompleteFinding): Finding {
    const { space, cpu } = task.process;
    const checked = this.spaces.get(space);
    const allocatedIn = (block && checked?.allocating.namesAt(block.allocated, checked.open.all())) ?? [];
    return { ...rest, rip: cpu.rip, block: block && { ...block }, allocatedIn };
  }

  /** The block that it is about, and the pointer into it, where the occurrence does not have that. */
  private subjectOf(process: Process, firing: Firing, occurrence: Occurrence): Pick<Finding, 'block' | 'pointer'> {
    if ('pointer' in occurrence) return { block: this.blockOf(process, Number(occurrence.pointer)) };
    const named = firing.variables.find(({ sort }) => sort === 'block')?.value;
    if (typeof named === 'bigint') return { block: this.heapOf(process)?.blocks.numbered(Number(named)) };
    for (const { value } of firing.locators) {
      const pointer = Number(value);
      const block = this.blockOf(process, pointer);
      if (block !== undefined) return { block, pointer };
    }
    return { block: undefined };
  }

  private codeMapped(process: Process, checked: CheckedSpace, m: Mapping): void {
    if (this.watchesLocals || this.watchesGlobals) this.variablesMapped(process, checked, m);
    const found = this.libraries.functionsIn(m);
    if (found.length === 0) return;
    checked.add(found);
    for (const f of found) if (f.role === 'replaced') this.putHook(process, checked, f);
    for (const { name } of found) this.missingAllocators.delete(name);
    checked.instrument(process);
  }

  /** From now on functions get other addresses of their variables, and what leaves one is noticed. */
  private variablesMapped(process: Process, checked: CheckedSpace, m: Mapping): void {
    const { pointers, allocations, returns, bounds, globals, globalPointers } = this.variableSites.in(m);
    if (this.watchesLocals) {
      for (const [at, { byte }] of [...pointers, ...allocations]) process.space.poke(at, Uint8Array.of(byte));
      checked.locals.add({ pointers, allocations, returns });
    }
    if (this.watchesGlobals) checked.globals.add(globals);
    if (this.watchesGlobals && this.needs.views) checked.globals.move(process, globalPointers);
    checked.addBounds(new Map([...bounds].filter(([, { kind }]) => (kind === 'frame' ? this.watchesLocals : this.watchesGlobals))));
    if (pointers.size + allocations.size + bounds.size > 0) checked.instrument(process);
  }

  /** From now on calls of the function come to us from the middle of the program's code. */
  private putHook(process: Process, { quick, replaced, places }: CheckedSpace, { address, size }: FoundFunction): void {
    const symbol = replaced.get(address);
    const does = symbol === undefined ? undefined : this.allocators[symbol];
    if (symbol === undefined || does === undefined || quick.standsInAt(address)) return;
    const name = plainName(symbol);
    const standIn = { name, does, mayBreakRule: this.callRules.quickTest(name) };
    const code = placeCode(process.space, size, continuationOf(does), () => places.take(process));
    if (code === undefined || !process.space.poke(address, code.entry)) return;
    quick.standIn(address, standIn, code.finish);
  }
}

/** Rules about freeing, and about what is left at the end, need not know who accesses what. */
function needsViews(rules: RuleSet): boolean {
  return rules.enabled().some(({ points }) => points.some(({ point }) => point.kind !== 'free' && point.kind !== 'exit'));
}

/** Whether a rule wants to know which bytes have been written, or which values are defined. */
function needsUnwritten(rules: RuleSet): boolean {
  return rules.trackers().some(({ kind }) => kind === 'initializedBytes' || kind === 'definedValues');
}

/** Where handlers of signals return to: mov rax, 15; syscall. */
function isSignalReturn(space: AddressSpace, address: number): boolean {
  return space.peek(address, SIGNAL_RETURN.length)?.every((byte, i) => byte === SIGNAL_RETURN[i]) === true;
}

/** The stack of a task is that high, perhaps because of a jump past functions that have not returned. */
function landed(task: Task, { locals }: CheckedSpace, stack: number): void {
  const m = task.process.space.find(stack);
  if (m !== undefined && isStackOf(m, task, stack)) locals.landed(m.start, stack);
}

function momentOf(task: Task, by: string): Moment {
  return { time: task.process.world.instructions, tid: task.tid, pid: task.process.pid, by };
}

function pagesOf(process: Process): Pages {
  return {
    map(length) {
      const address = process.memory.mmap({ address: 0, length: pageCeil(length), prot: PROT.READ | PROT.WRITE, flags: MAP.PRIVATE | MAP.ANONYMOUS, offset: 0 }, null);
      return address < 0 ? undefined : address;
    },
    unmap: (address, length) => void process.memory.munmap(address, length),
  };
}

function namesOf({ rules }: RuleSet): string[] {
  return rules.map(({ rule }) => rule.name);
}
