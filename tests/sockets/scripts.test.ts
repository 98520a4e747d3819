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

/** The servers want their ports; no other test has these. */
const SERVERS = [
  row('nginx and curl', ['sh', 'serve.sh', '18480', '/usr/sbin/nginx', '-p', '.', '-c', 'nginx.conf'], { files: { ...script('serve.sh'), ...script('nginx.conf') } }),
  row('lighttpd and curl', ['sh', 'serve.sh', '18481', '/usr/sbin/lighttpd', '-D', '-f', 'lighttpd.conf'], { files: { ...script('serve.sh'), ...script('lighttpd.conf') }, long: true }),
];

testTable('socket scripts', [python('selectors_echo.py'), python('datagrams.py'), python('http_threads.py'), ...SERVERS]);
