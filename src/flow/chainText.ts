/** A chain as text, newest link first: where each is, the line itself, and what it did with the value. */
import { visibleLine } from '../base/visible.js';
import { hex } from '../base/types.js';
import { SYSCALL_NAMES } from '../base/syscallNames.js';
import { type Place, placeText } from './copies/place.js';
import type { DescribedChain, SourceLink } from './describe.js';

export function chainText({ links, isComplete, steps }: DescribedChain): string[] {
  const lines = links.flatMap((link, i) => linkText(link, i, links[i + 1]));
  const last = isComplete ? `${steps} ${steps === 1 ? 'step' : 'steps'} to where it was made.` : `There is more: only ${steps} steps were looked for.`;
  return [...lines, last];
}

export function linkText(link: SourceLink, index: number, next: SourceLink | undefined): string[] {
  const indent = ' '.repeat(6);
  const excerpt = link.text === undefined ? [] : [`${indent}${link.line}\t${link.text.trim()}`];
  return [`#${String(index).padEnd(4)} ${whereText(link)}`, ...excerpt, `${indent}${what(link)}, ${how(link, next)}`].map(visibleLine);
}

function what({ target, value }: SourceLink): string {
  return target === undefined ? value : `${target} = ${value}`;
}

/** `time 1,234  main () at a.c:12` */
function whereText({ time, functionName, fileName, line, address, kind }: SourceLink): string {
  const when = `time ${grouped(time)}`;
  if (kind === 'initial') return 'from the beginning';
  if (functionName === undefined) return address === 0 ? when : `${when}  ${hex(address)}`;
  return `${when}  ${functionName} () at ${fileName?.replace(/.*\//, '') ?? '??'}:${line}`;
}

/** How the value came there, in words. */
export function how(link: SourceLink, next?: SourceLink): string {
  const { kind, called, syscall, offset } = link;
  const by = called === undefined ? '' : ` by ${called} ()`;
  switch (kind) {
    case 'copy': case 'offset': return `${cameFrom(link, next)}${offset === undefined ? '' : `, moved by ${offset}`}`;
    case 'constant': return called === undefined ? 'a constant' : `a constant, put there${by}`;
    case 'address': return 'the address of a variable on the stack';
    case 'computed': return 'computed here';
    case 'mixed': return 'put together here from several places';
    case 'library': return `${isResult(link) ? 'returned' : 'made'}${by}`;
    case 'syscall': return `${isResult(link) ? 'returned' : 'written'} by the system call ${SYSCALL_NAMES[syscall ?? -1] ?? syscall}${called === undefined ? '' : ` in ${called} ()`}`;
    case 'kernel': return 'put there by the kernel';
    case 'initial': return 'there since the program was loaded';
    case 'start': return 'there when the thread began';
    case 'lost': return 'set too long ago to be found';
  }
}

/** Whether it was handed out in a register: by the function that was called, or the kernel. */
function isResult({ links }: SourceLink): boolean {
  return (links.find(({ called }) => called !== undefined) ?? links.at(-1))?.place.kind === 'register';
}

function cameFrom({ source, functionName, called, links }: SourceLink, next: SourceLink | undefined): string {
  const from = source === undefined ? '' : `from ${source}`;
  if (called !== undefined) return `${from === '' ? '' : `${from}, `}copied by ${called} ()`;
  if (source !== undefined) return from;
  if (next?.functionName !== undefined && next.functionName !== functionName) return isReturned(links.at(-1)?.from) ? `the result of ${next.functionName} ()` : `passed by ${next.functionName} ()`;
  return next?.target === undefined ? 'copied' : `from ${next.target}`;
}

function isReturned(from: Place | undefined): boolean {
  return from?.kind === 'register' && /^(rax|eax|ax|al|xmm0)/.test(placeText(from));
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
