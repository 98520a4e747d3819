/** Instructions as brute force sees them: by their bytes, and by the IR that is made of each alone. */
import { type GuestAddr, guestAddr } from '../../src/base/types.js';
import { type InstructionDependences, instructionDependences } from '../../src/ir/dependences/instructionDependences.js';
import type { Block, Node } from '../../src/ir/ir.js';
import type { OpDef } from '../../src/ir/opDef.js';
import { OPS } from '../../src/ir/ops.js';
import { GPR, RBP, RBX } from '../../src/layout/cpuState.js';
import { Translator } from '../../src/x86/translate.js';

const KEPT = [RBX, RBP, ...GPR.slice(12)];

export interface KnownInstruction {
  readonly bytes: Uint8Array;
  readonly block: Block;
  readonly byTop: (InstructionDependences | undefined)[];
  readonly usesX87: boolean;
  readonly accessNodes: readonly Node[];
  /** Of `push`, `pop` and `leave` of registers that belong to the caller: the register, by its first cell. */
  readonly saves: number | undefined;
  readonly restores: number | undefined;
  readonly pointsFrame: boolean;
}

export function dependencesAt({ block, byTop, usesX87 }: KnownInstruction, top: number): InstructionDependences {
  return (byTop[usesX87 ? top : 0] ??= instructionDependences(block, usesX87 ? top : 0));
}

export function knownInstruction(rip: number, code: Uint8Array): KnownInstruction {
  const translator = new Translator((address: GuestAddr, length: number) => code.slice(address - rip, address - rip + length));
  const block = translator.translate(guestAddr(rip), 1);
  if (block === null) throw new Error(`no instruction at ${rip.toString(16)}`);
  const names = block.nodes.map(({ op }) => (OPS[op] as OpDef).name);
  const isImage = names.includes('sys.fpuImage');
  const accessNodes = block.nodes.filter(({ op }) => {
    const { name, bytes } = OPS[op] as OpDef;
    return name.startsWith('rep.') || (isImage ? name === 'sys.fpuImage' : bytes > 0);
  });
  return { bytes: code.slice(0, block.next - rip), block, byTop: [], usesX87: names.some((name) => /^(x87|mmx)\./.test(name)), accessNodes, ...frameWork(code) };
}

/** By their bytes. */
function frameWork(code: Uint8Array): Pick<KnownInstruction, 'saves' | 'restores' | 'pointsFrame'> {
  const hasPrefix = code[0] === 0x41;
  const own = (hasPrefix ? code[1] : code[0]) ?? 0;
  const register = ((own & 7) + (hasPrefix ? 8 : 0)) * 8;
  const isKept = KEPT.some(({ offset }) => offset === register);
  const isPoint = code[0] === 0x48 && ((code[1] === 0x89 && code[2] === 0xe5) || (code[1] === 0x8b && code[2] === 0xec));
  return {
    saves: (own & 0xf8) === 0x50 && isKept ? register : undefined,
    restores: own === 0xc9 ? RBP.offset : (own & 0xf8) === 0x58 && isKept ? register : undefined,
    pointsFrame: isPoint,
  };
}
