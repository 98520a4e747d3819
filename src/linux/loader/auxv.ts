/** The auxiliary vector: what the kernel tells a new program about itself (getauxval(3)), in Linux's order. */
const AT = {
  NULL: 0, PHDR: 3, PHENT: 4, PHNUM: 5, PAGESZ: 6, BASE: 7, FLAGS: 8, ENTRY: 9, UID: 11, EUID: 12, GID: 13, EGID: 14,
  PLATFORM: 15, HWCAP: 16, CLKTCK: 17, SECURE: 23, RANDOM: 25, HWCAP2: 26, RSEQ_FEATURE_SIZE: 27, RSEQ_ALIGN: 28,
  EXECFN: 31, SYSINFO_EHDR: 33, MINSIGSTKSZ: 51,
} as const;

interface AuxvFacts {
  readonly vdso: number;
  readonly minSignalStack: number;
  /** cpuid(1).edx. */
  readonly hwcap: number;
  readonly hwcap2: number;
  readonly programHeaders: number;
  readonly programHeaderCount: number;
  readonly interpreterBase: number;
  readonly entry: number;
  readonly uid: number;
  readonly euid: number;
  readonly gid: number;
  readonly egid: number;
  readonly random: number;
  readonly platform: number;
  readonly fileName: number;
}

export function auxvEntries(f: AuxvFacts): [number, number][] {
  return [
    [AT.SYSINFO_EHDR, f.vdso],
    [AT.MINSIGSTKSZ, f.minSignalStack],
    [AT.HWCAP, f.hwcap],
    [AT.PAGESZ, 4096],
    [AT.CLKTCK, 100],
    [AT.PHDR, f.programHeaders],
    [AT.PHENT, 56],
    [AT.PHNUM, f.programHeaderCount],
    [AT.BASE, f.interpreterBase],
    [AT.FLAGS, 0],
    [AT.ENTRY, f.entry],
    [AT.UID, f.uid],
    [AT.EUID, f.euid],
    [AT.GID, f.gid],
    [AT.EGID, f.egid],
    [AT.SECURE, 0],
    [AT.RANDOM, f.random],
    [AT.HWCAP2, f.hwcap2],
    [AT.EXECFN, f.fileName],
    [AT.PLATFORM, f.platform],
    [AT.RSEQ_FEATURE_SIZE, 28],
    [AT.RSEQ_ALIGN, 32],
  ];
}
