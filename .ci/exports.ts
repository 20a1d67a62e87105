// Finds exports of lib/ that no other file of the program mentions: a name that only its own file uses is not exported,
// and tests are no users, except of types and of the names in TESTED. A name in a text counts as a mention, so that no
// export in use is reported.
import { sourcesIn } from './sources.ts';

/** Where exports of lib/ are used. */
const USERS = ['lib', 'bin', 'bench', '.ci', 'schemas', 'docs/examples'];
const EXPORT = /^export (?:async )?(?:abstract )?(interface|type|class|enum|function\*?|const|let) (\w+)/gm;

/** Values that tests take from within a file, and why they cannot go through the file's other exports. */
const TESTED = new Map([
  ['GIT_PROGRAM_KEYS', 'each key of git is planted and tried'],
  ['RECOVERY_TABLE', 'docs/journal-format.md is compared with it'],
  ['auditConversation', 'runs over the reader of any conversation, with no app around it'],
  ['decodeState', 'state files are damaged byte by byte'],
  ['describeConversation', 'runs over the reader of any conversation, with no app around it'],
  ['hardened', 'its arguments are given to the real git'],
  ['inParts', 'a law over generated texts'],
  ['loadSqliteVec', 'its distances are compared with those of provideOwnDistance'],
  ['lookForSandbox', 'looks for the sandbox of systems other than this one'],
  ['problemsOf', 'a law over settings of a stream, with no server'],
  ['problemsOfBucket', 'a law over settings of a bucket, with no server'],
  ['provideOwnDistance', 'its distances are compared with those of loadSqliteVec'],
  ['replayConversation', 'runs over the reader of any conversation, with no app around it'],
  ['seatbeltProfile', 'is read on systems that cannot run it'],
  ['shortPath', 'a law over generated paths'],
  ['sizeOfChange', 'a change that takes too long to compare'],
  ['statusFacts', 'lines of git status that are hard to bring about'],
  ['tailConversation', 'runs over the reader of any conversation, with no app around it'],
  ['tryThresholds', 'runs over the reader of any conversation, with no app around it'],
]);

const textsOf = (folder: string) => sourcesIn(folder, /\.(?:tsx?|js)$/);
const textOf = new Map(USERS.flatMap(textsOf).filter(([file]) => file !== '.ci/exports.ts'));
const files = [...textOf.keys()];
const wordsOf = (text: string) => new Set(text.match(/[A-Za-z_$][\w$]*/g));
/** In how many files each word is, outside of comments. */
const mentions = new Map<string, number>();
for (const text of textOf.values()) {
  for (const word of wordsOf(text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '')))
    mentions.set(word, (mentions.get(word) ?? 0) + 1);
}
const tested = new Set(textsOf('__tests__').flatMap(([, text]) => [...wordsOf(text)]));

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
  for (const [, kind = '', name = ''] of text.matchAll(EXPORT)) {
    if (mentions.get(name) !== 1) continue;
    const isType = kind === 'type' || kind === 'interface';
    if (tested.has(name) && (isType || TESTED.delete(name))) continue;
    found += 1;
    console.log(`${file}: ${name} is exported, and no other file of the program uses it.`);
  }
}
for (const name of TESTED.keys()) {
  found += 1;
  console.log(`.ci/exports.ts: ${name} is in TESTED for nothing.`);
}
if (found > 0) process.exitCode = 1;
