/**
 * A walk that does blocks again (trace/passages.ts) and one that looks at every instance: the same nodes, counts, times
 * and edges, with what each edge is due to.
 */
import { expect, it } from 'vitest';
import { Modules } from '../../src/debugger/program/modules.js';
import { at } from '../../src/replay/log/position.js';
import { Timeline } from '../../src/replay/timeline/timeline.js';
import type { WalkOptions } from '../../src/slices/walkOptions.js';
import { everyInstance } from '../../src/slices/filters.js';
import { SliceGraph } from '../../src/slices/graph.js';
import { type Criterion, Slicer } from '../../src/slices/slicer.js';
import { NEAR_FILES } from '../debugger/debugged.js';
import { ASKED } from './bruteInstances.js';
import { recordProgram } from './compared.js';
import { compile } from './compiled.js';

const RAX = 0;
const OWN: WalkOptions['nodeOf'] = ({ id }) => id;
const BY_SITE: WalkOptions['nodeOf'] = ({ id }, site) => (site >= 0 ? site : id);

async function graphOf(slicer: Slicer, criterion: Criterion, options: WalkOptions): Promise<unknown> {
  const { graph } = await slicer.slice(criterion, options, undefined, (wanters) => new SliceGraph(wanters));
  return {
    nodes: graph.nodes.sort((a, b) => a.node - b.node),
    edges: [...graph.edges].sort((a, b) => a.from - b.from || a.to - b.to || (a.kind < b.kind ? -1 : 1)),
  };
}

it.each([[false, BY_SITE], [true, OWN]] as const)('blocks are done again as they were done, frames: %s', async (frames, nodeOf) => {
  const options = await recordProgram([compile('mixed.c', ['-O2', '-static'])]);
  const slicer = new Slicer(new Timeline(options), new Modules(NEAR_FILES));
  const { endTime } = options.log;
  for (const share of [0.5, 0.9, 1]) {
    const criterion: Criterion = {
      to: at(Math.floor(endTime * share)),
      begin: (walk) => {
        for (let cell = RAX; cell < 128; cell++) walk.wantsOf(1).add(cell, walk.wanters.of(ASKED));
      },
    };
    const walk = { data: true, control: true, frames, nodeOf };
    const repeated = await graphOf(slicer, criterion, walk);
    expect(repeated).toEqual(await graphOf(slicer, criterion, everyInstance(walk)));
  }
});
