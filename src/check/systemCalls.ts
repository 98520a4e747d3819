/** Which arguments system calls look at, whatever the others are. */
import { SYSCALL_NAMES } from '../base/syscallNames.js';
import { SIGNATURES } from '../replay/describe/syscallSignatures.js';

/** Those whose last arguments may be left out. */
const AT_LEAST: ReadonlyMap<string, number> = new Map([
  ['open', 2], ['openat', 3], ['fcntl', 2], ['ioctl', 2], ['futex', 2], ['prctl', 1], ['arch_prctl', 1], ['clone', 2], ['mremap', 4], ['semctl', 3], ['msgctl', 2], ['shmctl', 2],
  ['ptrace', 2], ['getcpu', 2], ['mmap', 4], ['quotactl', 2], ['keyctl', 1], ['bpf', 1], ['rseq', 3], ['getrandom', 3], ['membarrier', 2],
]);

/** Whether a system call looks at its n-th argument, from 0 on. */
export function takesArgument(number: number, n: number): boolean {
  const name = SYSCALL_NAMES[number];
  return name !== undefined && n < (AT_LEAST.get(name) ?? SIGNATURES.get(name)?.length ?? 0);
}
