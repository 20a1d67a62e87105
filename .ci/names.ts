// Names of types: an exported one is given once in lib/, so that a search for it finds one thing, and none is a noun
// that fits anything.
import { sourcesIn } from './sources.ts';

const TYPE = /^(export )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;
const VAGUE = new Set(['Place', 'Row', 'Said', 'Held', 'Piece']);

const placesOf = new Map<string, string[]>();
for (const [file, text] of sourcesIn('lib')) {
  if (file.includes('.generated.')) continue;
  for (const [, exported, name = ''] of text.matchAll(TYPE)) {
    if (VAGUE.has(name)) report(`${name}, in ${file}, needs a noun that states of what it is`);
    if (exported !== undefined) placesOf.set(name, [...(placesOf.get(name) ?? []), file]);
  }
}
for (const [name, places] of placesOf) {
  if (places.length > 1) report(`${name} is the name of ${places.length} types: ${places.join(', ')}`);
}

function report(problem: string): void {
  console.log(problem);
  process.exitCode = 1;
}
