/** All address spaces, tasks and mapped files of a recording at one time, and how events change them. */
import { assert } from '../../base/assert.js';
import { UserError } from '../../base/errors.js';
import { RBP, RDI } from '../../layout/cpuState.js';
import { GUEST_SPACE_SIZE } from '../../layout/memoryMap.js';
import { SharedObjects } from '../../linux/memory/sharedObjects.js';
import { VirtualClock } from '../../linux/tasks/virtualClock.js';
import { Engine } from '../../machine/engine.js';
import type { EngineOptions } from '../../machine/engineOptions.js';
import { giveAnswer, type HookAnswer, type HookHandler, showAndHide } from '../../machine/hooks.js';
import { type Instrumentation, PLAIN } from '../../machine/instrumentation.js';
import { forkMachine, type Machine, MachinePool } from '../../machine/machinePool.js';
import { BadAddress } from '../../machine/addressSpace.js';
import type { Mapping } from '../../machine/mapping.js';
import { SpaceHashers } from '../../machine/snapshots/hashSpace.js';
import type { PageStore } from '../../machine/snapshots/pageStore.js';
import type { Effect, Note, RecordedMapping } from '../log/effects.js';
import { HookAnswerQueue } from '../log/hookAnswers.js';
import { differenceFrom, type Input } from '../log/inputs.js';
import { LogError } from '../log/logReader.js';
import { Divergence, impossibleEffect, wrongInput } from './divergence.js';
import { type BlobSource, type ObjectFacts, PlayedObject } from './playedObject.js';
import { PlayedSpace, PlayedTask } from './playedSpace.js';
import type { SpaceState, TaskFacts, WorldState } from './worldState.js';

export interface PlayedWorldOptions {
  readonly blobs: BlobSource;
  readonly engine: EngineOptions;
  /** Seconds of the guest's monotonic clock when the run began: rdtsc counts from there. */
  readonly startSeconds: number;
  /** Where address spaces come from. Default: they are made. */
  readonly machines?: MachinePool;
  /** One of the same kind, to share translations with. */
  readonly engineLike?: Engine | undefined;
  /** What an analysis wants of all engines, but for breakpoints, tests and watched memory: these are questions. */
  readonly instrumentation?: Instrumentation | undefined;
  /** Milliseconds, for statistics only. */
  readonly now?: () => number;
}

/** What engines are to stop at. */
export type Questions = Pick<Instrumentation, 'breakpoints' | 'tests' | 'watched'>;

export const NO_QUESTIONS: Questions = { breakpoints: PLAIN.breakpoints, tests: PLAIN.tests, watched: PLAIN.watched };

/** Told of what people may want to know, when it happens. */
export type NoteListener = (note: Note, time: number) => void;

export class PlayedWorld {
  /** Another one from the time on when another owner moves it. */
  clock: VirtualClock;
  readonly spaces = new Map<number, PlayedSpace>();
  readonly tasks = new Map<number, PlayedTask>();
  readonly objects = new Map<number, PlayedObject>();
  /** What is known of the tasks of all times so far, by number. */
  readonly threads = new Map<number, TaskFacts>();
  /** Who runs. */
  current: PlayedTask | undefined;
  onNote: NoteListener | undefined;
  private readonly machines: MachinePool;
  private readonly sharedObjects = new SharedObjects();
  private readonly hashers = new SpaceHashers();
  /** What `expectHooks` was told. */
  hookAnswers: Uint8Array | undefined;
  private hookQueue: HookAnswerQueue | undefined;
  /** Told of what functions with hooks do, right before it is done: while code runs, so it may only listen. */
  onHookAnswer: ((answer: HookAnswer, space: PlayedSpace, time: number) => void) | undefined;
  /** Instructions that are not those of the engine that runs: with its own they are the time. */
  ofOthers = 0;
  private readonly hookHandler: HookHandler = {
    call: (_at, instructions) => this.standIn(instructions), make: (_at, instructions) => this.standIn(instructions, true), look: () => true, point: (_at, instructions) => this.point(instructions),
  };
  /** What is executed has been executed before (Player.runTo): an observer need not be told again. */
  isRepeating = false;
  private anyEngine: Engine | undefined;
  private questions = NO_QUESTIONS;
  /** Of all engines. */
  private instrumentation: Instrumentation;

  constructor(private readonly options: PlayedWorldOptions) {
    this.machines = options.machines ?? new MachinePool();
    const start = (): { seconds: number; nanoseconds: number } => ({ seconds: options.startSeconds, nanoseconds: 0 });
    this.clock = new VirtualClock({ realtime: start, monotonic: start, boottime: start });
    this.instrumentation = this.instrumentationFor(options.instrumentation ?? PLAIN);
  }

  get currentSpace(): PlayedSpace | undefined {
    return this.current === undefined ? undefined : this.spaces.get(this.current.space);
  }

  applyAll(effects: readonly Effect[], time: number): void {
    for (const effect of effects) {
      try {
        this.apply(effect, time);
      } catch (error) {
        throw impossibleEffect(error, effect.op, time);
      }
    }
  }

  /** Makes an address space if it is not there. */
  space(id: number): PlayedSpace {
    return this.spaces.get(id) ?? this.addSpace(id, this.takeMachine(), (machine) => this.newEngine(machine));
  }

  /** What engines are to stop at. */
  setQuestions(questions: Questions): void {
    this.questions = questions;
    this.instrumentAll({ ...this.instrumentation, ...questions });
  }

  /** What an analysis wants of all engines from now on; breakpoints and watched memory are those of the questions. */
  instrument(value: Instrumentation): void {
    this.instrumentAll(this.instrumentationFor(value));
  }

  /** From now on engines log what code executes, in all processes; undefined: not any more. */
  observe(observation: Instrumentation['observation']): void {
    this.instrumentAll({ ...this.instrumentation, observation });
  }

  private instrumentAll(value: Instrumentation): void {
    this.instrumentation = value;
    for (const { engine } of this.spaces.values()) engine.instrument(value);
  }

  /** What hooks in the program's code did comes from the recording; at places of the analysis its own handler looks. */
  private instrumentationFor(value: Instrumentation): Instrumentation {
    const { handler } = value.hooks;
    const look = handler === undefined ? this.hookHandler.look : (at: number): boolean => handler.look(at);
    return { ...value, ...this.questions, hooks: { ...value.hooks, handler: { ...this.hookHandler, look } } };
  }

  /** What functions with hooks do from now on; those calls before `from` are behind us. */
  expectHooks(answers: Uint8Array | undefined, from = 0): void {
    this.hookAnswers = answers;
    this.hookQueue = answers === undefined ? undefined : new HookAnswerQueue(answers, from);
  }

  private standIn(engineInstructions: number, isCounted = false): boolean {
    const space = this.currentSpace;
    const machine = space?.machine;
    const time = engineInstructions + this.ofOthers;
    const answer = machine && this.hookQueue?.takeAt(time, machine.cpu.num(RDI));
    if (space === undefined || machine === undefined || answer === undefined) return false;
    this.onHookAnswer?.(answer, space, time);
    giveAnswer(machine.space, machine.cpu, isCounted ? { count: 0, ...answer } : answer);
    return true;
  }

  /** What there is to do at one time is done together; the last says what the pointer is. */
  private point(engineInstructions: number): number {
    const space = this.currentSpace;
    const machine = space?.machine;
    const time = engineInstructions + this.ofOthers;
    if (space === undefined || machine === undefined) return 0;
    let tag: number | undefined;
    for (let answer = this.hookQueue?.takeAt(time, 0); answer !== undefined; answer = this.hookQueue?.takeAt(time, 0)) {
      this.onHookAnswer?.(answer, space, time);
      showAndHide(machine.space, answer);
      tag = answer.result;
    }
    return tag === undefined ? 0 : tag - Math.floor(machine.cpu.num(RBP) / GUEST_SPACE_SIZE);
  }

  private newEngine({ linear, cpu, space }: Machine): Engine {
    const engine = this.anyEngine?.another(linear, cpu, space) ?? this.options.engineLike?.another(linear, cpu, space, this.engineOptions()) ?? new Engine(linear, cpu, space, this.engineOptions(), this.options.now);
    this.anyEngine ??= engine;
    return engine;
  }

  /** Everything as it is now. Give it back with `release` when it is not needed any more. */
  save(store: PageStore): WorldState {
    return {
      current: this.current?.id,
      clock: this.clock.position,
      threads: new Map(this.threads),
      tasks: new Map([...this.tasks].map(([id, task]) => [id, { space: task.space, words: this.wordsOf(task).slice() }])),
      objects: new Map([...this.objects].map(([id, object]) => [id, { facts: object.facts, state: object.state }])),
      spaces: new Map([...this.spaces].map(([id, space]) => [id, space.save(store)])),
    };
  }

  /** Everything as it was then. The state may be another player's, if both use the same store. */
  restore(state: WorldState, store: PageStore): void {
    for (const space of this.spaces.values()) space.shared.detach();
    this.restoreObjects(state.objects);
    for (const [id, saved] of state.spaces) this.space(id).restore(this.withOwnObjects(saved), store);
    for (const [id, space] of this.spaces) if (!state.spaces.has(id)) space.clear();
    for (const id of state.spaces.keys()) this.space(id).shared.attach();
    for (const [id, { unpublished }] of state.spaces) this.space(id).shared.unpublished = unpublished;
    this.tasks.clear();
    for (const [id, { space, words }] of state.tasks) {
      const task = new PlayedTask(id);
      task.space = space;
      task.words.set(words);
      this.tasks.set(id, task);
    }
    this.current = state.current === undefined ? undefined : this.tasks.get(state.current);
    this.clock.position = state.clock;
    for (const [id, facts] of state.threads) this.threads.set(id, facts);
  }

  /** It will not be saved or restored any more. */
  forgetHistory(): void {
    for (const space of this.spaces.values()) space.forgetHistory();
  }

  /** Another player's mappings are of its own objects: what we write there is nothing to it. */
  private withOwnObjects(saved: SpaceState): SpaceState {
    const { snapshot } = saved;
    const own = (m: Mapping): Mapping => (m.file instanceof PlayedObject ? { ...m, file: this.object(m.file.facts.object) } : m);
    const isForeign = ({ file }: Mapping): boolean => file instanceof PlayedObject && file !== this.objects.get(file.facts.object);
    if (!snapshot.mapped.mappings.some(isForeign)) return saved;
    return { ...saved, snapshot: { ...snapshot, mapped: { ...snapshot.mapped, mappings: snapshot.mapped.mappings.map(own) } } };
  }

  private restoreObjects(saved: WorldState['objects']): void {
    for (const { facts, state } of saved.values()) this.objectFor(facts).state = state;
  }

  /** There is one for each number, for ever: mappings of all times refer to it. */
  objectFor(facts: ObjectFacts): PlayedObject {
    let object = this.objects.get(facts.object);
    if (object === undefined) this.objects.set(facts.object, (object = new PlayedObject(facts, 0, this.options.blobs)));
    return object;
  }

  private wordsOf(task: PlayedTask): Uint32Array {
    return this.spaces.get(task.space)?.wordsOf(task) ?? task.words;
  }

  private takeMachine(): Machine {
    const machine = this.machines.take();
    if (machine === undefined) throw new UserError('no address space left for another process of the recording');
    return machine;
  }

  private addSpace(id: number, machine: Machine, engineFor: (machine: Machine) => Engine): PlayedSpace {
    const engine = engineFor(machine);
    engine.instrument(this.instrumentation);
    const made = new PlayedSpace(id, machine, engine, this.sharedObjects);
    this.spaces.set(id, made);
    return made;
  }

  private apply(effect: Effect, time: number): void {
    switch (effect.op) {
      case 'write':
        if (!this.space(effect.space).machine.space.poke(effect.address, effect.bytes)) throw new LogError(effect.address);
        return;
      case 'map':
        this.map(this.space(effect.space), effect.mapping);
        return;
      case 'unmap':
        this.unmap(this.space(effect.space), effect.start, effect.length);
        return;
      case 'protect': {
        const { shared, machine } = this.space(effect.space);
        shared.noteChanged();
        machine.space.protect(effect.start, effect.length, effect.prot);
        return;
      }
      case 'inCopy':
        this.space(effect.space).machine.space.setInCopy(effect.start, effect.length, effect.inCopy);
        return;
      case 'discard':
        this.space(effect.space).machine.space.discard(effect.start, effect.length);
        return;
      case 'forget':
        this.space(effect.space).machine.space.markAbsent(effect.start, effect.length);
        return;
      case 'copyPages':
        if (effect.length > GUEST_SPACE_SIZE) throw new LogError(effect.from);
        this.space(effect.space).machine.space.copyPages(effect.from, effect.to, effect.length);
        return;
      case 'copySpace':
        this.copySpace(this.space(effect.from), effect.space);
        return;
      case 'clear':
        this.space(effect.space).clear();
        return;
      case 'view': {
        const { space } = this.space(effect.space).machine;
        if (!space.hasRoomForView(effect.view)) throw new LogError(effect.view.begin);
        space.addView(effect.view);
        return;
      }
      case 'unview':
        this.space(effect.space).machine.space.removeView(effect.begin);
        return;
      case 'hooks':
        this.expectHooks(effect.answers);
        return;
      case 'stackLimit':
        this.space(effect.space).machine.space.stackLimit = effect.bytes === Number.MAX_SAFE_INTEGER ? Infinity : effect.bytes;
        return;
      case 'clean':
        this.space(effect.space).shared.flush(effect.page, 1);
        return;
      case 'object':
        this.objectFor(effect).state = { size: effect.size, pages: new Map() };
        return;
      case 'patch':
        this.patch(this.object(effect.object), effect.offset, effect.bytes);
        return;
      case 'objectSize':
        this.object(effect.object).size = effect.size;
        return;
      case 'clock':
        this.clock.advance(effect.nanoseconds);
        return;
      case 'run':
        this.current = this.setRegisters(effect.task, effect.space, effect.words);
        return;
      case 'registers':
        this.setRegisters(effect.task, effect.space, effect.words);
        return;
      case 'input':
        this.checkInput(effect, time);
        return;
      case 'hash':
        this.compare(this.space(effect.space), effect.hash, time);
        return;
      default:
        if (effect.op === 'task') this.threads.set(effect.task, effect);
        this.onNote?.(effect, time);
    }
  }

  private checkInput(input: Input, time: number): void {
    const difference = this.differenceOfInput(input);
    if (difference !== undefined) throw wrongInput(time, input, difference);
  }

  /** What a system call would read now, if it is not what was recorded. */
  differenceOfInput(input: Input): string | undefined {
    try {
      return differenceFrom(input, this.space(input.space).machine.space.view(input.address, input.length, 'read'));
    } catch (error) {
      if (error instanceof BadAddress) return differenceFrom(input, undefined);
      throw error;
    }
  }

  private compare({ machine }: PlayedSpace, wanted: string, time: number): void {
    const found = this.hashers.hash(machine.space, 'own');
    if (found !== wanted) throw new Divergence(time, `recorded memory with hash ${wanted}, found ${found}`);
  }

  private map(played: PlayedSpace, recorded: RecordedMapping): void {
    const { object, ...rest } = recorded;
    const m: Mapping = object === undefined ? rest : { ...rest, file: this.object(object) };
    if (m.shared) played.shared.note(m);
    played.machine.space.map(m);
  }

  private unmap({ machine, shared }: PlayedSpace, start: number, length: number): void {
    for (const m of machine.space.unmap(start, length)) if (m.shared) shared.noteRemoved(m);
  }

  private copySpace(from: PlayedSpace, id: number): void {
    const fork = (child: Machine): Engine => forkMachine(from.machine, from.engine, child);
    const known = this.spaces.get(id);
    if (known !== undefined) known.engine = fork(known.machine);
    (known ?? this.addSpace(id, this.takeMachine(), fork)).adoptMappings();
  }

  private setRegisters(id: number, spaceId: number, words: readonly (readonly [number, number])[]): PlayedTask {
    let task = this.tasks.get(id);
    if (task === undefined) this.tasks.set(id, (task = new PlayedTask(id)));
    const space = this.space(spaceId);
    if (task.space !== spaceId) {
      this.spaces.get(task.space)?.unload();
      task.space = spaceId;
    }
    const target = space.wordsOf(task);
    for (const [index, value] of words) target[index] = value;
    return task;
  }

  private patch(object: PlayedObject, offset: number, bytes: Uint8Array): void {
    object.writeBack(offset, bytes);
    for (const { machine } of this.spaces.values()) machine.space.fileChanged(object, offset, bytes.length);
  }

  private object(id: number): PlayedObject {
    const object = this.objects.get(id);
    if (object === undefined) throw new LogError(0);
    return object;
  }

  private engineOptions(): EngineOptions {
    assert(this.options.engine.timeStamp === undefined, 'time comes from the recording');
    return { ...this.options.engine, timeStamp: () => this.clock.timeStamp() };
  }
}
