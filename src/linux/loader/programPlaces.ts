/** Where the parts of a program are, as /proc/PID/stat shows them. */
import type { ElfFile } from '../../elf/elfFile.js';
import type { InitialStack } from './initialStack.js';

const PF_X = 1;

export interface ProgramPlaces {
  readonly startCode: number;
  readonly endCode: number;
  readonly startData: number;
  readonly endData: number;
  readonly startStack: number;
  readonly argStart: number;
  readonly argEnd: number;
  readonly envStart: number;
  readonly envEnd: number;
}

/** As Linux goes over the segments (fs/binfmt_elf.c). */
export function programPlaces({ elf, bias }: { readonly elf: ElfFile; readonly bias: number }, stack: InitialStack): ProgramPlaces {
  const code = elf.loads.filter(({ flags }) => (flags & PF_X) !== 0);
  const starts = elf.loads.map(({ address }) => address);
  const end = ({ address, fileSize }: { readonly address: number; readonly fileSize: number }): number => address + fileSize;
  const { argStart, argEnd, envStart, envEnd, pointer } = stack;
  return {
    startCode: bias + Math.min(...code.map(({ address }) => address), Math.max(...starts)), endCode: bias + Math.max(0, ...code.map(end)),
    startData: bias + Math.max(...starts), endData: bias + Math.max(...elf.loads.map(end)),
    startStack: pointer, argStart, argEnd, envStart, envEnd,
  };
}
