/** A report for programs. */
import type { Report, ReportedFrame, ReportedMoment } from './report.js';

export function reportJson(report: Report): unknown {
  const { rule, severity, message, time, tid, pid, stack, block, chains } = report;
  return {
    rule, severity, message, time, thread: tid, process: pid,
    stack: stack.map(frameJson),
    ...(block === undefined ? {} : {
      block: {
        size: block.size, offset: block.offset, allocated: momentJson(block.allocated),
        ...(block.freed === undefined ? {} : { freed: momentJson(block.freed) }),
      },
    }),
    chains: chains.map(({ locator, chain }) => ({
      variable: locator, steps: chain.steps, isComplete: chain.isComplete,
      links: chain.links.map((link) => ({
        time: link.time, function: link.functionName, file: link.path, line: link.line, source: link.text, place: link.target, kind: link.kind, value: link.value,
      })),
    })),
  };
}

function momentJson({ time, by, stack }: ReportedMoment): unknown {
  return { time, by, stack: stack.map(frameJson) };
}

function frameJson({ function: name, file, line, text, address }: ReportedFrame): unknown {
  return { function: name, file, line, source: text, address: `0x${address.toString(16)}` };
}
