/** Where the table of a triage goes: to stdout as text, lines or JSON; to files as SARIF and as a page. */
import { jsonText, shellWord, visibleLine } from '../../base/visible.js';
import { tableJson } from '../../triage/tableJson.js';
import { tablePage } from '../../triage/tablePage.js';
import { tableSarif } from '../../triage/tableSarif.js';
import { PLAIN_TABLE, type ShownCommand, tableList, type TableStyle, tableText } from '../../triage/tableText.js';
import { type TriageTable, triageStatus } from '../../triage/triageTable.js';
import { LineWriter, untilReaderGone } from '../output/output.js';
import { OutputFile } from '../output/outputFile.js';
import { wantsColour } from '../output/report.js';
import { VERSION } from '../stores/version.js';

export interface TableOutputOptions {
  readonly json?: boolean;
  readonly list?: boolean;
  readonly sarif?: string;
  readonly html?: string;
}

const COLOURS: TableStyle = { strong: (text) => `\u001b[1m${text}\u001b[0m`, weak: (text) => `\u001b[2m${text}\u001b[0m` };

/** Files that were named are known to be writable before anything runs. */
export class TableOutputs {
  private readonly sarif: OutputFile | undefined;
  private readonly html: OutputFile | undefined;

  /** Throws a UserError if a file cannot be written. */
  constructor(private readonly options: TableOutputOptions) {
    if (options.sarif !== undefined) this.sarif = new OutputFile('--sarif', options.sarif);
    if (options.html !== undefined) this.html = new OutputFile('--html', options.html);
  }

  write(table: TriageTable, command: ShownCommand): void {
    const commandLine = [command.shown, ...command.args].map(shellWord).join(' ');
    this.sarif?.write(`${jsonText(tableSarif(table, command, { version: VERSION, commandLine, exitCode: triageStatus(table) }), 2)}\n`);
    this.html?.write(tablePage(table, command));
    untilReaderGone(() => {
      const out = new LineWriter();
      for (const line of this.lines(table, command)) out.line(line);
      out.flush();
      return 0;
    });
  }

  private lines(table: TriageTable, command: ShownCommand): readonly string[] {
    const { json, list } = this.options;
    if (json === true) return [jsonText(tableJson(table, command), 2)];
    if (list === true) return tableList(table, command.directory).map(visibleLine);
    // What comes from programs and names of files has been made visible where it was put into the lines.
    return tableText(table, command, wantsColour(process.stdout) ? COLOURS : PLAIN_TABLE);
  }
}
