/** What a run of a SARIF log says once for all its results: tables that results refer to by index. */
import { type Fields, fieldsOf, indexIn, listOf, objectsOf, textIn } from '../json/fields.js';
import type { RunFiles } from './sarifFiles.js';

interface RunTables {
  readonly tool: string | undefined;
  readonly rules: readonly Fields[];
  readonly extensions: readonly Fields[];
  readonly logicalLocations: readonly Fields[];
  readonly threadFlowLocations: readonly Fields[];
  readonly graphs: readonly Fields[];
}

/** What the result objects of a run are read with. */
export class SarifRun {
  private readonly ruleIds: ReadonlyMap<string, Fields>;

  constructor(
    readonly tables: RunTables,
    readonly files: RunFiles,
  ) {
    this.ruleIds = new Map(tables.rules.map((rule) => [textIn(rule['id']) ?? '', rule]));
  }

  ruleOf(result: Fields): Fields {
    const reference = fieldsOf(result['rule']);
    const component = indexIn(fieldsOf(reference['toolComponent'])['index']);
    const rules = component === undefined ? this.tables.rules : objectsOf(this.tables.extensions[component]?.['rules']);
    const index = indexIn(result['ruleIndex']) ?? indexIn(reference['index']);
    return (index === undefined ? undefined : rules[index]) ?? this.ruleIds.get(textIn(result['ruleId']) ?? textIn(reference['id']) ?? '') ?? {};
  }

  /** Plain text; links in it are shown by their words. */
  messageOf(message: Fields, rule: Fields = {}): string | undefined {
    const id = textIn(message['id']);
    const strings = fieldsOf(rule['messageStrings']);
    const found = id !== undefined && Object.hasOwn(strings, id) ? fieldsOf(strings[id]) : {};
    const text = textIn(message['text']) ?? textIn(message['markdown']) ?? textIn(found['text']) ?? textIn(found['markdown']);
    if (text === undefined) return id;
    const values = listOf(message['arguments']);
    const filled = values.length === 0 ? text : text.replace(/\{(\d+)\}/g, (whole, i: string) => textIn(values[Number(i)]) ?? whole);
    return !filled.includes('](') ? filled : filled.replace(/(?<!\\)\[([^[\]]*)\]\(\d+\)/g, '$1');
  }

  /** The function that a location is in. */
  functionOf(location: Fields): string | undefined {
    for (const logical of objectsOf(location['logicalLocations'])) {
      const index = indexIn(logical['index']);
      const full = index === undefined ? logical : { ...this.tables.logicalLocations[index], ...logical };
      const kind = textIn(full['kind']);
      if (kind !== undefined && kind !== 'function' && kind !== 'member') continue;
      const name = textIn(full['name']) ?? textIn(full['fullyQualifiedName']) ?? textIn(full['decoratedName']);
      if (name !== undefined) return name;
    }
    return undefined;
  }
}

export function tablesOf(run: ReadonlyMap<string, unknown>): RunTables {
  const tool = fieldsOf(run.get('tool'));
  const driver = fieldsOf(tool['driver']);
  const name = textIn(driver['name']);
  const version = textIn(driver['version']) ?? textIn(driver['semanticVersion']);
  return {
    tool: name === undefined ? undefined : version === undefined ? name : `${name} ${version}`,
    rules: objectsOf(driver['rules']),
    extensions: objectsOf(tool['extensions']),
    logicalLocations: objectsOf(run.get('logicalLocations')),
    threadFlowLocations: objectsOf(run.get('threadFlowLocations')),
    graphs: objectsOf(run.get('graphs')),
  };
}
