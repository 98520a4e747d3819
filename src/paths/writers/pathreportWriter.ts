/**
 * Reports as `pathreport` XML. A report that has its text gets its tags back where they were; for others a text is
 * made, in the manner of Figure 2.3: what is called, where, and why.
 */
import type { Path, PathReport, Segment, Step, TextRange } from '../model/path.js';
import { nodesOf, type PathNode } from '../model/walk.js';
import { xmlAttribute, xmlText } from '../readers/xml/xmlReader.js';

export function* pathreportPieces(reports: Iterable<PathReport>): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<pathreports>\n';
  for (const report of reports) {
    yield `<pathreport${attributes({ rule: report.rule, level: report.level, message: report.message, tool: report.tool, suppressions: report.suppressions === undefined ? undefined : JSON.stringify(report.suppressions) })}>`;
    yield* report.text?.ranges === undefined ? madeText(report) : markedText(report, report.text.whole, report.text.ranges);
    yield '</pathreport>\n';
  }
  yield '</pathreports>\n';
}

/** The text of the report with tags around its ranges. */
function* markedText({ paths }: PathReport, whole: string, ranges: readonly TextRange[]): Generator<string> {
  const open: { readonly close: string; readonly end: number }[] = [];
  let [at, number] = [0, 0];
  const textTo = (end: number): string => {
    const text = whole.slice(at, end);
    at = Math.max(at, end);
    return xmlText(text);
  };
  for (const path of paths) {
    for (const node of tagged(path)) {
      if (node.close !== undefined) {
        const top = open.pop()!;
        yield textTo(top.end) + top.close;
        continue;
      }
      const [start, end] = ranges[number++] ?? [at, at];
      yield textTo(start) + node.open;
      open.push({ close: node.closing, end });
    }
  }
  yield textTo(whole.length);
}

/** A text of our own: a line for each step. */
function* madeText({ message, paths }: PathReport): Generator<string> {
  yield xmlText(`${message}\n`);
  for (const path of paths) {
    yield xmlText(`${path.role}${path.title === undefined ? '' : `, ${path.title}`}:\n`);
    let depth = 0;
    for (const node of tagged(path)) {
      if (node.close !== undefined) {
        depth--;
        yield node.close + (node.isSegment && depth === 0 ? '\n' : '');
      } else {
        depth++;
        yield (node.isSegment ? '' : `\n${'  '.repeat(Math.min(depth >> 1, 40))}`) + node.open + xmlText(node.words);
      }
    }
  }
}

type Tag = { readonly close: string; readonly isSegment: boolean } | { readonly close?: undefined; readonly open: string; readonly closing: string; readonly words: string; readonly isSegment: boolean };

function* tagged(path: Path): Generator<Tag> {
  const callers: Segment[] = [];
  let roots = 0;
  for (const node of nodesOf(path)) {
    if (node.kind === 'end') {
      if (node.of === 'segment') callers.pop();
      yield { close: node.of === 'segment' ? '</path>' : '</detour>', isSegment: node.of === 'segment' };
      continue;
    }
    yield node.kind === 'segment' ? pathTag(node, path, callers.at(-1), roots) : stepTag(node.step, node.segment);
    if (node.kind === 'step' && node.step.detour === undefined) yield { close: '</marker>', isSegment: false };
    if (node.kind === 'segment') {
      if (callers.length === 0) roots++;
      callers.push(node.segment);
    }
  }
}

function pathTag({ segment }: PathNode & { readonly kind: 'segment' }, { role, title, group, thread }: Path, caller: Segment | undefined, roots: number): Tag {
  const about = caller !== undefined ? {} : roots > 0 ? { continues: 'yes' } : { role, title, group, thread };
  // Unless it says otherwise, it is in the file of its caller.
  const file = segment.file ?? (caller?.file === undefined ? undefined : '');
  return { open: `<path${attributes({ name: segment.function, file: file !== '' && file === caller?.file ? undefined : file, ...about })}>`, closing: '</path>', words: segment.function ?? '', isSegment: true };
}

function stepTag(step: Step, segment: Segment): Tag {
  const { file, line, column, endLine, endColumn, why, kinds, importance, state, order, snippet, module, detour } = step;
  const name = detour === undefined ? 'marker' : 'detour';
  const fields = attributes({ file, line, column, endline: endLine, endcolumn: endColumn, why, kinds: kinds?.join(' '), importance, state: state === undefined ? undefined : JSON.stringify(state), order, snippet, module });
  const place = `${file ?? segment.file ?? ''}${line === undefined ? '' : `:${line}`}`;
  return { open: `<${name}${fields}>`, closing: `</${name}>`, words: `${place}${why === undefined ? '' : `, ${why}`}${detour === undefined ? '' : ', calls '}`, isSegment: false };
}

function attributes(fields: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(fields).map(([name, value]) => (value === undefined ? '' : ` ${name}="${xmlAttribute(String(value))}"`)).join('');
}
