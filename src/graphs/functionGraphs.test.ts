import { describe, expect, it } from 'vitest';
import type { CodeSource, KnownFunction } from './codeSource.js';
import { FunctionGraphs } from './functionGraphs.js';
import type { FunctionGraph } from './functionGraph.js';
import { EXIT } from './postDominators.js';

const START = 0x1000;
const TABLE = 0x2000;

interface Made {
  /** Where functions begin and end; one over all code, if nothing is said. */
  readonly functions?: readonly (readonly [number, number, string?])[];
  readonly table?: Uint8Array;
}

function source(code: readonly number[], { functions = [[START, START + code.length, 'f']], table = new Uint8Array() }: Made): CodeSource {
  const known = functions.map(([start, end, name]): KnownFunction => ({ entry: start, name, ranges: [{ start, end }] }));
  const bytes = Uint8Array.from(code);
  return {
    fetch: (address, length) => (address >= TABLE ? table.slice(address - TABLE, address - TABLE + length) : bytes.slice(address - START, address - START + length)),
    functionAt: (address) => known.find(({ entry }) => entry === address),
    functionAround: (address) => known.find(({ ranges: [range] }) => range !== undefined && address >= range.start && address < range.end),
    nameOf: (address) => known.find(({ entry }) => entry === address)?.name,
  };
}

function graphs(code: readonly number[], made: Made = {}): FunctionGraphs {
  return new FunctionGraphs(source(code, made));
}

/** A line for each node: start-end -> successors ^post-dominator, by addresses; ! if it leaves, ? if it branches. */
function shown({ nodes }: FunctionGraph): string[] {
  const at = (index: number): string => (index === EXIT ? 'exit' : (nodes[index]?.start ?? 0).toString(16));
  return nodes.map(({ start, end, successors, leaves, isBranch, postDominator }) =>
    `${start.toString(16)}-${end.toString(16)} -> ${[...successors].map(at).sort().join(' ')}${leaves ? '!' : ''}${isBranch ? '?' : ''} ^${at(postDominator)}`);
}

const pointers = (...targets: number[]): Uint8Array => new Uint8Array(BigUint64Array.from(targets, BigInt).buffer);
const distances = (...targets: number[]): Uint8Array => new Uint8Array(Int32Array.from(targets, (target) => target - TABLE).buffer);

describe('nodes and edges', () => {
  it('of a condition', () => {
    // test edi,edi; je 1007; mov eax,edi; ret; 1007: xor eax,eax; ret
    const graph = graphs([0x85, 0xff, 0x74, 0x03, 0x89, 0xf8, 0xc3, 0x31, 0xc0, 0xc3]).graphOf(START);
    expect(shown(graph)).toEqual(['1000-1004 -> 1004 1007? ^exit', '1004-1007 -> ! ^exit', '1007-100a -> ! ^exit']);
    expect(graph.nodeAt(0x1002)?.start).toBe(0x1000);
    expect(graph.nodeAt(0x1003)).toBeUndefined();
    expect(graph.nodeAt(0x0fff)).toBeUndefined();
    expect(graph.returns).toBe(true);
  });

  it('of a loop that is counted, and one that is passed by', () => {
    // jrcxz 1005; nop; loop 1002; ret
    expect(shown(graphs([0xe3, 0x03, 0x90, 0xe2, 0xfd, 0xc3]).graphOf(START))).toEqual(['1000-1002 -> 1002 1005? ^1005', '1002-1005 -> 1002 1005? ^1005', '1005-1006 -> ! ^exit']);
  });

  it('of a jump past a prefix: two nodes share their end', () => {
    // je 1003; lock cmpxchg [rsi],ecx; ret
    const graph = graphs([0x74, 0x01, 0xf0, 0x0f, 0xb1, 0x0e, 0xc3]).graphOf(START);
    expect(shown(graph)).toEqual(['1000-1002 -> 1002 1003? ^1006', '1002-1006 -> 1006 ^1006', '1003-1006 -> 1006 ^1006', '1006-1007 -> ! ^exit']);
  });

  it('of an endless loop', () => {
    const graph = graphs([0x90, 0xeb, 0xfd]).graphOf(START);
    expect(shown(graph)).toEqual(['1000-1003 -> 1000 ^exit']);
    expect(graph.returns).toBe(false);
  });

  it('do not end at system calls', () => {
    expect(shown(graphs([0x0f, 0x05, 0xc3]).graphOf(START))).toEqual(['1000-1003 -> ! ^exit']);
  });
});

describe('borders', () => {
  it('a jump to another function leaves', () => {
    // je 1010; jmp 1008, which is another's
    const code = [0x74, 0x0e, 0xeb, 0x04, 0xcc, 0xcc, 0xcc, 0xcc, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xc3];
    const graph = graphs(code, { functions: [[0x1000, 0x1004, 'f'], [0x1008, 0x1009, 'g'], [0x1010, 0x1011, 'h']] }).graphOf(START);
    expect(shown(graph)).toEqual(['1000-1002 -> 1002!? ^exit', '1002-1004 -> ! ^exit']);
  });

  it('a jump into the middle of another takes that in, but not its beginning', () => {
    // jmp 1005; 1004: nop; 1005: jne 1004; ret
    const graph = graphs([0xeb, 0x03, 0xcc, 0xcc, 0x90, 0x75, 0xfd, 0xc3], { functions: [[0x1000, 0x1002, 'f'], [0x1004, 0x1008, 'g']] }).graphOf(START);
    expect(shown(graph)).toEqual(['1000-1002 -> 1005 ^1005', '1005-1007 -> 1007!? ^exit', '1007-1008 -> ! ^exit']);
  });

  it('a part without a name that jumps back is taken in', () => {
    // je 1008; 1002: ret; 1008: nop; jmp 1002
    const graph = graphs([0x74, 0x06, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0x90, 0xeb, 0xf7], { functions: [[0x1000, 0x1003, 'f'], [0x1008, 0x100b]] }).graphOf(START);
    expect(shown(graph)).toEqual(['1000-1002 -> 1002 1008? ^1002', '1002-1003 -> ! ^exit', '1008-100b -> 1002 ^1002']);
  });

  it('functions without anything known work', () => {
    expect(shown(graphs([0x75, 0x01, 0x90, 0xc3], { functions: [] }).graphOf(START))).toEqual(['1000-1002 -> 1002 1003? ^1003', '1002-1003 -> 1003 ^1003', '1003-1004 -> ! ^exit']);
  });
});

describe('calls', () => {
  /** call 1010; ret; and at 1010 what is given. */
  const calling = (callee: readonly number[], name?: string): FunctionGraph => {
    const code = [0xe8, 0x0b, 0x00, 0x00, 0x00, 0xc3, ...new Array<number>(10).fill(0xcc), ...callee];
    return graphs(code, { functions: [[0x1000, 0x1006, 'f'], [0x1010, 0x1010 + callee.length, name]] }).graphOf(START);
  };
  const RETURNING = ['1000-1005 -> 1005 ^1005', '1005-1006 -> ! ^exit'];

  it('end a node and come back', () => {
    expect(shown(calling([0xc3], 'g'))).toEqual(RETURNING);
    expect(shown(graphs([0xff, 0xd0, 0xc3]).graphOf(START))).toEqual(['1000-1002 -> 1002 ^1002', '1002-1003 -> ! ^exit']);
  });

  it('do not come back by name', () => {
    expect(shown(calling([0xc3], 'abort'))).toEqual(['1000-1005 -> ! ^exit']);
  });

  it('do not come back from functions without a return', () => {
    expect(shown(calling([0x90, 0x0f, 0x0b], 'g'))).toEqual(['1000-1005 -> ! ^exit']);
    expect(shown(calling([0xeb, 0xfe], 'g'))).toEqual(['1000-1005 -> ! ^exit']);
    // call itself; then nothing
    expect(shown(calling([0xe8, 0xfb, 0xff, 0xff, 0xff, 0x0f, 0x0b], 'g'))).toEqual(['1000-1005 -> ! ^exit']);
  });

  it('come back from recursive functions', () => {
    // je 1017; call 1010; 1017: ret
    expect(shown(calling([0xe8, 0xfb, 0xff, 0xff, 0xff, 0xc3], 'g'))).toEqual(RETURNING);
    expect(calling([0x0f, 0x0b], 'g').returns).toBe(false);
  });

  it('at the very end do not come back', () => {
    const code = [0xe8, 0x00, 0x00, 0x00, 0x00, 0xc3];
    expect(shown(graphs(code, { functions: [[0x1000, 0x1005, 'f'], [0x1005, 0x1006, 'g']] }).graphOf(START))).toEqual(['1000-1005 -> ! ^exit']);
  });
});

describe('jump tables', () => {
  const RETURNS = [0xc3, 0xc3, 0xc3, 0xc3];
  // cmp edi,2; ja 1011; mov edi,edi; jmp [2000+rdi*8]
  const SWITCH = [0x83, 0xff, 0x02, 0x77, 0x0c, 0x89, 0xff, 0xff, 0x24, 0xfd, 0x00, 0x20, 0x00, 0x00, ...RETURNS];
  const successorsOf = (graph: FunctionGraph, address: number): string[] =>
    (graph.nodeAt(address)?.successors ?? []).map((index) => (graph.nodes[index]?.start ?? 0).toString(16)).sort();

  it('of pointers, up to the bound', () => {
    const graph = graphs(SWITCH, { table: pointers(0x100e, 0x100f, 0x100e, 0x1010, 0x1011) }).graphOf(START);
    expect(shown(graph)).toEqual(['1000-1005 -> 1005 1011? ^exit', '1005-100e -> 100e 100f? ^exit', '100e-100f -> ! ^exit', '100f-1010 -> ! ^exit', '1011-1012 -> ! ^exit']);
  });

  it('without a bound, as far as entries look like some', () => {
    // jmp [2000+rdi*8]
    const code = [0xff, 0x24, 0xfd, 0x00, 0x20, 0x00, 0x00, ...RETURNS];
    const graph = graphs(code, { table: pointers(0x1007, 0x1009, 0x100a, 0x1001, 0x1008) }).graphOf(START);
    expect(successorsOf(graph, START)).toEqual(['1007', '1009', '100a']);
  });

  it('of distances, with a mask, its address from an earlier node', () => {
    // 1000: mov edx,2000; test esi,esi; je 100b; nop; nop;
    // 100b: and edi,3; movsxd rax,[rdx+rdi*4]; add rax,rdx; notrack jmp rax
    const code = [0xba, 0x00, 0x20, 0x00, 0x00, 0x85, 0xf6, 0x74, 0x02, 0x90, 0x90, 0x83, 0xe7, 0x03, 0x48, 0x63, 0x04, 0xba, 0x48, 0x01, 0xd0, 0x3e, 0xff, 0xe0, ...RETURNS];
    const graph = graphs(code, { table: distances(0x1018, 0x1019, 0x101a, 0x101b, 0x1018) }).graphOf(START);
    expect(successorsOf(graph, 0x100b)).toEqual(['1018', '1019', '101a', '101b']);
  });

  it('by one table that two jumps begin to read at different entries', () => {
    const code = [
      0x85, 0xff, 0x74, 0x10, // test edi,edi; je 1014
      0x4c, 0x8d, 0x1d, 0xf5, 0x0f, 0, 0, 0x49, 0x63, 0x0c, 0x93, // lea r11,[2000]; movslq rcx,[r11+rdx*4]
      0x4c, 0x01, 0xd9, 0xff, 0xe1, // add rcx,r11; jmp rcx
      0x4c, 0x8d, 0x1d, 0xe5, 0x0f, 0, 0, 0x49, 0x63, 0x4c, 0x93, 0x08, // lea r11,[2000]; movslq rcx,[r11+rdx*4+8]
      0x4c, 0x01, 0xd9, 0xff, 0xe1, // add rcx,r11; jmp rcx
      0xc3, 0xc3, 0xc3, 0xc3, // ret, four times
    ];
    const graph = graphs(code, { table: distances(0x1025, 0x1026, 0x1027, 0x1028) }).graphOf(START);
    expect(shown(graph).slice(1, 3)).toEqual(['1004-1014 -> 1025 1026 1027 1028? ^exit', '1014-1025 -> 1025 1026 1027 1028? ^exit']);
  });

  it('bounded by flags that were set in a node before', () => {
    // cmp edi,2; je 1011; ja 1012; mov edi,edi; jmp [2000+rdi*8]
    const code = [0x83, 0xff, 0x02, 0x74, 0x0d, 0x77, 0x0b, 0x89, 0xff, 0xff, 0x24, 0xfd, 0x00, 0x20, 0x00, 0x00, ...RETURNS];
    const graph = graphs(code, { table: pointers(0x1010, 0x1011, 0x1012, 0x1013) }).graphOf(START);
    expect(successorsOf(graph, 0x1007)).toEqual(['1010', '1011', '1012']);
  });

  it('of pointers to other functions are none', () => {
    const graph = graphs(SWITCH, { table: pointers(0x1010, 0x1011, 0x1012), functions: [[0x1000, 0x100e, 'f'], [0x1010, 0x1011, 'g'], [0x1011, 0x1012, 'h']] }).graphOf(START);
    expect(shown(graph)).toEqual(['1000-1005 -> 1005!? ^exit', '1005-100e -> ! ^exit']);
  });
});

describe('what was seen', () => {
  it('adds targets of indirect jumps', () => {
    // jmp rax; ret; ret
    const all = graphs([0xff, 0xe0, 0xc3, 0x90, 0xc3]);
    expect(shown(all.graphOf(START))).toEqual(['1000-1002 -> ! ^exit']);
    expect(all.learn(START, 0x1000, 0x1002)).toBe(true);
    expect(all.learn(START, 0x1000, 0x1002)).toBe(false);
    expect(all.learn(START, 0x1000, 0x1004)).toBe(true);
    expect(shown(all.graphOf(START))).toEqual(['1000-1002 -> 1002 1004? ^exit', '1002-1003 -> ! ^exit', '1004-1005 -> ! ^exit']);
  });

  it('that leaves the function is nothing new', () => {
    const all = graphs([0xff, 0xe0, 0xc3], { functions: [[0x1000, 0x1002, 'f'], [0x1002, 0x1003, 'g']] });
    expect(all.learn(START, 0x1000, 0x1002)).toBe(false);
  });

  it('adds handlers that no edge leads to', () => {
    // call rax; 1002: nop; ret; 1004: jmp 1003
    const all = graphs([0xff, 0xd0, 0x90, 0xc3, 0xeb, 0xfd]);
    expect(all.learn(START, 0x1000, 0x1004)).toBe(true);
    expect(all.learn(START, 0x1000, 0x1004)).toBe(false);
    expect(shown(all.graphOf(START))).toEqual(['1000-1002 -> 1002 ^1002', '1002-1003 -> 1003 ^1003', '1003-1004 -> ! ^exit', '1004-1006 -> 1003 ^1003']);
  });
});
