/**
 * From names to addresses. Traces are made without running anything, so names are looked up when a script asks for the
 * first item: code of the program itself where it starts, all else where main begins, since all libraries that the
 * program is linked with are there then. What is not there is looked for after every later loading of a file. The
 * recording says when that was.
 */
import { UserError } from '../../base/errors.js';
import { type GuestAddr, guestAddr } from '../../base/types.js';
import { type CodeLocation, LocationNotFound } from '../../debugger/program/location.js';
import { type LoadedModule, ModuleList } from '../../debugger/program/modules.js';
import type { ProgramView } from '../../debugger/program/programView.js';
import { placesIn, resolveLocation } from '../../debugger/program/resolveLocation.js';
import { Symbols } from '../../debugger/program/symbols.js';
import { STT } from '../../elf/elfSymbols.js';
import { at, type Position } from '../../replay/log/position.js';
import { indirectJumpsIn, jumpsOutOf, returnsIn } from '../../x86/returns.js';
import type { LogFacts } from '../../replay/describe/loggedFacts.js';
import { type MemoryRange, memoryRange } from '../../replay/timeline/conditions.js';
import type { Moment, Scene, View } from './scene.js';
import { Value } from './value.js';

/** Instructions between two loadings that do not belong together. */
const LONG_AFTER = 2_000_000;
const MOST_JUMPS = 3;

export class Places {
  private beginning: Position | undefined;

  constructor(
    private readonly scene: Scene,
    private readonly facts: LogFacts,
    /** The execution begins after that: what is loaded then is there from its start on. */
    private readonly isPastMain = false,
  ) {}

  /**
   * `foo`, `file.c:12`, `*0x401136`: in the program, or else in any library. Throws a UserError if it is never there.
   */
  code(text: string): readonly CodeLocation[] {
    return this.fromTheStart(text) ?? this.firstThat(({ program }) => {
      try {
        // Libraries may have much debug information, which takes long to be looked through.
        const own = placesIn(text, withoutLibraries(program));
        return own.length > 0 ? own : resolveLocation(text, { program });
      } catch (error) {
        if (error instanceof LocationNotFound) return error;
        throw error;
      }
    });
  }

  /** Those of `code`. */
  addresses(text: string): readonly GuestAddr[] {
    return this.code(text).map(({ address }) => guestAddr(Number(address)));
  }

  /**
   * The program's own code is there before anything runs, and debug information says all about it: nothing has to be
   * replayed to main.
   */
  private fromTheStart(text: string): readonly CodeLocation[] | undefined {
    const { program } = this.scene.at({ position: this.scene.playing.start, task: undefined });
    const own = placesIn(text, withoutLibraries(program));
    return own.length > 0 && own.every(({ scope }) => scope !== undefined) ? own : undefined;
  }

  /** The very first instructions of functions of that name in all modules; none if there is no such function. */
  entries(name: string): readonly GuestAddr[] {
    const { program } = this.scene.at(this.atMain);
    return program.symbols.named(name).flatMap(({ kind, size, address }) => {
      return kind === 'function' && size > 0 ? [guestAddr(Number(address))] : [];
    });
  }

  /**
   * Where the function that `text` names returns, or may leave for another one that returns in its place
   * (`indirectJumps`).
   */
  exits(text: string): readonly GuestAddr[] {
    return [...this.ends(text), ...this.indirectJumps(text).keys()];
  }

  /** Where it returns. */
  ends(text: string): readonly GuestAddr[] {
    return [...this.functionsOf(text)].flatMap(([start, size]) => this.returns(start, size));
  }

  /** Jumps that leave the function only if they lead out of it, with its range. */
  indirectJumps(text: string): ReadonlyMap<GuestAddr, MemoryRange> {
    return new Map([...this.functionsOf(text)].flatMap(([start, size]) => {
      return indirectJumpsIn(this.bytes(start, size), start).map((jump) => [jump, memoryRange(start, size)] as const);
    }));
  }

  private functionsOf(text: string): ReadonlyMap<GuestAddr, number> {
    const functions = new Map(this.addresses(text).map((address) => this.functionAround(address)));
    // A function that ends with a jump to another one returns there.
    for (let depth = 0; depth < MOST_JUMPS; depth++) {
      for (const [start, size] of [...functions]) {
        for (const target of jumpsOutOf(this.bytes(start, size), start)) functions.set(...this.functionAround(target));
      }
    }
    return functions;
  }

  /** A variable, or another expression that is somewhere in memory, where main begins. */
  memory(expression: string): MemoryRange {
    return this.firstThat((_view, moment) => {
      try {
        const where = { moment, frame: 0, expressions: () => this.scene.at(moment).expressions(0) };
        const { address, length } = new Value(where, (there) => there.evaluate(expression), expression).range;
        return memoryRange(guestAddr(address), length);
      } catch (error) {
        if (error instanceof UserError) return error;
        throw error;
      }
    });
  }

  /** Entries and returns of all functions of some modules. */
  functions(
    isWanted: (module: LoadedModule, isMain: boolean) => boolean,
  ): { readonly entries: readonly GuestAddr[]; readonly exits: readonly GuestAddr[] } {
    const entries = new Set<GuestAddr>();
    const exits = new Set<GuestAddr>();
    for (const module of this.modules(isWanted)) {
      for (const symbol of module.file.symbols()) {
        if (symbol.type !== STT.FUNC || symbol.size === 0 || symbol.section === 0) continue;
        const start = guestAddr(symbol.address + Number(module.bias));
        if (entries.has(start)) continue;
        entries.add(start);
        for (const exit of this.returns(start, symbol.size)) exits.add(exit);
      }
    }
    return { entries: [...entries].sort((a, b) => a - b), exits: [...exits].sort((a, b) => a - b) };
  }

  /** Those that are loaded where main begins. */
  modules(isWanted: (module: LoadedModule, isMain: boolean) => boolean): readonly LoadedModule[] {
    const { modules } = this.scene.at(this.atMain).program;
    return modules.all.filter((loaded) => isWanted(loaded, loaded === modules.main));
  }

  /** Of memory where main begins. */
  bytes(start: GuestAddr, size: number): Uint8Array {
    return this.scene.at(this.atMain).program.memory(BigInt(start), size) ?? new Uint8Array();
  }

  /** Right before the first instruction of main; without a main, of the program. */
  get atMain(): Moment {
    this.beginning ??= this.findMain();
    return { position: this.beginning, task: undefined };
  }

  private findMain(): Position {
    const { playing } = this.scene;
    const first = playing.start;
    if (this.isPastMain) return first;
    const { program } = this.scene.at({ position: first, task: undefined });
    const { main } = program.modules;
    if (main === undefined) return first;
    const found = program.symbols.named('main').find(({ module }) => module === main);
    const entry = found === undefined ? main.file.elf.header.entry + Number(main.bias) : Number(found.address);
    const search = {
      conditions: [{ kind: 'address', addresses: [guestAddr(entry)] } as const], learn: () => undefined,
    };
    const [hit] = playing.forward(search, first.time, playing.endTime + 1, 1).hits;
    // Names are looked up here again and again.
    if (hit !== undefined) playing.remember(hit.position);
    return hit?.position ?? first;
  }

  /** Asks at one time after the other until there is an answer; if there never is, the first complaint counts. */
  private firstThat<T extends object>(question: (view: View, moment: Moment) => T | UserError): T {
    let complaint: UserError | undefined;
    for (const moment of this.moments()) {
      const answer = question(this.scene.at(moment), moment);
      if (!(answer instanceof UserError)) return answer;
      complaint ??= answer;
    }
    throw complaint ?? new UserError('the recording is empty');
  }

  private *moments(): Generator<Moment> {
    yield this.atMain;
    let last: { readonly time: number; readonly task: number } | undefined;
    for (const { position, task, what } of this.facts.forward(this.atMain.position.time, Infinity)) {
      if (what.kind !== 'mapping') continue;
      if (last !== undefined && position.time - last.time > LONG_AFTER) yield { position: at(last.time), task: last.task };
      last = { time: position.time, task };
    }
    if (last !== undefined) yield { position: at(last.time), task: last.task };
  }

  private functionAround(address: GuestAddr): [start: GuestAddr, size: number] {
    const near = this.scene.at(this.atMain).program.symbols.at(BigInt(address));
    return near === undefined ? [address, 0] : [guestAddr(Number(near.symbol.address)), near.symbol.size];
  }

  private returns(start: GuestAddr, size: number): GuestAddr[] {
    return returnsIn(this.bytes(start, size), start);
  }
}

function withoutLibraries(program: ProgramView): ProgramView {
  const { main } = program.modules;
  const modules = new ModuleList(main === undefined ? [] : [main], []);
  return Object.create(program, { modules: { value: modules }, symbols: { value: new Symbols(modules) } }) as ProgramView;
}
