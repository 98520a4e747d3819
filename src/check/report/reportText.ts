/** A report as text for people: what happened in a sentence, where, to which block, and how the value came to be. */
import { visible, visibleLine } from '../../base/visible.js';
import { chainText } from '../../flow/chainText.js';
import { joinChains, stepsOf, treeText } from '../../flow/join.js';
import { distance } from './distance.js';
import { frameName, type ReportedFrame, shownFrames } from './frames.js';
import type { Report, ReportedBlock, ReportedChain, ReportedExcerpt, ReportedMoment, ReportedThread } from './report.js';
import type { ReportedVariable } from './undefinedOrigin.js';
import { plainStyle, type TextStyle } from './textStyle.js';

interface ReportTextOptions {
  /** Opens the debugger at that time; or how to get there. */
  readonly command?: ((time: number) => string) | undefined;
  readonly style?: TextStyle;
  /** Paths below it are shown relative to it. */
  readonly directory?: string;
}

/** Frames at the same place that are shown one by one. */
const MOST_ALIKE = 3;
/** The name of what has none. */
const NAMELESS = '??';

/** Without a newline at its end. */
export function reportText(report: Report, options: ReportTextOptions = {}): string {
  return new ReportText(options).lines(report).join('\n');
}

class ReportText {
  private readonly style: TextStyle;

  constructor(private readonly options: ReportTextOptions) {
    this.style = options.style ?? plainStyle;
  }

  lines(report: Report): string[] {
    const { rule, severity, message, excerpt, block, chains, time, alike } = report;
    const { style } = this;
    const paragraphs = [
      [`${style.severity(severity, `${severity}:`)} ${style.strong(visible(message))} [${rule}]`, ...this.what(report)],
      excerpt === undefined ? [] : this.excerpt(excerpt),
      this.stackUnlessKnown(report),
      report.variable === undefined ? [] : [visible(`The value comes from ${variableText(report.variable)}.`)],
      ...(block === undefined ? [] : this.block(report, block)),
      alike.count === 0 ? [] : [`${alike.count} more like it from the same place${alike.bytes === 0 ? '' : `, ${bytes(alike.bytes)} altogether`}.`],
      chainsText(chains),
      this.options.command === undefined ? [] : [this.options.command(time)],
    ];
    return paragraphs.filter((lines) => lines.length > 0).flatMap((lines, i) => (i === 0 ? lines : ['', ...lines]));
  }

  /** `write of 4 bytes by memset () in worker () at a.c:6, thread 2` */
  private what({ access, stack, thread }: Report): string[] {
    const shown = shownFrames(stack);
    const user = shown.find((frame) => frame.isUsers);
    const [inner] = shown;
    if (inner === undefined) return [];
    const by = inner.isUsers || user === undefined || frameName(inner) === NAMELESS ? '' : ` by ${frameName(inner)} ()`;
    const did = access === undefined ? (by === '' ? '' : `call of ${frameName(inner)} ()`) : `${access.kind} of ${access.size === 0 ? 'memory' : bytes(access.size)}${by}`;
    const where = ` in ${this.frame(user ?? inner)}`;
    return [`  ${did}${where}${whose(thread)}`.replace(/^ +/, '  ')];
  }

  private excerpt({ frame, first, lines }: ReportedExcerpt): string[] {
    const width = String(first + lines.length - 1).length;
    return lines.map(visibleLine).flatMap((line, i) => {
      const number = first + i;
      const isIt = number === frame.line;
      const text = `${isIt ? '  > ' : '    '}${String(number).padStart(width)} | ${line}`.trimEnd();
      if (!isIt) return [this.style.faint(text)];
      return [this.style.strong(text), ...(frame.column > 0 ? [`    ${' '.repeat(width)} | ${line.slice(0, frame.column - 1).replace(/[^\t]/g, ' ')}${this.style.mark('^')}`] : [])];
    });
  }

  /** One frame has been said already. */
  private stackUnlessKnown({ stack }: Report): string[] {
    const shown = shownFrames(stack);
    return shown.filter((frame) => frame.isUsers).length === 1 && shown.length <= 2 ? [] : this.stack(shown, false);
  }

  private block({ access, stack }: Report, block: ReportedBlock): string[][] {
    const { allocated, freed } = block;
    if (block.variable !== undefined) return [[`${sentence(placeInBlock(block, access?.address))}${block.variable.isGone ? ', which has returned' : ''}.`]];
    const where = stack.length === 0 ? `A block of ${bytes(block.size)}` : sentence(placeInBlock(block, access?.address));
    return [
      [`${where}, allocated by ${allocated.by} () at time ${grouped(allocated.time)}:`, ...this.moment(allocated)],
      ...(freed === undefined ? [] : [[`It was freed by ${freed.by} () at time ${grouped(freed.time)}:`, ...this.moment(freed)]]),
    ];
  }

  /** The function itself is known. */
  private moment({ stack }: ReportedMoment): string[] {
    const shown = shownFrames(stack);
    return this.stack(shown[0]?.calledAs === undefined ? shown : shown.slice(1), true);
  }

  private stack(shown: readonly ReportedFrame[], withText: boolean): string[] {
    return runsOf(shown).flatMap((run, i) => run.flatMap((frame, j) => {
      if (run.length > MOST_ALIKE && j > 0) return j === 1 ? [`       … ${run.length - 1} more of it`] : [];
      const line = `  #${String(frame.level).padEnd(3)} ${this.frame(frame)}`;
      return withText && i === 0 && j === 0 && frame.text !== undefined ? [line, this.style.faint(`          ${visibleLine(frame.text.trim())}`)] : [line];
    }));
  }

  private frame(frame: ReportedFrame): string {
    return visible(this.frameWords(frame));
  }

  private frameWords(frame: ReportedFrame): string {
    const { file, line, address, isUsers, object } = frame;
    if (!isUsers && frame.calledAs !== undefined) return `${frameName(frame)} ()`;
    if (file !== undefined && line > 0) return `${frameName(frame)} () at ${this.path(file)}:${line}`;
    return `${frameName(frame)} () at 0x${address.toString(16)}${object === undefined ? '' : ` in ${this.path(object)}`}`;
  }

  private path(path: string): string {
    return shortPath(path, this.options.directory);
  }
}

/** Frames beside each other that are at the same place: a function that calls itself. */
function runsOf(frames: readonly ReportedFrame[]): ReportedFrame[][] {
  const runs: ReportedFrame[][] = [];
  for (const frame of frames) {
    const last = runs.at(-1);
    if (last?.[0]?.address === frame.address && last[0].function === frame.function) last.push(frame);
    else runs.push([frame]);
  }
  return runs;
}

function variableText({ name, function: owner }: ReportedVariable): string {
  const frame = owner === undefined ? 'the stack' : `the frame of ${owner} ()`;
  return name === undefined ? frame : `${name}, in ${frame}`;
}

/** Several as one tree: where they part is where it went wrong. */
function chainsText(chains: readonly ReportedChain[]): string[] {
  const [first, ...others] = chains;
  if (first === undefined) return [];
  if (others.length === 0) return [`Where ${first.of} comes from, newest first:`, ...indented(chainText(first.chain))];
  const tree = joinChains(chains.map(({ chain }) => chain));
  const steps = stepsOf(tree);
  return ['Where the values come from, newest first:', ...indented(treeText(tree, chains.map(({ of }) => of))), `  ${steps} ${steps === 1 ? 'step' : 'steps'} altogether.`];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

const LONGEST_PATH = 40;

/** Relative to a directory that it is below; of what is still long, the end. */
export function shortPath(path: string, directory?: string): string {
  const below = directory !== undefined && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
  if (below.length <= LONGEST_PATH) return below;
  const parts = below.split('/');
  while (parts.length > 1 && parts.join('/').length + 2 > LONGEST_PATH) parts.shift();
  return `…/${parts.join('/')}`;
}

function whose({ number, tid, pid, threads, processes }: ReportedThread): string {
  return `${threads > 1 ? `, thread ${number} (${tid})` : ''}${processes > 1 ? `, process ${pid}` : ''}`;
}

/**
 * `0 bytes after a block of 40 bytes`. `address`: where the access begins; undefined: the pointer that the report is
 * about, if that is known.
 */
export function placeInBlock({ size, begin, offset, freed, variable }: ReportedBlock, address: bigint | undefined): string {
  const from = address === undefined ? (offset === undefined ? undefined : BigInt(offset)) : distance(begin, address);
  const block = variable === undefined ? `a ${freed === undefined ? '' : 'freed '}block of ${bytes(size)}` : `${variable.name}, a ${variable.function === '' ? `global variable of ${bytes(size)}` : `variable of ${bytes(size)} of ${variable.function} ()`}`;
  if (from === undefined) return block;
  if (from < 0n) return `${bytes(-from)} before ${block}`;
  if (from >= size) return `${bytes(from - BigInt(size))} after ${block}`;
  return `${from === 0n ? 'at the begin of' : `${bytes(from)} inside of`} ${block}${freed === undefined && (offset ?? 0) >= size ? ' and beyond its end' : ''}`;
}

function sentence(text: string): string {
  return text.replace(/^./, (first) => first.toUpperCase());
}

function bytes(count: number | bigint): string {
  return `${grouped(count)} ${String(count) === '1' ? 'byte' : 'bytes'}`;
}

function grouped(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
