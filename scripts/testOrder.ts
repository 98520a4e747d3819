/**
 * The order in which files of tests run: project by project. A process that several files of a project share
 * (vitest.config.ts) goes on only if the next file that waits is of the same one; vitest would mix them, large files
 * first, and share next to nothing. What takes long comes first, so that no processor is idle in the end.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

export class ProjectByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { projects } = this.ctx;
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => projects.indexOf(a.project) - projects.indexOf(b.project));
  }
}
