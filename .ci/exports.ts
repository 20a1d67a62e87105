// Finds exports of lib/ that no other file mentions: a name that only its own file uses is not exported. A name in a
// comment or a text counts as a mention, so that no export in use is reported.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Where exports of lib/ are used. */
const USERS = ['lib', 'bin', 'bench', '.ci', 'schemas', 'docs/examples', '__tests__'];
const EXPORT = /^export (?:async )?(?:abstract )?(?:interface|type|class|enum|function\*?|const|let) (\w+)/gm;

const files = USERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|js)$/.test(file))
    .map((file) => `${folder}/${file}`),
);
const textOf = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
/** In how many files each word is. */
const mentions = new Map<string, number>();
for (const text of textOf.values()) {
  for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) mentions.set(word, (mentions.get(word) ?? 0) + 1);
}

const ENTRIES = ['lib/index.ts', 'lib/store.ts', 'lib/services.ts', 'lib/app.ts', 'lib/contracts.ts'];
/** Files that an entry hands on as a whole, and adapters, which are entries: each of their exports is public. */
const isPublic = new Set([
  ...ENTRIES.flatMap((entry) =>
    Array.from(textOf.get(entry)!.matchAll(/^export (?:type )?\* from '\.\/([^']+)'/gm), ([, file]) => `lib/${file}`),
  ),
  ...files.filter((file) => /^lib\/adapters\/[^/]+$/.test(file)),
]);

let found = 0;
for (const [file, text] of textOf) {
  if (!file.startsWith('lib/') || file.includes('.generated.') || isPublic.has(file)) continue;
  for (const [, name = ''] of text.matchAll(EXPORT)) {
    if (mentions.get(name) !== 1) continue;
    found += 1;
    console.log(`${file}: ${name} is exported, and no other file uses it.`);
  }
}
if (found > 0) process.exitCode = 1;
