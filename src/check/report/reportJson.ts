/** A report for programs. */
import { hex } from '../../base/types.js';
import type { Report, ReportedChain, ReportedFrame, ReportedMoment } from './report.js';

export function reportJson(report: Report): unknown {
  const { rule, severity, message, time, thread, access, stack, block, variable, crash, chains, alike } = report;
  return {
    rule, severity, message, time, thread: thread.tid, process: thread.pid,
    ...(access === undefined ? {} : { access: { kind: access.kind, size: access.size, address: hex(access.address) } }),
    ...(crash === undefined ? {} : { crash: { signal: crash.name, ...(crash.address === undefined ? {} : { address: hex(crash.address) }), ...(crash.place === undefined ? {} : { place: crash.place }) } }),
    stack: stack.map(frameJson),
    ...(block === undefined ? {} : {
      block: {
        address: hex(block.begin), size: block.size, offset: block.offset, allocated: momentJson(block.allocated),
        ...(block.freed === undefined ? {} : { freed: momentJson(block.freed) }),
        ...(block.variable === undefined ? {} : { variable: block.variable }),
      },
    }),
    ...(variable === undefined ? {} : { variable }),
    chains: chains.map(chainJson),
    ...(alike.count === 0 ? {} : { alike: alike.count, bytes: alike.bytes }),
  };
}

function chainJson({ locator, of, chain }: ReportedChain): unknown {
  return {
    variable: locator, of, steps: chain.steps, isComplete: chain.isComplete,
    links: chain.links.map((link) => ({
      time: link.time, function: link.functionName, file: link.path, line: link.line, source: link.text, place: link.target, kind: link.kind, value: link.value,
    })),
  };
}

function momentJson({ time, by, stack }: ReportedMoment): unknown {
  return { time, by, stack: stack.map(frameJson) };
}

function frameJson({ function: name, file, line, column, text, address, object, isUsers, calledAs }: ReportedFrame): unknown {
  return { function: name, file, line, column, source: text, address: hex(address), object, isUsers, calledAs };
}
