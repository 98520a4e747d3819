/**
 * Packs editors/vscode into dist/culprit-VERSION.vsix: a zip file with the extension below extension/, a manifest and a
 * list of content types. That is all there is to such a file, and Microsoft's tool for it comes with hundreds of
 * packages.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

const FOLDER = 'editors/vscode';
const FILES = ['package.json', 'extension.js', 'slices.js', 'alterations.js', 'README.md', 'LICENSE.txt'];
const TYPES = { json: 'application/json', js: 'application/javascript', md: 'text/markdown', txt: 'text/plain', vsixmanifest: 'text/xml' };

const read = (name) => readFileSync(join(FOLDER, name));
const about = JSON.parse(read('package.json').toString());

function escaped(text) {
  return text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
}

const manifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escaped(about.name)}" Version="${escaped(about.version)}" Publisher="${escaped(about.publisher)}"/>
    <DisplayName>${escaped(about.displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(about.description)}</Description>
    <Tags>debuggers</Tags>
    <Categories>${about.categories.map(escaped).join(',')}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escaped(about.engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
`;
const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${Object.entries(TYPES)
  .map(([extension, type]) => `<Default Extension=".${extension}" ContentType="${type}"/>`)
  .join('')}</Types>
`;

/**
 * A zip file: each file with a header before it, and all headers once more at the end. The date is fixed, so that equal
 * files make equal packages.
 */
function zipped(files) {
  const DATE = ((2020 - 1980) << 9) | (1 << 5) | 1;
  const [parts, directory] = [[], []];
  let offset = 0;
  for (const { name, bytes } of files) {
    const packed = deflateRawSync(bytes, { level: 9 });
    const common = Buffer.alloc(26);
    [20, 0x800, 8, 0, DATE].forEach((value, i) => common.writeUInt16LE(value, i * 2));
    [crc32(bytes), packed.length, bytes.length].forEach((value, i) => common.writeUInt32LE(value, 10 + i * 4));
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, rest, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, index, end]);
}

const path = join('dist', `${about.name}-${about.version}.vsix`);
mkdirSync('dist', { recursive: true });
writeFileSync(path, zipped([
  { name: 'extension.vsixmanifest', bytes: Buffer.from(manifest) },
  { name: '[Content_Types].xml', bytes: Buffer.from(contentTypes) },
  ...FILES.map((name) => ({ name: `extension/${name}`, bytes: read(name) })),
]), { mode: 0o644 });
console.log(path);
