/** `culprit shape check`: whether a specification makes sense. */
import { UserError } from '../../base/errors.js';
import { visibleLine } from '../../base/visible.js';
import { bindShapes } from '../../shapes/checking/bind.js';
import { readSpecification } from '../arguments/shapeFiles.js';
import { LineWriter, untilReaderGone } from '../output/output.js';

export function shapeCheckCommand(names: readonly string[]): number {
  if (names.length === 0) throw new UserError('culprit shape check: which specification?');
  return untilReaderGone(() => {
    const out = new LineWriter();
    for (const name of names) {
      const { path, items, fail } = readSpecification(name);
      const { specification: { constraints }, problems } = bindShapes(items);
      if (problems.length > 0) fail(problems);
      out.line(visibleLine(`${path}: ${constraints.length} ${constraints.length === 1 ? 'constraint' : 'constraints'}`));
      for (const constraint of constraints) out.line(visibleLine(`  [${constraint.name}] ${constraint.text.replace(/\s+/g, ' ')}`));
    }
    out.flush();
    return 0;
  });
}
