// Writes the pages of docs/ that are made from the code: the commands and the errors. A test holds them against it.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createProgram } from '../lib/cli/program.ts';
import { commandReference, errorReference } from '../lib/cli/reference.ts';

const docs = fileURLToPath(new URL('../docs/', import.meta.url));
writeFileSync(`${docs}commands.md`, commandReference(await createProgram(async () => {})));
writeFileSync(`${docs}errors.md`, errorReference());
