/**
 * Changes machine code in place: what an alteration of all instances is. The program then runs at full speed, and
 * what was changed is in its memory, where everyone can see it: branches, forks and searches need to know nothing of
 * it.
 *
 * Most changes fit where they belong: a condition is one bit of its instruction, and what is left out becomes a jump
 * or nothing. What does not fit goes to spare room of the module, by a jump that takes the place of the instruction
 * and, if that is shorter, of those after it; or by a hop nearby (hops.ts).
 */
import { UserError } from '../base/errors.js';
import { hex } from '../base/types.js';
import type { CodeStep } from '../x86/codeSteps.js';
import { type Hop, hopsNear } from './hops.js';
import type { SpareRoom } from './spareRoom.js';
import type { FunctionCode, Stretch } from './statementCode.js';

export interface Patch {
  readonly address: number;
  readonly bytes: Uint8Array;
  /** What must be there, and comes back when the patch is taken away. */
  readonly original: Uint8Array;
}

export type ReadCode = (address: number, length: number) => Uint8Array | undefined;

const NOP = 0x90;
const RET = 0xc3;
const JMP_SHORT = 0xeb;
const JMP_NEAR = 0xe9;
const TWO_BYTES = 0x0f;
const JCC_SHORT = 0x70;
const JCC_NEAR = 0x80;
const NEAR_JUMP_LENGTH = 5;
const SHORT_JUMP_LENGTH = 2;
/** A byte of displacement reaches so far. */
const SHORT_REACH = 127;
const PREFIXES: ReadonlySet<number> = new Set([0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x3e, 0x26, 0x36, 0x64, 0x65]);

export class CodePatches {
  private readonly made: Patch[] = [];

  constructor(
    private readonly read: ReadCode,
    private readonly room: SpareRoom,
  ) {}

  get patches(): readonly Patch[] {
    return this.made;
  }

  /** The condition of a jump, setcc or cmov is the opposite. */
  invert(step: CodeStep): void {
    const bytes = this.bytesOf(step);
    const at = conditionByte(bytes);
    if (at === undefined) throw new UserError(`the condition of the instruction at ${hex(step.address)} has no opposite`);
    bytes[at] = (bytes[at] as number) ^ 1;
    this.put(step.address, bytes);
  }

  /** A conditional jump goes to `taken` if its condition holds, otherwise to `fall`. */
  redirect(step: CodeStep, taken: number, fall: number, around: FunctionCode): void {
    const next = step.address + step.length;
    const bytes = this.bytesOf(step);
    if (fall === next && step.relative !== undefined && fits(taken - next, step.relative[1])) {
      putNumber(bytes, step.relative, taken - next);
      this.put(step.address, bytes);
      return;
    }
    const condition = conditionByte(bytes);
    if (condition === undefined) throw new UserError(`the jump at ${hex(step.address)} cannot go elsewhere`);
    const code = (bytes[condition] as number) & 0xf;
    this.elsewhere(step, around, (at) => {
      const jump = [TWO_BYTES, JCC_NEAR | code, ...fourBytes(taken - (at + 6))];
      return fall === next ? jump : [...jump, ...nearJump(at + 6, fall)];
    });
  }

  /** Control goes from the first instruction of a stretch to its end. */
  leaveOut({ start, end }: Stretch): void {
    const length = end - start;
    if (length <= 0) return;
    const bytes = new Uint8Array(length).fill(NOP);
    if (length > SHORT_JUMP_LENGTH && length - SHORT_JUMP_LENGTH <= SHORT_REACH) bytes.set([JMP_SHORT, length - SHORT_JUMP_LENGTH]);
    else if (length > NEAR_JUMP_LENGTH) bytes.set(nearJump(start, end));
    this.put(start, bytes);
  }

  /** Nothing is done where the instruction is, or only that. */
  replace(step: CodeStep, bytes: readonly number[], around: FunctionCode): void {
    if (bytes.length <= step.length) this.put(step.address, Uint8Array.of(...bytes, ...new Array<number>(step.length - bytes.length).fill(NOP)));
    else this.elsewhere(step, around, () => bytes);
  }

  /** From `step` on control goes to `target`. */
  goTo(step: CodeStep, target: number, around: FunctionCode): void {
    if (step.length >= NEAR_JUMP_LENGTH) this.replace(step, nearJump(step.address, target), around);
    else this.elsewhere(step, around, (at) => nearJump(at, target));
  }

  /** A function does nothing but this, and returns. */
  returnAtOnce({ stretches: [stretch] }: FunctionCode, before: readonly number[]): void {
    const { start, end } = stretch as Stretch;
    const bytes = [...before, RET];
    if (bytes.length <= end - start) return this.put(start, Uint8Array.from(bytes));
    if (end - start < NEAR_JUMP_LENGTH) throw new UserError(`the function at ${hex(start)} is too short to be changed`);
    this.put(start, Uint8Array.from(nearJump(start, this.spare(bytes))));
  }

  /**
   * Puts what `make` makes (for the address where it will be) into spare room, with the instructions around it that
   * had to give way, then a jump back.
   */
  private elsewhere(step: CodeStep, around: FunctionCode, make: (at: number) => readonly number[]): void {
    const room = makingRoom(step, around);
    if (room === undefined) return this.byHop(step, around, make);
    const { before, after } = room;
    const at = this.room.next;
    const code: number[] = [];
    for (const one of before) code.push(...this.relocated(one, at + code.length));
    code.push(...make(at + code.length));
    for (const one of after) code.push(...this.relocated(one, at + code.length));
    const { address: start } = before[0] ?? step;
    const end = endOf(after.at(-1) ?? step);
    this.spare([...code, ...nearJump(at + code.length, end)]);
    const bytes = new Uint8Array(end - start).fill(NOP);
    bytes.set(nearJump(start, at));
    this.put(start, bytes);
  }

  /** The same where neither neighbour can give way: a jump of two bytes to a longer one nearby. */
  private byHop(step: CodeStep, around: FunctionCode, make: (at: number) => readonly number[]): void {
    const end = ({ address, moved }: Hop): number => Math.max(address + NEAR_JUMP_LENGTH, ...moved.map(endOf));
    const begin = ({ address, moved }: Hop): number => moved[0]?.address ?? address;
    const hop = hopsNear(step, around, this.read).find((one) => !this.made.some(({ address, bytes }) => address < end(one) && begin(one) < address + bytes.length));
    if (hop === undefined || step.length < SHORT_JUMP_LENGTH) throw new UserError(`there is no room for a change at ${hex(step.address)}`);
    const next = endOf(step);
    const at = this.room.next;
    const code = make(at);
    const target = this.spare([...code, ...nearJump(at + code.length, next)]);
    const bytes = new Uint8Array(end(hop) - begin(hop)).fill(NOP);
    bytes.set(nearJump(hop.address, target), hop.address - begin(hop));
    if (hop.moved.length > 0) bytes.set(nearJump(begin(hop), this.movedAway(hop.moved)));
    this.put(begin(hop), bytes);
    this.put(step.address, Uint8Array.of(JMP_SHORT, hop.address - (step.address + SHORT_JUMP_LENGTH), ...new Array<number>(step.length - SHORT_JUMP_LENGTH).fill(NOP)));
  }

  /** Where instructions are now that go on where they went on before. */
  private movedAway(steps: readonly CodeStep[]): number {
    const at = this.room.next;
    const code: number[] = [];
    for (const one of steps) code.push(...this.relocated(one, at + code.length));
    return this.spare([...code, ...nearJump(at + code.length, endOf(steps.at(-1) as CodeStep))]);
  }

  private relocated(step: CodeStep, at: number): Uint8Array {
    const bytes = this.bytesOf(step);
    const { relative, target } = step;
    if (relative === undefined) return bytes;
    const [offset, size] = relative;
    if (size === 4) {
      const value = new DataView(bytes.buffer, bytes.byteOffset).getInt32(offset, true);
      putNumber(bytes, relative, value + step.address - at);
      return bytes;
    }
    const condition = conditionByte(bytes);
    if (step.flow === 'jump') return Uint8Array.from(nearJump(at, target as number));
    if (step.flow !== 'conditional' || condition === undefined) throw new UserError(`there is no room for a change at ${hex(step.address)}`);
    return Uint8Array.of(TWO_BYTES, JCC_NEAR | ((bytes[condition] as number) & 0xf), ...fourBytes((target as number) - (at + 6)));
  }

  /** Where it is. */
  private spare(bytes: readonly number[]): number {
    const at = this.room.take(bytes.length);
    if (at === undefined) throw new UserError('there is no room in the program for the changed code');
    this.put(at, Uint8Array.from(bytes));
    return at;
  }

  private bytesOf({ address, length }: CodeStep): Uint8Array {
    return this.at(address, length).slice();
  }

  private at(address: number, length: number): Uint8Array {
    const bytes = this.read(address, length);
    if (bytes === undefined) throw new UserError(`there is no code at ${hex(address)}`);
    return bytes;
  }

  private put(address: number, bytes: Uint8Array): void {
    const end = address + bytes.length;
    if (this.made.some((one) => one.address < end && address < one.address + one.bytes.length)) throw new UserError(`two changes at ${hex(address)} are in each other's way`);
    this.made.push({ address, bytes, original: this.at(address, bytes.length).slice() });
  }
}

/**
 * Instructions that have to give way with one, so that a jump has room: those after it if there are enough to which no
 * jump leads, otherwise some before it, too. Undefined if there are none.
 */
function makingRoom(step: CodeStep, { steps }: FunctionCode): { readonly before: readonly CodeStep[]; readonly after: readonly CodeStep[] } | undefined {
  const index = steps.findIndex(({ address }) => address === step.address);
  const isTarget = (address: number): boolean => steps.some(({ target }) => target === address);
  let [first, last] = [index, index];
  const at = (i: number): CodeStep => steps[i] as CodeStep;
  const isTooShort = (): boolean => endOf(at(last)) - at(first).address < NEAR_JUMP_LENGTH;
  for (let next = steps[last + 1]; isTooShort() && next?.address === endOf(at(last)) && !isTarget(next.address); next = steps[last + 1]) last++;
  for (let before = steps[first - 1]; isTooShort() && before?.flow === 'next' && endOf(before) === at(first).address && !isTarget(at(first).address); before = steps[first - 1]) first--;
  if (index < 0 || isTooShort()) return undefined;
  return { before: steps.slice(first, index), after: steps.slice(index + 1, last + 1) };
}

function endOf({ address, length }: CodeStep): number {
  return address + length;
}

/** `mov rax, value`, as short as it can be. */
export function setResult(bits: bigint, isFloat: boolean): number[] {
  const wide = [0x48, 0xb8, ...new Uint8Array(BigUint64Array.of(bits).buffer)];
  if (isFloat) return [...wide, 0x66, 0x48, 0x0f, 0x6e, 0xc0];
  return bits < 1n << 32n ? [0xb8, ...new Uint8Array(Uint32Array.of(Number(bits)).buffer)] : wide;
}

/** Where in an instruction its condition is, as the lowest four bits of a byte. */
export function conditionByte(bytes: Uint8Array): number | undefined {
  let at = 0;
  while (PREFIXES.has(bytes[at] as number)) at++;
  if (((bytes[at] as number) & 0xf0) === 0x40) at++;
  const [first, second] = [bytes[at] as number, bytes[at + 1] as number];
  if ((first & 0xf0) === JCC_SHORT) return at;
  if (first === TWO_BYTES && [JCC_NEAR, 0x90, 0x40].includes(second & 0xf0)) return at + 1;
  return undefined;
}

function nearJump(at: number, target: number): number[] {
  return [JMP_NEAR, ...fourBytes(target - (at + NEAR_JUMP_LENGTH))];
}

function fourBytes(value: number): Uint8Array {
  return new Uint8Array(Int32Array.of(value).buffer);
}

function fits(value: number, size: number): boolean {
  return size === 4 || (value >= -SHORT_REACH - 1 && value <= SHORT_REACH);
}

function putNumber(bytes: Uint8Array, [offset, size]: readonly [number, number], value: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (size === 1) view.setInt8(offset, value);
  else view.setInt32(offset, value, true);
}
