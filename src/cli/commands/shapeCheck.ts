/** `culprit shape check`: a specification in words, with an example of what it calls healthy. */
import { UserError } from '../../base/errors.js';
import { visibleLine } from '../../base/visible.js';
import { bindShapes } from '../../shapes/checking/bind.js';
import { drawText } from '../../shapes/explain/drawText.js';
import { exampleOf } from '../../shapes/explain/example.js';
import { synthesizeProgram } from '../../shapes/explain/synthesize.js';
import { explainShapes } from '../../shapes/explain/words.js';
import { readSpecification } from '../arguments/shapeFiles.js';
import { LineWriter, untilReaderGone } from '../output/output.js';

export function shapeCheckCommand(names: readonly string[]): number {
  if (names.length === 0) throw new UserError('culprit shape check: which specification?');
  return untilReaderGone(() => {
    const out = new LineWriter();
    for (const name of names) {
      const { path, items, fail } = readSpecification(name);
      // What the program's types are is not known here: those that would fit.
      const { problems } = bindShapes(items, synthesizeProgram(items));
      if (problems.length > 0) fail(problems);
      for (const line of explainShapes({ file: path, items })) out.line(visibleLine(line));
      const example = exampleOf(items);
      if (example === undefined) continue;
      out.line('For example:');
      for (const line of drawText(example)) out.line(visibleLine(`  ${line}`));
    }
    out.flush();
    return 0;
  });
}
