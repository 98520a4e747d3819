/** `culprit ir`: the code of one function in every form it takes, without running anything. */
import { entryAddresses } from '../../jit/region.js';
import { UserError } from '../../base/errors.js';
import { guestAddr, hex } from '../../base/types.js';
import { ElfFile } from '../../elf/elfFile.js';
import { bytePath, bytePathFromText } from '../../base/bytePath.js';
import { NodeHost } from '../../host/nodeHost.js';
import { printBlock } from '../../ir/printer.js';
import { findProgram } from '../../linux/loader/findProgram.js';
import { hostLoaderFiles } from '../../linux/loader/hostLoaderFiles.js';
import { programError } from '../../linux/loader/programErrors.js';
import { decodeOne } from '../../x86/translate.js';
import { findCode, type CodeRange } from '../arguments/codeRange.js';
import { FunctionCode } from '../opening/functionCode.js';
import { untilReaderGone, writeFully } from '../output/output.js';
import { wantsColour } from '../output/report.js';

export interface IrOptions {
  /** False with --no-wasm. */
  readonly wasm: boolean;
}

export function irCommand(program: string, place: string, options: IrOptions): number {
  const elf = openElf(program);
  const range = findCode(elf, place);
  const code = new FunctionCode(elf, range);
  const paint = wantsColour(process.stdout) ? { title: bold, x86: green } : { title: plain, x86: plain };
  const lines = [paint.title(titleOf(range)), ''];
  for (const block of code.blocks) {
    lines.push(paint.title(`block ${hex(block.start)}, ${block.instructions} instructions`));
    const disassemble = (address: number): string => decodeOne(code.fetch(address, 15), guestAddr(address)).text;
    for (const line of printBlock(block, { disassemble }).split('\n')) lines.push(line.startsWith('//') ? paint.x86(line) : line);
    lines.push('');
  }
  if (options.wasm) {
    for (const { region, text } of code.regionTexts()) {
      const blocks = region.nodes.length === 1 ? '1 block' : `${region.nodes.length} blocks`;
      lines.push(paint.title(`WebAssembly for the region entered at ${entryAddresses(region).map(hex).join(', ')}: ${blocks}, ${region.instructions} instructions`), text);
    }
  }
  return untilReaderGone(() => {
    writeFully(1, Buffer.from(`${lines.join('\n').trimEnd()}\n`));
    return 0;
  });
}

function openElf(program: string): ElfFile {
  const host = new NodeHost();
  const files = hostLoaderFiles(host.files);
  const name = bytePathFromText(program);
  // Any ELF file will do, also a library that may not be executed; only bare names need the search for programs.
  const path = program.includes('/') ? name : bytePath(findProgram(files, name, process.env['PATH']));
  const facts = files.stat(path);
  if (typeof facts === 'number') throw programError(program, -facts);
  if (facts.kind !== 'file') throw new UserError(`${program}: not a file`, 126);
  const file = files.open(path);
  if (typeof file === 'number') throw programError(program, -file);
  return new ElfFile(program, file.contents);
}

function titleOf({ start, end, name }: CodeRange): string {
  const where = end === undefined ? `from ${hex(start)}` : `${hex(start)}..${hex(end)}`;
  return name === undefined ? where : `${name}, ${where}`;
}

const plain = (text: string): string => text;
const bold = (text: string): string => `\u001b[1m${text}\u001b[0m`;
const green = (text: string): string => `\u001b[32m${text}\u001b[0m`;
