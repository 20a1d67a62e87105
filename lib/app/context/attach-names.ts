// Finds in a message the files that it names with an @: `@lib/index.ts`, `@"my notes.txt"`, `@~/picture.png`. A word
// that names no file and does not look like one is a word (@bob, @media, @types/node); `@@` never names one. Pure.

export interface NamedFile {
  /** As it is in the message, for messages to the user. */
  readonly shown: string;
  /** The paths that it may mean, the likeliest first: a sign at its end may belong to the sentence. */
  readonly candidates: readonly [string, ...string[]];
  /** Whether a file is meant for sure, so that a missing one is a mistake: a name with an ending, or from a root on. */
  readonly looksLikePath: boolean;
}

const NAME = /(?<=^|[\s([{])@(?!@)(?:"(?<quoted>[^"\n]+)"|(?<word>[^\s"]+))/gu;
/** `~/notes`, `./notes`, `C:\\notes`, `lib/index.ts`. A scoped package has no ending: `@types/node`. */
const PATH = /^(?:~|\/|\.{1,2}[/\\])|\\|(?:^|\/)[^/@]*\.[^./@]+$/u;
const SENTENCE_SIGNS = /[.,;:!?)\]}'”»…]+$/u;

/** Each path once, in the order of the message. */
export function namedFiles(message: string): readonly NamedFile[] {
  const found = new Map<string, NamedFile>();
  for (const { groups } of message.matchAll(NAME)) {
    const file = groups?.quoted === undefined ? bareName(groups?.word ?? '') : quotedName(groups.quoted);
    if (file !== undefined && !found.has(file.shown)) found.set(file.shown, file);
  }
  return [...found.values()];
}

function quotedName(path: string): NamedFile {
  return { shown: path, candidates: [path], looksLikePath: true };
}

function bareName(word: string): NamedFile | undefined {
  const trimmed = word.replace(SENTENCE_SIGNS, '');
  if (trimmed === '') return undefined;
  const candidates: NamedFile['candidates'] = trimmed === word ? [word] : [word, trimmed];
  return { shown: trimmed, candidates, looksLikePath: PATH.test(trimmed) };
}
