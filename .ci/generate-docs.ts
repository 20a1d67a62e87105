// Writes the pages of docs/ that are made from the code: the commands and the errors. With --check it writes nothing
// and fails if a page is not what the code says.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createProgram } from '../lib/cli/program.ts';
import { commandReference, errorReference } from './reference.ts';
import { routeReference } from './route-reference.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const pages = {
  'docs/commands.md': commandReference(await createProgram(async () => {})),
  'docs/errors.md': errorReference(),
  'docs/routes.md': routeReference(),
};

if (process.argv.includes('--check')) {
  const stale = Object.entries(pages).filter(([path, text]) => readFileSync(root + path, 'utf8') !== text);
  if (stale.length > 0) {
    console.error(`Not what the code says: ${stale.map(([path]) => path).join(', ')}. Run "npm run generate".`);
    process.exitCode = 1;
  }
} else {
  for (const [path, text] of Object.entries(pages)) writeFileSync(root + path, text);
}
