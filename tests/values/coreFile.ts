/** A core file that gdb has written: registers and memory of a stopped program. */
import { readFileSync } from 'node:fs';

const PT_LOAD = 1;
const PT_NOTE = 4;
const NT_PRSTATUS = 1;
const NT_FPREGSET = 2;
const NT_FILE = 0x46494c45;
const GENERAL = [
  'r15', 'r14', 'r13', 'r12', 'rbp', 'rbx', 'r11', 'r10', 'r9', 'r8', 'rax', 'rcx', 'rdx', 'rsi', 'rdi', 'orig_rax', 'rip', 'cs', 'eflags', 'rsp', 'ss', 'fs_base', 'gs_base',
  'ds', 'es', 'fs', 'gs',
];
const REGISTERS_AT = 112;

interface Segment {
  readonly start: bigint;
  readonly bytes: Uint8Array;
}

export interface MappedFile {
  readonly path: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly offset: number;
}

export class CoreFile {
  readonly registers = new Map<string, bigint>();
  readonly files: MappedFile[] = [];
  private readonly segments: Segment[] = [];
  private readonly view: DataView;
  private readonly bytes: Uint8Array;

  constructor(path: string) {
    this.bytes = readFileSync(path);
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);
    const [table, count] = [Number(this.u64(32)), this.view.getUint16(56, true)];
    for (let i = 0; i < count; i++) this.header(table + i * 56);
  }

  memory(address: bigint, size: number): Uint8Array | undefined {
    const parts: Uint8Array[] = [];
    for (let [at, left] = [address, size]; left > 0;) {
      const segment = this.segments.find(({ start, bytes }) => at >= start && at < start + BigInt(bytes.length));
      if (segment === undefined) return undefined;
      const offset = Number(at - segment.start);
      const part = segment.bytes.subarray(offset, offset + left);
      parts.push(part);
      at += BigInt(part.length);
      left -= part.length;
    }
    return parts.length === 1 ? parts[0] : Uint8Array.from(parts.flatMap((part) => [...part]));
  }

  private u64(at: number): bigint {
    return this.view.getBigUint64(at, true);
  }

  private header(at: number): void {
    const [type, offset, address, size] = [this.view.getUint32(at, true), Number(this.u64(at + 8)), this.u64(at + 16), Number(this.u64(at + 32))];
    if (type === PT_LOAD && size > 0) this.segments.push({ start: address, bytes: this.bytes.subarray(offset, offset + size) });
    if (type === PT_NOTE) this.notes(offset, offset + size);
  }

  private notes(from: number, end: number): void {
    for (let at = from; at + 12 <= end;) {
      const [nameSize, size, type] = [this.view.getUint32(at, true), this.view.getUint32(at + 4, true), this.view.getUint32(at + 8, true)];
      const data = at + 12 + Math.ceil(nameSize / 4) * 4;
      if (type === NT_PRSTATUS && this.registers.size === 0) GENERAL.forEach((name, i) => this.registers.set(name, this.u64(data + REGISTERS_AT + i * 8)));
      if (type === NT_FPREGSET && !this.registers.has('xmm0')) this.floatingPoint(data);
      if (type === NT_FILE) this.mappedFiles(data);
      at = data + Math.ceil(size / 4) * 4;
    }
  }

  private floatingPoint(at: number): void {
    for (let i = 0; i < 8; i++) this.registers.set(`st${i}`, this.u64(at + 32 + i * 16) | (BigInt(this.view.getUint16(at + 40 + i * 16, true)) << 64n));
    for (let i = 0; i < 16; i++) this.registers.set(`xmm${i}`, this.u64(at + 160 + i * 16) | (this.u64(at + 168 + i * 16) << 64n));
    this.registers.set('mxcsr', BigInt(this.view.getUint32(at + 24, true)));
    this.registers.set('fctrl', BigInt(this.view.getUint16(at, true)));
  }

  private mappedFiles(at: number): void {
    const [count, pageSize] = [Number(this.u64(at)), Number(this.u64(at + 8))];
    const names = new TextDecoder().decode(this.bytes.subarray(at + 16 + count * 24, at + 16 + count * 24 + 65536)).split('\0');
    for (let i = 0; i < count; i++) {
      const entry = at + 16 + i * 24;
      this.files.push({ path: names[i] ?? '', start: this.u64(entry), end: this.u64(entry + 8), offset: Number(this.u64(entry + 16)) * pageSize });
    }
  }
}
