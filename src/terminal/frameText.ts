/** Frames in words: `#1  0x0000555555555171 in main (argc=1, argv=0x7fffffffe4c8) at a.c:5`. */
import { linkedName } from '../debugger/program/linkMap.js';
import type { VisibleFrame } from '../debugger/program/visibleFrame.js';
import type { Session } from './session.js';

interface FrameTextOptions {
  /** `#0  ` before it. */
  readonly level?: boolean;
  /** The address, also at the start of a line. */
  readonly address?: boolean;
}

export function hex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

/** With all 16 digits. */
export function wideHex(value: bigint | number): string {
  return `0x${value.toString(16).padStart(16, '0')}`;
}

export function frameText(frame: VisibleFrame, session: Session, options: FrameTextOptions = {}): string {
  const { paint } = session;
  const level = options.level === true ? `#${String(frame.level).padEnd(3)}` : '';
  if (frame.kind === 'signal') return `${level}<signal handler called>`;
  const address = options.address === true || frame.isWithinLine ? `${paint('address', wideHex(frame.pc))} in ` : '';
  return `${level}${address}${callText(frame, session)}${placeText(frame, session)}`;
}

/** `main (argc=1)` */
function callText(frame: VisibleFrame, session: Session): string {
  const name = session.paint('function', frame.functionName ?? '??');
  return `${name} (${argumentsText(frame, session)})`;
}

function argumentsText(frame: VisibleFrame, session: Session): string {
  return frame.scope === undefined ? '' : session.language.frameArguments(frame);
}

/** ` at a.c:5`, or ` from /lib/libc.so.6`. */
function placeText(frame: VisibleFrame, session: Session): string {
  const { paint } = session;
  if (frame.line !== 0) return ` at ${paint('file', session.shownName(frame.fileName, frame.path))}:${frame.line}`;
  const { module } = frame;
  if (module === undefined || module === frame.program.modules.main || module.path === '[vdso]') return '';
  return ` from ${paint('file', linkedName(frame.program, module))}`;
}
