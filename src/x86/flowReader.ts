/**
 * Where instructions lead, read one after the other and as fast as we can: what an instruction does to control follows
 * from its code, which is looked up once.
 */
import { FlowControl, type Instruction, Mnemonic, OpKind, Register } from 'iced-x86';
import { guestAddr } from '../base/types.js';
import { CodeReader, MAX_STRETCH } from './codeReader.js';

/** `stop`: control does not go on from there (ud2, hlt). `invalid`: no instruction, or only a part of one. */
export const FLOW = { next: 1, jump: 2, conditional: 3, call: 4, indirectCall: 5, indirectJump: 6, return: 7, stop: 8, invalid: 9 } as const;
type FlowKind = (typeof FLOW)[keyof typeof FLOW];

/** More than there are codes in iced-x86. */
const CODES = 8192;

export class FlowReader {
  /** Of the instruction read last. */
  kind: FlowKind = FLOW.invalid;
  next = 0;
  private readonly reader = new CodeReader();
  private readonly kinds = new Uint8Array(CODES);
  /** Where the reader goes on; -1: nowhere. */
  private at = -1;

  constructor(private readonly fetch: (address: number, length: number) => Uint8Array) {}

  /** Reads the instruction at an address; cheap if it is the one after the last. */
  read(address: number): FlowKind {
    const { reader } = this;
    if (address !== this.at && !this.start(address)) return this.fail(address);
    let isRead = reader.read(guestAddr(address));
    if (!isRead && reader.isCutOff && this.start(address)) isRead = reader.read(guestAddr(address));
    if (!isRead) return this.fail(address);
    const { insn } = reader;
    this.at = this.next = insn.next;
    const known = this.kinds[insn.code] as number;
    this.kind = (known === 0 ? (this.kinds[insn.code] = kindOf(insn.raw)) : known) as FlowKind;
    return this.kind;
  }

  /** Of the direct jump or call read last. */
  get target(): number {
    return this.reader.insn.branchTarget;
  }

  /** Of an indirect call or jump read last: where the pointer is that it goes through, if that is at a fixed place. */
  get pointerAt(): number | undefined {
    const { insn } = this.reader;
    return insn.kind(0) === OpKind.Memory && insn.memoryBase === Register.RIP && insn.memoryIndex === Register.None ? Number(insn.displacement) : undefined;
  }

  private start(address: number): boolean {
    const bytes = this.fetch(address, MAX_STRETCH);
    if (bytes.length === 0) return false;
    this.reader.start(bytes, guestAddr(address));
    this.at = address;
    return true;
  }

  private fail(address: number): FlowKind {
    this.at = -1;
    this.next = address + 1;
    return (this.kind = FLOW.invalid);
  }
}

function kindOf(instruction: Instruction): FlowKind {
  switch (instruction.flowControl) {
    case FlowControl.Next: return instruction.mnemonic === Mnemonic.Hlt ? FLOW.stop : FLOW.next;
    case FlowControl.UnconditionalBranch: return FLOW.jump;
    case FlowControl.ConditionalBranch: return FLOW.conditional;
    // System calls are calls to iced-x86; to the program they are like any other instruction.
    case FlowControl.Call: return instruction.isCallNear ? FLOW.call : FLOW.next;
    case FlowControl.IndirectCall: return FLOW.indirectCall;
    case FlowControl.IndirectBranch: return FLOW.indirectJump;
    case FlowControl.Return: return FLOW.return;
    case FlowControl.Interrupt: return FLOW.next;
    case FlowControl.XbeginXabortXend: return instruction.mnemonic === Mnemonic.Xbegin ? FLOW.conditional : FLOW.next;
    default: return FLOW.stop;
  }
}
