import { describe, expect, it } from 'vitest';
import { compile, debug, shown, shownStack } from './debugged.js';

describe('a debugger', () => {
  it('opens at the end, and goes to breakpoints in both directions', async () => {
    const session = await debug(compile('calls.c', ['-O0', '-g']));
    expect(session.lastStop).toMatchObject({ kind: 'end', ending: { how: 'exited', code: 0 } });
    expect(shownStack(session)[0]).toContain('exit');
    const point = session.addBreakpoint('add');
    expect(await session.continue('backward')).toMatchObject({ kind: 'breakpoint', numbers: [1] });
    expect(shownStack(session)).toEqual(['add calls.c:6', 'twice calls.c:12', 'main calls.c:25']);
    await session.continue('backward');
    await session.continue('backward');
    expect(point.hits).toBe(3);
    expect(await session.continue('backward')).toMatchObject({ kind: 'start' });
    session.addBreakpoint('calls.c:18');
    await session.continue();
    expect(shown(session.frame)).toBe('add calls.c:6');
    session.breakpoints.delete(1);
    await session.continue();
    expect(shownStack(session)).toEqual(['fact calls.c:18', 'fact calls.c:19', 'fact calls.c:19', 'fact calls.c:19', 'main calls.c:26']);
    expect(await session.continue()).toMatchObject({ kind: 'end' });
  });
});
