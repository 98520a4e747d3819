/**
 * What is not compared with the real CPU, or not implemented, and why. Every entry must still be needed:
 * coverage.test.ts checks.
 */

/** Mnemonics that we lift but do not run here. */
export const NOT_COMPARED: ReadonlyMap<string, string> = new Map([
  ['syscall', 'would call the kernel of the host'],
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
  ...['fclex', 'finit', 'fsave', 'fstcw', 'fstenv', 'fstsw'].map((name) => [name, 'fwait and the form without it: two instructions'] as const),
  ['prefetchwt1', 'not in x86-64-v2; a no-op where it is missing'],
  ['rdsspd', 'not in x86-64-v2; a no-op where it is missing'],
  ['rdsspq', 'not in x86-64-v2; a no-op where it is missing'],
]);

/** Forms of compared mnemonics that we do not run here. */
export const FORMS_NOT_COMPARED: ReadonlyMap<string, string> = new Map([
  ['Bswap_r16', 'undefined result'],
  ['Fstpnce_sti', 'undocumented; what it does to empty registers differs between CPUs'],
  ...['Call_m1616', 'Call_m1632', 'Call_m1664', 'Jmp_m1616', 'Jmp_m1632', 'Jmp_m1664'].map(
    (name) => [name, 'far transfers: ours are always #GP, before their operand is read'] as const),
  ...['Reservednop_rm16_r16_0F0D', 'Reservednop_rm32_r32_0F0D', 'Reservednop_rm64_r64_0F0D'].map(
    (name) => [name, '#UD on AMD, no-op on Intel'] as const),
  ...['Mov_Sreg_rm16', 'Mov_Sreg_r32m16', 'Mov_Sreg_r64m16', 'Popw_FS', 'Popq_FS', 'Popw_GS', 'Popq_GS'].map(
    (name) => [name, 'loading a segment register would take the native runner its FS and GS bases'] as const),
]);

/** Mnemonics of x86-64-v2 without a lifter. */
export const NOT_LIFTED: ReadonlyMap<string, string> = new Map([
  ['sysenter', 'Linux programs of 64 bits use syscall; #UD on AMD'],
  ...['sldt', 'str', 'sgdt', 'sidt', 'smsw'].map((name) => [name, 'tells about the kernel; raises an exception or is emulated where UMIP is on'] as const),
  ...['verr', 'verw', 'lar', 'lsl'].map((name) => [name, 'asks about segment descriptors, which a 64-bit program has no use for'] as const),
  ...['lss', 'lfs', 'lgs'].map((name) => [name, 'loads a segment register, which a 64-bit program has no use for'] as const),
]);
