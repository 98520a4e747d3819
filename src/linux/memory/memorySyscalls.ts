/** The memory system calls by name. mmap's file comes from the table of open files. */
import { E } from '../../base/errno.js';
import type { Process } from '../process.js';
import type { SyscallFamily } from '../syscall.js';
import type { SyscallArgs } from '../syscallArgs.js';
import { O } from '../files/fileConstants.js';
import { PROT } from '../../machine/mapping.js';
import { adviseMemory, lockMemory, residentPages, syncMemory } from './adviseMemory.js';
import { MAP } from './mmapFlags.js';
import { isPageAligned } from './mmapPlacement.js';
import type { ProcessMemory } from './processMemory.js';
import { remapMemory } from './remapMemory.js';

const MLOCK_ONFAULT = 1;
const MCL_ALL = 7;
const MCL_ONFAULT = 4;
/** pkey_mprotect without a protection key. */
const NO_KEY = -1;

export const memorySyscalls: SyscallFamily = {
  brk: ({ memory }, args) => memory.brk(args.addr(0)),
  mmap: (process, args) => mmap(process, args),
  munmap: ({ memory }, args) => memory.munmap(args.addr(0), args.addr(1)),
  mprotect: ({ memory }, args) => memory.mprotect(pagesAt(memory, args), args.addr(1), args.uint(2)),
  pkey_mprotect: ({ memory }, args) =>
    args.int(3) === NO_KEY ? memory.mprotect(pagesAt(memory, args), args.addr(1), args.uint(2)) : -E.INVAL,
  mremap: ({ memory }, args) =>
    remapMemory(memory, {
      address: args.addr(0), oldLength: args.addr(1), newLength: args.addr(2), flags: args.uint(3), newAddress: args.addr(4),
    }),
  madvise: ({ memory }, args) => adviseMemory(memory, pagesAt(memory, args), args.addr(1), args.int(2)),
  msync: ({ memory }, args) => syncMemory(memory, pagesAt(memory, args), args.addr(1), args.int(2)),
  mincore: ({ memory }, args) => residentPages(memory, pagesAt(memory, args), args.addr(1), args.addr(2)),
  mlock: ({ memory }, args) => lockMemory(memory, pagesAt(memory, args), args.addr(1)),
  mlock2: ({ memory }, args) =>
    (args.int(2) & ~MLOCK_ONFAULT) === 0 ? lockMemory(memory, pagesAt(memory, args), args.addr(1)) : -E.INVAL,
  munlock: ({ memory }, args) => lockMemory(memory, pagesAt(memory, args), args.addr(1)),
  mlockall: (_process, args) => {
    const flags = args.int(0);
    return flags === 0 || (flags & ~MCL_ALL) !== 0 || flags === MCL_ONFAULT ? -E.INVAL : 0;
  },
  munlockall: () => 0,
};

/** Pages that the first argument points to. What has other addresses (machine/views.ts) lies there, too. */
function pagesAt(memory: ProcessMemory, args: SyscallArgs): number {
  return memory.space.mappedAddress(args.addr(0));
}

function mmap(process: Process, args: SyscallArgs): number {
  const request = {
    address: args.addr(0), length: args.addr(1), prot: args.uint(2), flags: args.uint(3), offset: args.addr(5),
  };
  if (!isPageAligned(request.offset)) return -E.INVAL;
  if ((request.flags & MAP.ANONYMOUS) !== 0) return process.memory.mmap({ ...request, offset: 0 }, null);
  const open = process.files.get(args.int(4));
  if (open === undefined || (open.flags & O.PATH) !== 0) return -E.BADF;
  // How it was opened comes before what it is.
  if (!open.readable) return -E.ACCES;
  if ((request.flags & MAP.TYPE) !== MAP.PRIVATE && (request.prot & PROT.WRITE) !== 0 && !open.writable) return -E.ACCES;
  if (open.mapsZeros) return process.memory.mmap({ ...request, flags: request.flags | MAP.ANONYMOUS, offset: 0 }, null);
  const file = open.mappable((request.flags & MAP.SHARED) !== 0 && (request.prot & PROT.WRITE) !== 0);
  return typeof file === 'number' ? file : process.memory.mmap(request, file);
}
