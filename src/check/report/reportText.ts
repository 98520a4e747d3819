/** A report as text for a terminal. */
import { chainText } from '../../flow/chainText.js';
import type { Report, ReportedFrame, ReportedMoment } from './report.js';

/** `command`: opens the debugger at a time. */
export function reportText(report: Report, command: (time: number) => string): string {
  const { rule, severity, message, stack, block, chains, time } = report;
  const lines = [`${severity}: ${message} [${rule}]`, ...stackText(stack)];
  if (block !== undefined) {
    lines.push('', ...momentText(`The block of ${block.size} bytes was allocated by`, block.allocated));
    if (block.freed !== undefined) lines.push('', ...momentText('It was freed by', block.freed));
  }
  for (const { locator, chain } of chains) lines.push('', `How the value came there, newest first (${locator}):`, ...chainText(chain).map((line) => `  ${line}`));
  lines.push('', `To look around there: ${command(time)}`);
  return lines.join('\n');
}

function momentText(what: string, { by, time, stack }: ReportedMoment): string[] {
  return [`${what} ${by} at time ${grouped(time)}:`, ...stackText(stack)];
}

function stackText(stack: readonly ReportedFrame[]): string[] {
  return stack.map((frame, i) => `  #${String(i).padEnd(3)} ${frame.function ?? '??'} () ${place(frame)}`.trimEnd());
}

function place({ file, line, address }: ReportedFrame): string {
  return file === undefined ? `at 0x${address.toString(16)}` : `at ${file.replace(/.*\//, '')}:${line}`;
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
