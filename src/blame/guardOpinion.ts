/**
 * What the rules of `culprit check` say about the first point of corruption: guards around every object make a wrong
 * access fail where it is made. Most findings are about the statement itself; of a block that is freed twice the
 * statement is to blame that made the second pointer, and of a null pointer the one that made it null.
 */
import { hex } from '../base/types.js';
import type { Report, ReportedBlock, ReportedFrame } from '../check/report/report.js';
import type { DescribedChain, SourceLink } from '../flow/describe.js';
import { joinChains } from '../flow/join.js';
import type { BlamedFailure, BlamedFrame } from './blameReport.js';
import { isSamePlace } from './frames.js';

export interface GuardOpinion {
  readonly rule: string;
  readonly message: string;
  /** In the guarded run. */
  readonly time: number;
  /** Where the rule was broken. */
  readonly access: BlamedFrame;
  /** The frame of that, as debuggers number it. */
  readonly level: number;
  /** The statement that is to blame for it, if that is another one. */
  readonly maker: BlamedFrame | undefined;
  readonly makerWhat: string | undefined;
  readonly stack: readonly BlamedFrame[];
  readonly memory: string | undefined;
  /** It was noticed long after it was done, and who did it is not known. */
  readonly isLate: boolean;
  /** Lines that the bad pointer, or index, came by. */
  readonly chain: readonly BlamedFrame[];
  readonly kind: 'corruption' | 'null' | 'undefined' | 'failedCall';
  /** Of a null pointer: the function that gave it back. */
  readonly failedCall: string | undefined;
}

/** Rules whose break is an access to memory that is not meant. */
const CORRUPTING = /(^|\.)(overflow|deref|free|smash|too\.small|unterminated|string\.part)$|^use\.after\.return$|^uninitialized\.address$/;
const NULL = /null/;
const UNDEFINED = /^uninitialized\./;
/** Noticed at the return, long after. */
const SMASHED = 'return.address.smash';

/** In the order of time; crashes that no rule is about, and what is no matter of memory, are left out. */
export function guardOpinions(reports: readonly Report[]): readonly GuardOpinion[] {
  return reports.flatMap((report) => opinionOf(report) ?? []).sort((a, b) => a.time - b.time);
}

/** How the guarded run failed without a rule that was broken before: its crash. */
export function guardedCrash(reports: readonly Report[]): BlamedFailure | undefined {
  const report = reports.find(({ crash }) => crash !== undefined);
  const own = report?.stack.find((frame) => frame.isUsers) ?? report?.stack[0];
  return report && own && { kind: 'finding', name: report.rule, message: report.message, place: frameOf(own), time: report.time };
}

function opinionOf(report: Report): GuardOpinion | undefined {
  const { rule, message, time, stack, block, crash, chains } = report;
  const kind = NULL.test(rule) ? 'null' : CORRUPTING.test(rule) ? 'corruption' : UNDEFINED.test(rule) ? 'undefined' : undefined;
  const own = stack.find((frame) => frame.isUsers) ?? stack[0];
  if (crash !== undefined || kind === undefined || own === undefined) return undefined;
  const [chain] = chains;
  const common = { rule, message, time, access: frameOf(own), level: own.level, stack: stack.map(frameOf), memory: block && memoryText(block), isLate: false, chain: chain === undefined ? [] : linesOf(chain.chain) };
  if (kind === 'null') return { ...common, ...nullMaker(chain?.chain), kind: failedCallOf(chain?.chain) === undefined ? 'null' : 'failedCall', failedCall: failedCallOf(chain?.chain) };
  if (rule === SMASHED) {
    const by = overwriter(chain?.chain);
    return { ...common, kind, failedCall: undefined, ...by, isLate: by.maker === undefined || isSamePlace(by.maker, common.access) };
  }
  const parting = rule === 'double.free' ? partingOf(chains.map((one) => one.chain)) : undefined;
  return { ...common, kind, failedCall: undefined, maker: parting && linkFrame(parting), makerWhat: parting && `makes the second pointer to a block that is freed twice` };
}

/** Where the pointer that is freed second, or else the first one, came to be another one than the other. */
function partingOf(chains: readonly DescribedChain[]): SourceLink | undefined {
  if (chains.length < 2) return undefined;
  const { children, links: shared } = joinChains(chains);
  // Without anything in common they do not part anywhere.
  if (shared.length === 0) return undefined;
  const ownOf = (number: number): SourceLink | undefined => {
    const freeing = chains[number]?.links.find(({ line }) => line > 0);
    const own = children.find(({ chains: numbers }) => numbers.includes(number))?.links;
    // One line may make several copies of a pointer, in a register and in memory: they are the same to the user.
    const others = [...shared, ...(chains[1 - number]?.links ?? []), ...(freeing === undefined ? [] : [freeing])];
    return own?.findLast((link) => link.line > 0 && !isFree(link) && !others.some((other) => isSameLine(link, other)));
  };
  return ownOf(0) ?? ownOf(1);
}

/** What frees a pointer may be hidden in a macro, or in a function of the program: then the text does not tell. */
function isSameLine(link: SourceLink, other: SourceLink): boolean {
  return link.path === other.path && link.line === other.line;
}

function isFree({ text }: SourceLink): boolean {
  return /\b(free|realloc|delete)\b/.test(text ?? '');
}

/** Who wrote the return address that a function found. */
function overwriter(chain: DescribedChain | undefined): Pick<GuardOpinion, 'maker' | 'makerWhat'> {
  const link = chain?.links.find(({ line }) => line > 0);
  return { maker: link && linkFrame(link), makerWhat: link && 'writes over the return address' };
}

function nullMaker(chain: DescribedChain | undefined): Pick<GuardOpinion, 'maker' | 'makerWhat'> {
  const last = chain?.links.findLast(({ line }) => line > 0);
  return last === undefined ? { maker: undefined, makerWhat: undefined } : { maker: linkFrame(last), makerWhat: 'makes the pointer null, which is used later' };
}

function failedCallOf(chain: DescribedChain | undefined): string | undefined {
  const last = chain?.links.at(-1);
  return last?.kind === 'library' ? last.called : undefined;
}

function linesOf({ links }: DescribedChain): BlamedFrame[] {
  return links.filter(({ line }) => line > 0).map(linkFrame);
}

function linkFrame({ functionName, path, line, address }: SourceLink): BlamedFrame {
  return { function: functionName, file: line > 0 ? path : undefined, line: line > 0 ? line : undefined, module: undefined, address: hex(address) };
}

function frameOf({ function: name, file, line, object, address }: ReportedFrame): BlamedFrame {
  return { function: name, file: line > 0 ? file : undefined, line: line > 0 ? line : undefined, module: object, address: hex(Number(address)) };
}

function memoryText({ size, variable, offset, allocated, freed }: ReportedBlock): string {
  const where = offset === undefined ? '' : offset < 0 ? `, ${-offset} bytes before it` : offset >= size ? `, ${offset - size} bytes behind it` : `, at byte ${offset}`;
  const what = variable === undefined ? `a block of ${size} bytes that ${allocated.by} allocated` : `the variable ${variable.name} of ${size} bytes${variable.function === '' ? '' : ` in ${variable.function}`}`;
  return `${what}${freed === undefined ? '' : ', freed'}${where}`;
}
