/** Source at a stop: on a pipe the one line as gdb prints it, on a terminal a few lines around with a marker. */
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import { wideHex } from './frameText.js';
import type { Session } from './session.js';
import { paintSource } from './style.js';

/** Empty if the frame has no line. `midLine`: with the address if it stands in the middle of one. */
export function stopSource(frame: VisibleFrame, session: Session, midLine = false): string {
  const { path, line } = frame;
  if (path === undefined || line === 0) return '';
  const name = session.shownName(frame.fileName, path);
  const text = session.sources.line(path, line);
  const address = midLine && frame.isWithinLine ? `${wideHex(frame.pc)}\t` : '';
  const count = session.sources.lines(path)?.length;
  if (text === undefined && count !== undefined) return `Line number ${line} out of range; ${name} has ${count} lines.\n`;
  session.listing.stoppedAt(path, line, name);
  if (text === undefined) return `${address}${line}\t${session.missed.said(path, name)}\n`;
  if (session.surface.isTerminal && session.settings.get('context') !== '0') return around(path, line, session);
  return `${address}${line}\t${text}\n`;
}

function around(path: string, line: number, session: Session): string {
  const context = Number(session.settings.get('context'));
  const { paint } = session;
  const width = String(line + context).length;
  let text = '';
  for (let number = Math.max(1, line - context); number <= line + context; number++) {
    const source = session.sources.line(path, number);
    if (source === undefined) continue;
    const marker = number === line ? paint('current', '->') : '  ';
    const label = String(number).padStart(width);
    text += `${marker} ${number === line ? paint('current', label) : paint('line', label)}  ${paintSource(source, paint)}\n`;
  }
  return text;
}
