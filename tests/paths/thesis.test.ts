/** The examples of the thesis, chapter 2: Figures 2.1 to 2.4. */
import { describe, expect, it } from 'vitest';
import { pathreportPieces } from '../../src/paths/writers/pathreportWriter.js';
import { codeBase, codeLines, grammars, inputOf, program, reportsOf, textOf } from './harness.js';
import { TCAS, tcasTrace } from './tcas.js';

/** Figure 2.3 (b), as it is printed. */
const FIGURE = `Trace:
  In function <path name="a">a (
    On line <detour line="5" name="b">a:5, call <path name="b">b (
      On line <detour line="10" name="c">b:10, call <path name="c">c (
        On line c:15, call d
      )</path></detour>
    )</path></detour>
  On line <detour line="20" name="e">a:20, call <path name="e">e (
    On line e:25, call f
  )</path></detour>
)</path>
`;
/** Figure 2.3 (a). */
const TEXT = `Trace:
  In function a (
    On line a:5, call b (
      On line b:10, call c (
        On line c:15, call d
      )
    )
  On line a:20, call e (
    On line e:25, call f
  )
)
`;

describe('the XML of Figure 2.3', () => {
  it('is a path with two detours, around the text of Figure 2.3 (a)', () => {
    const [report, ...others] = reportsOf(inputOf(FIGURE));
    expect(others).toEqual([]);
    expect(report?.text?.whole).toBe(TEXT);
    expect(report?.paths).toEqual([{
      role: 'path',
      segments: [
        { function: 'a', steps: [{ line: 5, detour: 1 }, { line: 20, detour: 3 }] },
        { function: 'b', steps: [{ line: 10, detour: 2 }] },
        { function: 'c', steps: [] },
        { function: 'e', steps: [] },
      ],
    }]);
    expect(report?.text?.ranges?.map(([start, end]) => report.text?.whole.slice(start, end).split('\n')[0])).toEqual(['a (', 'a:5, call b (', 'b (', 'b:10, call c (', 'c (', 'a:20, call e (', 'e (']);
  });

  it('is written again as it was', () => {
    const [report] = reportsOf(inputOf(FIGURE));
    expect(reportsOf(inputOf([...pathreportPieces([report!])].join('')))).toEqual([report]);
  });

  it.each([
    ['a detour without a path', '<path><detour line="1">x</detour></path>', 'report:1: a <detour> has exactly one <path> in it, and this one has none'],
    ['a detour with two', '<path><detour line="1"><path/><path/></detour></path>', 'report:1: a <detour> has exactly one <path> in it, and this is the second'],
    ['a path in a path', '<path>\n<path/></path>', 'report:2: a <path> inside of another belongs into a <detour>'],
    ['a marker outside', 'x <path/> <marker line="1"/>', 'report:1: a <marker> belongs into a <path>'],
    ['a tag that is not known', '<path>\n\n<b>x</b></path>', 'report:3: <b> is not known; there are path, detour and marker'],
    ['what is not closed', '<path><marker line="1">', 'report:1: <marker> is not closed'],
  ])('refuses %s', (_, text, message) => {
    expect(() => reportsOf(inputOf(text))).toThrow(message);
  });
});

describe("aget's two paths of Figures 2.1 and 2.2", () => {
  it('are inlined across files and folded', async () => {
    const files = ['Main.c', 'Aget.c', 'Aget.h', 'Signal.c', 'Misc.c', 'Download.c'];
    const code = codeBase(Object.fromEntries(files.map((name) => [`/reports/${name}`, program(`aget/${name}`)])), { grammars: await grammars() });
    const [report] = reportsOf(inputOf(program('aget/race.xml')), code);
    const { lines, tally } = textOf(report!, code);
    expect(lines.filter((line) => line.startsWith('#'))).toEqual(['# report 1: warning: Possible data race: unprotected dereference of prev at Misc.c:24 [race]', '# path 1 of 2: thread 1', '# path 2 of 2: thread 2']);
    expect(tally).toEqual({ shown: 8, missing: 0 });
    const second = lines.indexOf('# path 2 of 2: thread 2');
    // The call of sigalrm_handler is in an if, in a switch, in a loop: their ends come after what is called.
    expect(codeLines(lines.slice(0, second))).toEqual([
      'Main.c:main', '14\tint main(int argc, char **argv)', '15\t{', '30\t\terror = pthread_create(&hthread, NULL, signal_waiter, NULL);',
      'Signal.c:signal_waiter', '8\tvoid *signal_waiter(void *arg)', '9\t{', '17\t\twhile (1) {', '19\t\t\tswitch (signal) {', '23\t\t\tcase SIGALRM:', '24\t\t\t\tif (bwritten > 0) {', '25\t\t\t\t\tsigalrm_handler();',
      'Signal.c:sigalrm_handler', '33\tvoid sigalrm_handler(void)', '34\t{', '36\t\tupdateProgressBar((float)bwritten, 100.0f);',
      'Misc.c:updateProgressBar', '20\tvoid updateProgressBar(float cur, float tot)', '21\t{', '36\t\tprev = ndot;', '37\t}',
      'Signal.c:sigalrm_handler', '38\t}',
      'Signal.c:signal_waiter', '26\t\t\t\t}', '28\t\t\t}', '29\t\t}', '31\t}',
      'Main.c:main', '45\t}',
    ]);
    // The thread is made in a for, and main's call has an else, of which the line is shown and not the contents.
    expect(codeLines(lines.slice(second)).map((line) => line.split('\t')[0])).toEqual([
      'Main.c:main', '14', '15', '39', '40', 'Aget.c:resume_get', '14', '15', '23', '26', 'Download.c:http_get', '5', '6', '10', '16', 'Misc.c:updateProgressBar', '20', '21', '36', '37',
      'Download.c:http_get', '17', '19', 'Aget.c:resume_get', '27', '30', 'Main.c:main', '41', '43', '45',
    ]);
  });
});

describe("a counterexample of BLAST's kind, 102 lines long (Figure 2.4)", () => {
  it('is calls and returns: functions are where they are called, and nothing is lost', async () => {
    const trace = tcasTrace();
    expect(trace.split('\n').filter((line) => line.includes('<marker') || line.includes('<detour')).length).toBe(102);
    const code = codeBase({ '/reports/tcas.c': TCAS }, { grammars: await grammars() });
    const [report] = reportsOf(inputOf(trace), code);
    const { lines, tally } = textOf(report!, code);
    expect(tally).toEqual({ shown: 102, missing: 0 });
    const heads = lines.filter((line) => line.startsWith('tcas.c:')).map((line) => line.slice('tcas.c:'.length));
    // initialize comes first, below its call; what the command line is made of is in main; then alt_sep_test.
    expect(heads.slice(0, 3)).toEqual(['main', 'initialize', 'main']);
    expect(heads).toContain('alt_sep_test');
    expect(lines.indexOf('tcas.c:alt_sep_test')).toBe(lines.findIndex((line) => line.includes('printf("%d\\n", alt_sep_test());')) + 1);
  });
});
