import { describe, expect, it } from 'vitest';
import { slotAddress } from './encodings.js';
import { FX, FX_OFFSET, MachineState, MEMORY, type Outcome, type Patch } from './machineState.js';
import { runNatively } from './nativeRunner.js';

const RAX = 0, RCX = 1, RBX = 3;

function run(code: readonly number[], change: (state: MachineState) => void = () => {}, patches: readonly Patch[] = []): Outcome {
  const bytes = Uint8Array.from(code);
  const program = { name: 'test', mnemonic: '', address: slotAddress(0), bytes, nativeBytes: bytes };
  const state = new MachineState();
  state.rip = program.address;
  state.eflags = 0x202;
  state.mxcsr = 0x1f80;
  state.setFx16(FX.FCW, 0x37f);
  change(state);
  return runNatively([{ name: 'test', program, state, patches }])[0] as Outcome;
}

describe('the native runner', () => {
  it('loads and reports general registers, flags and rip', () => {
    const { state, trap, changes } = run([0x48, 0x01, 0xd8], (s) => { // add rax, rbx
      s.setGpr(RAX, 2n ** 63n);
      s.setGpr(RBX, 2n ** 63n + 5n);
    });
    expect(state.gpr(RAX)).toBe(5n);
    expect(state.eflags & 0x8d5).toBe(0x805);
    expect(state.rip).toBe(slotAddress(0) + 4);
    expect(trap).toBe(3);
    expect(changes.size).toBe(0);
  });

  it('loads and reports vector registers and MXCSR', () => {
    const { state } = run([0xf3, 0x0f, 0x5e, 0xc1], (s) => { // divss xmm0, xmm1
      new DataView(s.xmm(0).buffer).setFloat32(FX_OFFSET + FX.XMM, 1, true);
      new DataView(s.xmm(1).buffer).setFloat32(FX_OFFSET + FX.XMM + 16, 3, true);
    });
    expect(new DataView(state.xmm(0).buffer, state.xmm(0).byteOffset).getFloat32(0, true)).toBe(Math.fround(1 / 3));
    expect(state.mxcsr).toBe(0x1fa0);
  });

  it('loads and reports the x87 stack', () => {
    const { state } = run([0xd9, 0xe8]); // fld1
    expect(state.fx16(FX.FSW)).toBe(7 << 11);
    expect(state.tags).toBe(0x80);
    expect([...state.st(0)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f]);
  });

  it('applies patches and reports what changed in memory', () => {
    const { changes, state } = run([0x48, 0x87, 0x03], (s) => { // xchg [rbx], rax
      s.setGpr(RAX, 7n);
      s.setGpr(RBX, BigInt(MEMORY.data + 16));
    }, [{ offset: 16, bytes: Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0) }]);
    expect(state.gpr(RAX)).toBe(9n);
    expect([...changes]).toEqual([[16, 7n]]);
  });

  it('gives FS and GS the bases that the engine has', () => {
    const { changes } = run([0x64, 0x89, 0x01, 0x65, 0x89, 0x01], (s) => { // mov fs:[rcx], eax; mov gs:[rcx], eax
      s.setGpr(RCX, 0n);
    });
    expect([...changes.keys()]).toEqual([MEMORY.fsBase - MEMORY.data, MEMORY.gsBase - MEMORY.data]);
  });

  it('reports faults with their address', () => {
    const { trap, address, error, state } = run([0x48, 0x89, 0x03], (s) => s.setGpr(RBX, BigInt(MEMORY.data + MEMORY.dataSize - 4))); // mov [rbx], rax
    expect({ trap, address, error, rip: state.rip }).toEqual({ trap: 14, address: BigInt(MEMORY.data + MEMORY.dataSize), error: 6, rip: slotAddress(0) });
    expect(run([0x0f, 0x0b]).trap).toBe(6);
    expect(run([0xf7, 0xf1]).trap).toBe(0); // div ecx
  });

  it('starts each case with clean system flags', () => {
    const { state } = run([0x68, 0, 0x40, 0x24, 0, 0x9d], (s) => s.setGpr(4, BigInt(MEMORY.data + 64))); // push 0x244000; popfq
    expect(state.eflags & 0x244000).toBe(0x244000);
    expect(run([0x90]).state.eflags & 0x244000).toBe(0);
  });
});
