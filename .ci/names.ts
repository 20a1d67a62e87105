// Names of types: an exported one is given once in lib/, so that a search for it finds one thing, and none is a noun
// that fits anything.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LIB = fileURLToPath(new URL('../lib/', import.meta.url));
const TYPE = /^(export )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;
const VAGUE = new Set(['Place', 'Row', 'Said', 'Held', 'Piece']);

const placesOf = new Map<string, string[]>();
for (const file of readdirSync(LIB, { recursive: true, encoding: 'utf8' })) {
  if (!/\.tsx?$/.test(file) || file.includes('.generated.')) continue;
  for (const [, exported, name = ''] of readFileSync(join(LIB, file), 'utf8').matchAll(TYPE)) {
    if (VAGUE.has(name)) report(`${name}, in lib/${file}, needs a noun that states of what it is`);
    if (exported !== undefined) placesOf.set(name, [...(placesOf.get(name) ?? []), `lib/${file}`]);
  }
}
for (const [name, places] of placesOf) {
  if (places.length > 1) report(`${name} is the name of ${places.length} types: ${places.join(', ')}`);
}

function report(problem: string): void {
  console.log(problem);
  process.exitCode = 1;
}
