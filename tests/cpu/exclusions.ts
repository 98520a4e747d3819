/** What is not compared with the real CPU, or not implemented, and why. Every entry must still be needed: coverage.test.ts checks. */

/** Mnemonics that we lift but do not run here. */
export const NOT_COMPARED: ReadonlyMap<string, string> = new Map([
  ['syscall', 'would call the kernel of the host'],
  ['sysenter', 'would call the kernel of the host'],
  ['int', 'int 80h would call the kernel of the host'],
  ['int1', 'the kernel handles the debug exception in its own way'],
  ['cpuid', 'answers are those of the CPU; ours are fixed'],
  ['rdtsc', 'time'],
  ['rdtscp', 'time'],
  ['rdpmc', 'allowed or not by a setting of the kernel'],
  ['iret', 'returns to whatever the stack says: needs valid selectors'],
  ['iretd', 'returns to whatever the stack says: needs valid selectors'],
  ['iretq', 'returns to whatever the stack says: needs valid selectors'],
  ['retf', 'returns to whatever the stack says: needs valid selectors'],
]);

/** Forms of compared mnemonics that we do not run here. */
export const FORMS_NOT_COMPARED: ReadonlyMap<string, string> = new Map([
  ['Bswap_r16', 'undefined result'],
  ...['Call_m1616', 'Call_m1632', 'Call_m1664', 'Jmp_m1616', 'Jmp_m1632', 'Jmp_m1664'].map(
    (name) => [name, 'far transfers: ours are always #GP, before their operand is read'] as const),
  ...['Reservednop_rm16_r16_0F0D', 'Reservednop_rm32_r32_0F0D', 'Reservednop_rm64_r64_0F0D'].map(
    (name) => [name, '#UD on AMD, no-op on Intel'] as const),
  ...['Mov_Sreg_rm16', 'Mov_Sreg_r32m16', 'Mov_Sreg_r64m16', 'Popw_FS', 'Popq_FS', 'Popw_GS', 'Popq_GS'].map(
    (name) => [name, 'loading a segment register would take the native runner its FS and GS bases'] as const),
]);

/** Mnemonics of x86-64-v2 without a lifter. */
export const NOT_LIFTED: ReadonlyMap<string, string> = new Map();
