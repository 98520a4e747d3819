/** Where a function takes addresses of its own variables, and where it returns. */
import { type Instruction, Mnemonic, OpKind, Register } from 'iced-x86';
import { pointerHookByte, stackHookByte } from '../../x86/hooks.js';
import { displacementOf, forEachInstruction } from './boundedAccesses.js';
import type { FrameSlot } from './frameSlots.js';

export interface PointerSite {
  readonly slot: FrameSlot;
  /** What makes a hook of the instruction, in the place of its first byte. */
  readonly byte: number;
}

/**
 * Where a function takes the address of memory that it has made room for: for alloca, or an array of variable length.
 * One that touches every page of the room on its way (-fstack-clash-protection) has forgotten then how much was wanted;
 * it says so at another place, before.
 */
export interface AllocationSite {
  readonly function: string;
  readonly byte: number;
  readonly step: 'measure' | 'take measured' | 'take';
  readonly alignment: number;
}

/** With offsets in the code. */
interface FunctionSites {
  readonly allocations: ReadonlyMap<number, AllocationSite>;
  readonly pointers: ReadonlyMap<number, PointerSite>;
  readonly returns: readonly number[];
}

/** push rbp; mov rbp, rsp. */
const PROLOGUE = [0x55, 0x48, 0x89, 0xe5];
const ENDBR64 = [0xf3, 0x0f, 0x1e, 0xfa];

/** Whether rbp is what its frame begins with. */
export function hasUsualFrame(code: Uint8Array): boolean {
  return startsWith(code, startsWith(code, 0, ENDBR64) ? ENDBR64.length : 0, PROLOGUE);
}

/** All pointers to a variable have to be found, or none is moved: the program may compare them. */
export function pointerSites(code: Uint8Array, name: string, slots: readonly FrameSlot[]): FunctionSites {
  const scan = new Scan(code, slots);
  const allocations = new AllocationScan(code, name);
  forEachInstruction(code, 0, (instruction, at) => {
    scan.visit(instruction, at);
    allocations.visit(instruction, at);
  });
  return { ...scan.sites(), allocations: allocations.found };
}

/** Bytes that the room is a multiple of. */
const ROOM_UNIT = 16n;
/** Rounds to pages. */
const WHOLE_PAGES = -4096n;
/** Instructions that touch pages are not more than that. */
const TOUCHING = 24;

interface Step {
  is(instruction: Instruction): boolean;
  /** So many others may come before. */
  readonly after?: number;
}

const DIVISION: Step = { is: ({ mnemonic, op0Kind }) => mnemonic === Mnemonic.Div && op0Kind === OpKind.Register };
const PRODUCT: Step = { is: (one) => one.mnemonic === Mnemonic.Imul && one.opCount === 3 && one.op0Register === Register.RAX && one.immediate(2) === ROOM_UNIT };
const ROOM: Step = { is: ({ mnemonic, op0Register, op1Register }) => mnemonic === Mnemonic.Sub && op0Register === Register.RSP && op1Register === Register.RAX };
const TAKEN: Step = { is: ({ mnemonic, op0Register, op1Register }) => mnemonic === Mnemonic.Mov && op0Register === Register.RAX && op1Register === Register.RSP };
const ROUNDING: Step = { is: ({ mnemonic, op0Register, op1Kind }) => mnemonic === Mnemonic.Add && op0Register === Register.RAX && op1Kind !== OpKind.Register && op1Kind !== OpKind.Memory };
const COPY: Step = { is: ({ mnemonic, op0Register, op1Register }) => mnemonic === Mnemonic.Mov && op0Register !== Register.RDX && op1Register === Register.RAX };
const PAGES: Step = { is: (one) => one.mnemonic === Mnemonic.And && one.op0Register !== Register.RDX && one.op1Kind === OpKind.Immediate32to64 && BigInt.asIntN(64, one.immediate(1)) === WHOLE_PAGES };
const LIMIT: Step = { is: ({ mnemonic, op0Register, op1Register }) => mnemonic === Mnemonic.Mov && op0Register !== Register.RAX && op1Register === Register.RSP };

/**
 * The division has left in rdx what rounding has taken off. `div rcx; imul rax, rax, 16; sub rsp, rax; mov rax, rsp;
 * add rax, 7`.
 */
const AT_ONCE: readonly Step[] = [DIVISION, PRODUCT, ROOM, TAKEN, ROUNDING];
/**
 * There it is up to `mov rdx, rsp`: `div rsi; imul rax, rax, 16; mov rcx, rax; and rcx, -4096; mov rdx, rsp; ... mov
 * rax, rsp; add rax, 7`.
 */
const PAGE_BY_PAGE: readonly Step[] = [DIVISION, PRODUCT, COPY, PAGES, LIMIT, { ...TAKEN, after: TOUCHING }, ROUNDING];

/** Instructions one after the other. */
class Sequence {
  private places: number[] = [];
  private others = 0;

  constructor(private readonly steps: readonly Step[]) {}

  /** Where they are, when the last one has come. */
  visit(instruction: Instruction, at: number): readonly number[] | undefined {
    const { steps, places } = this;
    const step = steps[places.length];
    const isFirst = steps[0]?.is(instruction) === true;
    if (step?.is(instruction) !== true && !isFirst && this.others++ < (step?.after ?? 0)) return undefined;
    this.others = 0;
    this.places = step?.is(instruction) === true ? [...places, at] : isFirst ? [at] : [];
    if (this.places.length < steps.length) return undefined;
    const found = this.places;
    this.places = [];
    return found;
  }
}

class AllocationScan {
  readonly found = new Map<number, AllocationSite>();
  private readonly atOnce = new Sequence(AT_ONCE);
  private readonly pageByPage = new Sequence(PAGE_BY_PAGE);

  constructor(
    private readonly code: Uint8Array,
    private readonly name: string,
  ) {}

  visit(instruction: Instruction, at: number): void {
    const atOnce = this.atOnce.visit(instruction, at);
    const pageByPage = this.pageByPage.visit(instruction, at);
    if (atOnce === undefined && pageByPage === undefined) return;
    const alignment = Number(instruction.immediate(1)) + 1;
    if (atOnce !== undefined) this.add(atOnce[AT_ONCE.indexOf(TAKEN)], 'take', alignment);
    if (pageByPage === undefined) return;
    this.add(pageByPage[PAGE_BY_PAGE.indexOf(LIMIT)], 'measure', alignment);
    this.add(pageByPage[PAGE_BY_PAGE.indexOf(LIMIT) + 1], 'take measured', alignment);
  }

  private add(at = 0, step: AllocationSite['step'], alignment: number): void {
    const byte = stackHookByte(this.code, at);
    if (byte !== undefined) this.found.set(at, { function: this.name, byte, step, alignment });
  }
}

class Scan {
  private readonly pointers = new Map<number, PointerSite>();
  private readonly returns: number[] = [];
  private readonly uncertain = new Set<FrameSlot>();
  /**
   * A register that has rbp and an index in it; then one that has an address in a variable, which is to be used at
   * once.
   */
  private sum: Register | undefined;
  private element: { readonly register: Register; readonly slot: FrameSlot } | undefined;

  constructor(
    private readonly code: Uint8Array,
    private readonly slots: readonly FrameSlot[],
  ) {}

  visit(instruction: Instruction, at: number): void {
    if (instruction.mnemonic === Mnemonic.Ret) this.returns.push(at);
    if (instruction.mnemonic === Mnemonic.Lea && instruction.memoryBase === Register.RBP) this.takesAddress(instruction, at);
    this.sums(instruction);
  }

  sites(): Omit<FunctionSites, 'allocations'> {
    return { pointers: new Map([...this.pointers].filter(([, { slot }]) => !this.uncertain.has(slot))), returns: this.returns };
  }

  private takesAddress(instruction: Instruction, at: number): void {
    const slot = this.slotAt(displacementOf(instruction));
    if (slot === undefined) return;
    const byte = pointerHookByte(this.code, at);
    const isSimple = instruction.memoryIndex === Register.None && instruction.op0Register !== Register.RSP && instruction.op0Register !== Register.RBP;
    if (byte !== undefined && isSimple) this.pointers.set(at, { slot, byte });
    else this.uncertain.add(slot);
  }

  /** `add rax, rbp; add rax, -128; mov [rax], 5`: an access, if it is not a pointer. */
  private sums(instruction: Instruction): void {
    const { sum, element } = this;
    [this.sum, this.element] = [undefined, undefined];
    const target = instruction.op0Kind === OpKind.Register ? instruction.op0Register : Register.None;
    if (element !== undefined && (instruction.memoryBase !== element.register || instruction.mnemonic === Mnemonic.Lea)) this.uncertain.add(element.slot);
    if (sum !== undefined) {
      const sign = instruction.mnemonic === Mnemonic.Add ? 1 : instruction.mnemonic === Mnemonic.Sub ? -1 : 0;
      const isConstant = sign !== 0 && target === sum && instruction.op1Kind !== OpKind.Register && instruction.op1Kind !== OpKind.Memory;
      const slot = isConstant ? this.slotAt(sign * Number(BigInt.asIntN(64, instruction.immediate(1)))) : undefined;
      if (slot !== undefined) this.element = { register: sum, slot };
      else this.slots.forEach((one) => this.uncertain.add(one));
    }
    if (instruction.mnemonic === Mnemonic.Add && instruction.op1Kind === OpKind.Register && instruction.op1Register === Register.RBP) this.sum = target;
  }

  private slotAt(offset: number): FrameSlot | undefined {
    return this.slots.find((slot) => offset >= slot.offset && offset < slot.offset + slot.size);
  }
}

function startsWith(code: Uint8Array, at: number, bytes: readonly number[]): boolean {
  return bytes.every((byte, i) => code[at + i] === byte);
}
