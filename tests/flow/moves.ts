/**
 * Random straight-line programs of moves, with a model that runs them byte by byte and remembers for every byte which
 * instructions have handed it on: what chains are compared with. The n-th instruction is executed at time n.
 */

/** Says numbers below n, the same for the same seed. */
export type Dice = (n: number) => number;

export function dice(seed: number): Dice {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return (n) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
}

/** Who made a byte or moved it, newest first. */
interface History {
  readonly instruction: number;
  readonly before: History | undefined;
}

interface Byte {
  readonly value: number;
  readonly history: History | undefined;
}

/** Not rsp, nor what loops of string instructions use. */
export const REGISTERS = ['rax', 'rbx', 'rdx', 'rbp', 'r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'] as const;
const PARTS: Readonly<Record<string, readonly [string, string]>> = {
  rax: ['eax', 'al'], rbx: ['ebx', 'bl'], rdx: ['edx', 'dl'], rbp: ['ebp', 'bpl'],
  ...Object.fromEntries(['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'].map((name) => [name, [`${name}d`, `${name}b`]])),
};
const VECTORS = ['xmm0', 'xmm1', 'xmm2', 'xmm3'];
/** Words of 8 bytes at `words`, then single bytes at `small`, then words of 4 bytes at `middle`. */
const WORDS = 8;
const SMALL = 8;
const MIDDLE = 4;
const SIZE = WORDS * 8 + SMALL + MIDDLE * 4;

export class RandomMoves {
  readonly lines: string[] = [];
  private readonly state = new Map<string, Byte[]>();

  constructor(
    private readonly roll: Dice,
    length: number,
  ) {
    for (const name of [...REGISTERS, 'rsi', 'rdi', 'rcx']) this.state.set(name, bytes(8));
    for (const name of VECTORS) this.state.set(name, bytes(16));
    this.state.set('memory', bytes(SIZE));
    for (const name of REGISTERS) this.constant(name);
    for (let i = 0; i < WORDS; i++) this.store64(i * 8, this.register());
    for (const name of VECTORS) this.loadVector(name, 0);
    for (let i = 0; i < SMALL; i++) this.store8(this.register());
    for (let i = 0; i < MIDDLE; i++) this.store32(this.register());
    while (this.lines.length < length) this.next();
  }

  /** Assembly of the whole program. */
  get text(): string {
    return ['.intel_syntax noprefix', '.data', '.balign 16', 'memory:', `.zero ${SIZE}`, '.text', '.globl _start', '_start:', ...this.lines, 'mov eax, 60', 'xor edi, edi', 'syscall', ''].join('\n');
  }

  /** Which instructions handed on the lowest byte of a register, newest first; the last one made it. */
  historyOf(name: string): number[] {
    const list: number[] = [];
    for (let at = this.state.get(name)?.[0]?.history; at !== undefined; at = at.before) list.push(at.instruction);
    return list;
  }

  private next(): void {
    const actions: (() => void)[] = [
      () => this.copy64(), () => this.copy64(), () => this.store64(this.roll(WORDS) * 8, this.register()), () => this.load64(), () => this.load64(), () => this.exchange(),
      () => this.exchangeMemory(), () => this.copy32(), () => this.store8(this.register()), () => this.load8(), () => this.store32(this.register()), () => this.load32(), () => this.choose(),
      () => this.loadVector(this.vector(), this.roll(WORDS / 2) * 16), () => this.storeVector(), () => this.toVector(), () => this.fromVector(), () => this.copyVector(),
      () => this.pushAndPop(), () => this.lea(), () => this.repeat(), () => (this.roll(3) === 0 ? this.constant(this.register()) : this.copy64()), () => this.compute(), () => this.shift(),
    ];
    (actions[this.roll(actions.length)] as () => void)();
  }

  private register(): string {
    return REGISTERS[this.roll(REGISTERS.length)] as string;
  }

  private others(name: string): string {
    return REGISTERS[(REGISTERS.indexOf(name as 'rax') + 1 + this.roll(REGISTERS.length - 1)) % REGISTERS.length] as string;
  }

  private vector(): string {
    return VECTORS[this.roll(VECTORS.length)] as string;
  }

  /** The next instruction; the bytes that it moves are told before it changes any. */
  private emit(line: string, ...moves: readonly { readonly to: string; readonly at: number; readonly from: readonly (Byte | number)[] }[]): void {
    const instruction = this.lines.length;
    this.lines.push(line);
    const put = moves.map(({ to, at, from }) => ({ to, at, list: from.map((byte): Byte => (typeof byte === 'number' ? { value: byte, history: { instruction, before: undefined } } : { value: byte.value, history: { instruction, before: byte.history } })) }));
    for (const { to, at, list } of put) list.forEach((byte, i) => { (this.state.get(to) as Byte[])[at + i] = byte; });
  }

  private bytesOf(name: string, at: number, size: number): Byte[] {
    return (this.state.get(name) as Byte[]).slice(at, at + size);
  }

  private valueOf(name: string): bigint {
    return this.bytesOf(name, 0, 8).reduceRight((sum, { value }) => (sum << 8n) | BigInt(value), 0n);
  }

  private constant(name: string): void {
    const value = Array.from({ length: 8 }, () => this.roll(256));
    this.emit(`movabs ${name}, 0x${value.map((byte) => byte.toString(16).padStart(2, '0')).reverse().join('')}`, { to: name, at: 0, from: value });
  }

  private copy64(): void {
    const to = this.register();
    const from = this.others(to);
    this.emit(`mov ${to}, ${from}`, { to, at: 0, from: this.bytesOf(from, 0, 8) });
  }

  private copy32(): void {
    const to = this.register();
    const from = this.others(to);
    this.emit(`mov ${PARTS[to]?.[0]}, ${PARTS[from]?.[0]}`, { to, at: 0, from: [...this.bytesOf(from, 0, 4), 0, 0, 0, 0] });
  }

  private store64(at: number, from: string): void {
    this.emit(`mov [memory + ${at}], ${from}`, { to: 'memory', at, from: this.bytesOf(from, 0, 8) });
  }

  private load64(): void {
    const [to, at] = [this.register(), this.roll(WORDS) * 8];
    this.emit(`mov ${to}, [memory + ${at}]`, { to, at: 0, from: this.bytesOf('memory', at, 8) });
  }

  private store8(from: string): void {
    const at = WORDS * 8 + this.roll(SMALL);
    this.emit(`mov [memory + ${at}], ${PARTS[from]?.[1]}`, { to: 'memory', at, from: this.bytesOf(from, 0, 1) });
  }

  private load8(): void {
    const [to, at] = [this.register(), WORDS * 8 + this.roll(SMALL)];
    const isSigned = this.roll(2) === 0;
    const byte = this.bytesOf('memory', at, 1);
    const upper = isSigned && (byte[0]?.value ?? 0) > 127 ? 255 : 0;
    this.emit(`${isSigned ? 'movsx' : 'movzx'} ${to}, byte ptr [memory + ${at}]`, { to, at: 0, from: [...byte, ...Array<number>(7).fill(upper)] });
  }

  private store32(from: string): void {
    const at = WORDS * 8 + SMALL + this.roll(MIDDLE) * 4;
    this.emit(`mov [memory + ${at}], ${PARTS[from]?.[0]}`, { to: 'memory', at, from: this.bytesOf(from, 0, 4) });
  }

  private load32(): void {
    const [to, at] = [this.register(), WORDS * 8 + SMALL + this.roll(MIDDLE) * 4];
    this.emit(`mov ${PARTS[to]?.[0]}, [memory + ${at}]`, { to, at: 0, from: [...this.bytesOf('memory', at, 4), 0, 0, 0, 0] });
  }

  private exchange(): void {
    const a = this.register();
    const b = this.others(a);
    this.emit(`xchg ${a}, ${b}`, { to: a, at: 0, from: this.bytesOf(b, 0, 8) }, { to: b, at: 0, from: this.bytesOf(a, 0, 8) });
  }

  private exchangeMemory(): void {
    const [a, at] = [this.register(), this.roll(WORDS) * 8];
    this.emit(`xchg ${a}, [memory + ${at}]`, { to: a, at: 0, from: this.bytesOf('memory', at, 8) }, { to: 'memory', at, from: this.bytesOf(a, 0, 8) });
  }

  private choose(): void {
    const to = this.register();
    const from = this.others(to);
    const compared = this.register();
    const isEqual = this.valueOf(compared) === 0n;
    const condition = this.roll(2) === 0 ? 'e' : 'ne';
    this.emit(`cmp ${compared}, 0`);
    this.emit(`cmov${condition} ${to}, ${from}`, ...(isEqual === (condition === 'e') ? [{ to, at: 0, from: this.bytesOf(from, 0, 8) }] : []));
  }

  private loadVector(to: string, at: number): void {
    this.emit(`movups ${to}, [memory + ${at}]`, { to, at: 0, from: this.bytesOf('memory', at, 16) });
  }

  private storeVector(): void {
    const [from, at] = [this.vector(), this.roll(WORDS / 2) * 16];
    this.emit(`movaps [memory + ${at}], ${from}`, { to: 'memory', at, from: this.bytesOf(from, 0, 16) });
  }

  private toVector(): void {
    const [to, from] = [this.vector(), this.register()];
    this.emit(`movq ${to}, ${from}`, { to, at: 0, from: [...this.bytesOf(from, 0, 8), ...Array<number>(8).fill(0)] });
  }

  private fromVector(): void {
    const [to, from] = [this.register(), this.vector()];
    this.emit(`movq ${to}, ${from}`, { to, at: 0, from: this.bytesOf(from, 0, 8) });
  }

  /** The upper half of one to the upper half of another. */
  private copyVector(): void {
    const [to, from] = [this.vector(), this.vector()];
    if (to === from) return;
    this.emit(`punpcklqdq ${to}, ${from}`, { to, at: 8, from: this.bytesOf(from, 0, 8) });
  }

  private pushAndPop(): void {
    const to = this.register();
    const from = this.others(to);
    const list = this.bytesOf(from, 0, 8).map((byte): Byte => ({ value: byte.value, history: { instruction: this.lines.length, before: byte.history } }));
    this.emit(`push ${from}`);
    this.emit(`pop ${to}`, { to, at: 0, from: list });
  }

  private lea(): void {
    const to = this.register();
    const from = this.others(to);
    this.emit(`lea ${to}, [${from}]`, { to, at: 0, from: this.bytesOf(from, 0, 8) });
  }

  /** Words of memory to others that they do not meet. */
  private repeat(): void {
    const count = 1 + this.roll(WORDS / 2);
    const [from, to] = this.roll(2) === 0 ? [0, WORDS / 2] : [WORDS / 2, 0];
    this.emit(`lea rsi, [memory + ${from * 8}]`);
    this.emit(`lea rdi, [memory + ${to * 8}]`);
    this.emit(`mov ecx, ${count * 8}`);
    this.emit('rep movsb', { to: 'memory', at: to * 8, from: this.bytesOf('memory', from * 8, count * 8) });
  }

  private compute(): void {
    const name = this.register();
    this.emit(`imul ${name}, ${name}, 3`, { to: name, at: 0, from: split(this.valueOf(name) * 3n) });
  }

  /** Whole bytes move down. */
  private shift(): void {
    const name = this.register();
    this.emit(`shr ${name}, 32`, { to: name, at: 0, from: [...this.bytesOf(name, 4, 4), 0, 0, 0, 0] });
  }
}

function bytes(size: number): Byte[] {
  return Array.from({ length: size }, () => ({ value: 0, history: undefined }));
}

function split(value: bigint): number[] {
  return Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}
