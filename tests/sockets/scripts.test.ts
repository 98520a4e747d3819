import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { row } from '../table/invocation.js';
import { testTable } from '../table/testTable.js';

function script(name: string): Record<string, string> {
  return { [name]: readFileSync(fileURLToPath(new URL(`scripts/${name}`, import.meta.url)), 'utf8') };
}

function python(name: string): ReturnType<typeof row> {
  return row(name, ['/usr/bin/python3', '-S', '-B', name], { files: script(name) });
}

testTable('socket scripts', [python('selectors_echo.py'), python('datagrams.py'), python('http_threads.py')]);
