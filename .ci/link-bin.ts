// Lets `npx ollm` in this folder run the program that is built here; npx would look for one of that name in the registry.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../node_modules/.bin/', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const name of ['ollm', 'ollm.cmd']) rmSync(join(folder, name), { force: true });
if (process.platform === 'win32') writeFileSync(join(folder, 'ollm.cmd'), '@node "%~dp0\\..\\..\\bin\\ollm.js" %*\r\n');
else symlinkSync(join('..', '..', 'bin', 'ollm.js'), join(folder, 'ollm'));
