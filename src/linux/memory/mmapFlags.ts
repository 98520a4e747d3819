/** Flag values of mmap(2), mremap(2), msync(2), mprotect(2) on x86-64. */
export const MAP = {
  SHARED: 1, PRIVATE: 2, SHARED_VALIDATE: 3, TYPE: 0xf,
  FIXED: 0x10, ANONYMOUS: 0x20, '32BIT': 0x40, GROWSDOWN: 0x100, FIXED_NOREPLACE: 0x10_0000,
} as const;
/** Flags that MAP_SHARED_VALIDATE accepts: all that Linux has always ignored or known. */
export const MAP_KNOWN = 0x7f | 0x100 | 0x800 | 0x1000 | 0x2000 | 0x4000 | 0x8000 | 0x1_0000 | 0x2_0000 | 0x4_0000 | 0x10_0000;

export const MREMAP = { MAYMOVE: 1, FIXED: 2, DONTUNMAP: 4 } as const;
export const MS = { ASYNC: 1, INVALIDATE: 2, SYNC: 4 } as const;
export const PROT_SEM = 8;
export const PROT_GROWSDOWN = 0x0100_0000;
export const PROT_ALL = 7;

export const MADV = { DONTNEED: 4, FREE: 8, REMOVE: 9, DONTFORK: 10, DOFORK: 11, WIPEONFORK: 18, KEEPONFORK: 19, POPULATE_READ: 22, POPULATE_WRITE: 23, DONTNEED_LOCKED: 24 } as const;
/** Advice that has no effect one could see. */
export const MADV_IGNORED: ReadonlySet<number> = new Set([0, 1, 2, 3, 12, 13, 14, 15, 16, 17, 20, 21]);
