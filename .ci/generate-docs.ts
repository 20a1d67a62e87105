// Writes the files that are made from the code: the commands, the errors, the server's routes, in the page about other
// agents the list of records that stay in their sources, and the client's table of routes. With --check it writes
// nothing and fails if one differs from the code.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AGENT_NAMES, loadAgent } from '../lib/agents/registry.ts';
import { createProgram } from '../lib/cli/program.ts';
import { commandReference, errorReference, withLeftOut } from './reference.ts';
import { endpointTable, routeReference } from './route-reference.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const pages = {
  'docs/commands.md': commandReference(await createProgram(async () => {})),
  'docs/errors.md': errorReference(),
  'docs/routes.md': routeReference(),
  'lib/api/endpoints.ts': endpointTable(),
  'docs/agents.md': withLeftOut(
    readFileSync(`${root}docs/agents.md`, 'utf8'),
    await Promise.all(AGENT_NAMES.map(loadAgent)),
  ),
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
