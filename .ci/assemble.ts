// Compiles assembly/ to WebAssembly and writes it into lib/, as text: so it is loaded like any other module, without
// asking the disk again. With --check it writes nothing and fails if what is there is not what the sources say.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Those that JavaScript calls, each with a memory of its own, and the folder of lib/ whose they are. */
const MODULES = { scanner: 'journal/line', escape: 'journal/line', unescape: 'journal/line' };
// No runtime: nothing is allocated there. 112 warns of vectors at the border to JavaScript, which none of ours cross.
const OPTIONS = ['-O3', '--converge', '--runtime', 'stub', '--noAssert', '--importMemory', '--enable', 'simd'];

for (const [name, folder] of Object.entries(MODULES)) {
  const target = `${root}lib/${folder}/${name}.generated.ts`;
  const text = [
    '// Made by "npm run generate" from assembly/. Not to be edited.',
    `export const ${name.toUpperCase()}_BASE64 =\n  '${compiled(name).toString('base64')}';`,
    '',
  ].join('\n');
  if (!process.argv.includes('--check')) writeFileSync(target, text);
  else if (readFileSync(target, 'utf8') !== text) {
    console.error(`${target} is not what assembly/ says. Run "npm run generate".`);
    process.exitCode = 1;
  }
}

function compiled(name: string): Buffer {
  const directory = mkdtempSync(join(tmpdir(), 'ollm-assembly-'));
  try {
    const output = join(directory, `${name}.wasm`);
    const asc = `${root}node_modules/assemblyscript/bin/asc.js`;
    const options = [...OPTIONS, '--disableWarning', '112', '--outFile', output];
    // What it says when it succeeds is about its search for shorter code; when it fails, the error holds what it said.
    execFileSync(process.execPath, [asc, `${root}assembly/${name}.ts`, ...options], { stdio: 'pipe' });
    return readFileSync(output);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
