// Words, as a question and a source file have them: identifiers fall apart at their capitals and underscores, endings
// are cut off lightly, accents do not count, and scripts without spaces are read in pairs of characters. Pure.

interface Term {
  /** As it was written in the question. */
  readonly shown: string;
  readonly stem: string;
}

export interface Query {
  readonly terms: readonly Term[];
  /** All of its words in their order, also those that are not worth looking for. */
  readonly stems: readonly string[];
  /** Whether it is a question rather than a few words: pages of prose answer those better than code. */
  readonly isQuestion: boolean;
}

export interface Word {
  readonly stem: string;
  readonly text: string;
  /** The offset in the text. */
  readonly at: number;
}

const MAX_TERMS = 24;
const MAX_QUESTION_CHARACTERS = 4_000;
const MAX_WORD_CHARACTERS = 64;

/** Made when first used: the classes of Unicode take long to be expanded, and a start need not wait for them. */
let wordPattern: RegExp | undefined;
let unspaced: RegExp | undefined;
let stopWords: ReadonlySet<string> | undefined;
/** “Is it sent?” asks, and “is sent once” says something of a thing that is not named. */
const ASKS =
  /\?\s*$|^(?:who|what|where|when|why|which|how|wer|was|wo|wann|warum|wie|welche[rs]?)\b|^(?:is|are|does|do|can|should|may)\s+(?:it|this|that|these|those|there|the|an?|i|we|you|they|my|our|your|any|some|all)\b/iu;

/** Words that ask and join. In a project that is written in English, "wie" and "donde" are the rarest words of all. */
export const STOP_WORDS: Pick<ReadonlySet<string>, 'has'> = {
  has(word) {
    stopWords ??= readStopWords();
    return stopWords.has(word);
  },
};

function readStopWords(): ReadonlySet<string> {
  const words = `a about all am an and any are as at be been but by can could did do does done for from get had has have he her him his how i if in into is it
  its just know like made make many me mean might more most much must my need no not now of off on one or other our out over please should so
  some tell than that the their them then there these they this those to too up us use used using was way we were what when where which while
  who whom whose why will with work would you your show find explain explained describe give see look
  aber als am an auch auf aus bei bin bis das dass dem den der des dein die dies diese dieser dieses du ein eine einem einen einer es für gibt hat
  habe ich ihr im ist ja kann man mein mich mir mit nach nicht noch nur oder schon sein sich sie sind so über und uns unter vom von vor wann war warum was
  weil welche welcher wenn wer werden wie wieso wir wird wo zu zum zur zeig bitte
  au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur mais me mes moi mon ne nous on ou où par pas pour pourquoi quand que
  quel quelle quelles qui quoi sa se ses son sont sur te tu un une vous
  al como con cuando cual donde el ella en es esta este esto fue hay la las lo los mas mi muy no nos o para pero por porque que quien se si sin sobre son su
  un una unos y yo che chi ci come cosa da dei del della di dove gli ho il io le ma nel non per perche più quale quando questo sono una
  ao as com da das do dos e eu foi mais na nao nas no nos onde os ou pela pelo qual quem seu sua um uma você`;
  return new Set(fold(words).split(/\s+/));
}

/** Lower case, without the accents of Latin letters. */
export function fold(text: string): string {
  const lower = text.replaceAll('İ', 'i').toLowerCase();
  return lower.replace(/[\u00e0-\u024f\u1e01-\u1eff]/g, (letter) => letter.normalize('NFD')[0]!);
}

/** The words of a question that are worth looking for, each once. */
export function readQuery(question: string): Query {
  const text = question.slice(0, MAX_QUESTION_CHARACTERS);
  const terms = new Map<string, Term>();
  const stems: string[] = [];
  for (const { stem, text: shown, at } of wordsIn(text)) {
    if (terms.size >= MAX_TERMS) break;
    stems.push(stem);
    if (
      (STOP_WORDS.has(fold(shown)) && !isPartOfName(text, at, shown.length)) ||
      (shown.length < 2 && !/\p{Lo}/u.test(shown))
    )
      continue;
    if (!terms.has(stem)) terms.set(stem, { shown, stem });
  }
  return {
    terms: [...terms.values()],
    stems,
    get isQuestion() {
      return ASKS.test(text.trim());
    },
  };
}

/** `oneOf` is a name, whatever its parts are. */
function isPartOfName(text: string, at: number, length: number): boolean {
  return /[A-Za-z\d_]/.test(text.charAt(at - 1)) || /[A-Za-z\d_]/.test(text.charAt(at + length));
}

/** The words of a text, in its order. */
export function* wordsIn(text: string): Generator<Word, void> {
  const isOfAscii = isPlain(text);
  wordPattern ??= isOfAscii ? undefined : /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{Lm}]+|\p{N}+/gu;
  for (const { 0: word, index: at } of text.matchAll(isOfAscii ? PLAIN_WORD : wordPattern!)) {
    if (!isOfAscii && isUnspaced(word)) yield* pairs(word, at);
    else if (word.length <= MAX_WORD_CHARACTERS) yield { stem: stemOf(word), text: word, at };
  }
}

function isUnspaced(word: string): boolean {
  unspaced ??= /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+$/u;
  return unspaced.test(word);
}

/** Signs that are in no word: dashes, quotation marks, arrows, boxes, pictographs. */
const SIGNS =
  '\\u00a0-\\u00a9\\u00ab-\\u00b1\\u00b4\\u00b6-\\u00b8\\u00bb\\u00bf\\u00d7\\u00f7\\u200b-\\u2027\\u2030-\\u205e' +
  '\\u2190-\\u245f\\u2500-\\u2775\\u2794-\\u2bff\\ufe0e\\ufe0f';
/** Pictographs of two units each. */
const PAIRS = ['\\ud83c[\\udde6-\\uddff\\udf00-\\udfff]', '\\ud83d[\\udc00-\\udfff]', '\\ud83e[\\udc00-\\udeff]'];
/** Any letter outside ASCII, and any other unit of a pair. */
const NOT_PLAIN = new RegExp(
  `[^\\0-\\x7f${SIGNS}\\ud83c-\\ud83e\\udc00-\\udfff]|(?!${PAIRS.join('|')})[\\ud83c-\\ud83e]|(?<![\\ud83c-\\ud83e])[\\udc00-\\udfff]`,
);

const NOT_ASCII = /[^\0-\x7f]+/g;

/** Whether all of its letters and digits are those of ASCII. Signs outside ASCII do not count. */
export function isPlain(text: string): boolean {
  // Few characters of most texts are outside ASCII, and to find those is much quicker than to look at each one.
  const others = text.match(NOT_ASCII);
  return others === null || !NOT_PLAIN.test(others.join(' '));
}

const PLAIN_WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

let signs: Uint8Array | undefined;
const SIGNS_END = 0x2600;

/** Whether a unit of UTF-16 above ASCII is in no word, such as a dash. */
export function isSign(code: number): boolean {
  signs ??= Uint8Array.from({ length: SIGNS_END }, (_, each) => Number(!NOT_PLAIN.test(String.fromCharCode(each))));
  return signs[code] === 1;
}

/** The stems of the words of a text, in its order: those of `wordsIn`, for most texts in a third of the time. */
export function stemsIn(text: string): string[] {
  if (!isPlain(text)) return Array.from(wordsIn(text), (word) => word.stem);
  const stems: string[] = [];
  for (const word of text.match(PLAIN_WORD) ?? []) if (word.length <= MAX_WORD_CHARACTERS) stems.push(stemOf(word));
  return stems;
}

/**
 * As `stemsIn`, with undefined for most words of other stems: a word is stemmed where one of these begins with its
 * first letter, which no ending changes.
 */
export function stemsAmong(wanted: ReadonlySet<string>): (text: string) => readonly (string | undefined)[] {
  const begins = new Set([...wanted].map((each) => each.charCodeAt(0)));
  const mayBe = (word: string) => begins.has(word.charCodeAt(0) | LOWER_CASE) || begins.has(word.charCodeAt(0));
  return (text) => {
    if (!isPlain(text)) return stemsIn(text);
    const stems: (string | undefined)[] = [];
    for (const word of text.match(PLAIN_WORD) ?? []) {
      if (word.length <= MAX_WORD_CHARACTERS) stems.push(mayBe(word) ? stemOf(word) : undefined);
    }
    return stems;
  };
}

const LOWER_CASE = 0x20;

/** Remembered, because a text says few different words, and a project says the same ones in each file. */
const stems = new Map<string, string>();
const MAX_STEMS = 50_000;
/** V8 copies a part of a text up to this length; a longer one keeps the whole text in memory unless it is copied. */
const MAX_COPIED_CHARACTERS = 12;

function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size >= MAX_STEMS) stems.clear();
  const found = stem(fold(word));
  stems.set(word.length > MAX_COPIED_CHARACTERS ? Buffer.from(word).toString() : word, found);
  return found;
}

/** Whether a text may have a word that begins like one of these stems: quicker than to read its words. */
export function mayHoldOneOf(stems: readonly string[]): (text: string) => boolean {
  if (stems.length === 0) return () => false;
  const pattern = new RegExp(`[^\\0-\\x7f]|${stems.map((each) => each.replace(/i$/, '')).join('|')}`, 'i');
  return (text) => pattern.test(text);
}

/** How each word of a stem begins: the stem of “queries” is “queri”, and that of “ties” is “ty”. */
export function beginOf(stem: string): string {
  return stem.replace(stem.length > 3 ? /i$/ : /[iy]$/, '');
}

/** Whether a text may hold a term: for most texts, that spares to read their words. */
export function mayHold(text: string, { terms }: Query): boolean {
  const folded = fold(text);
  return terms.some(({ stem }) => folded.includes(stem.endsWith('i') ? stem.slice(0, -1) : stem));
}

/** The word without its ending, roughly: the same for the forms of one word, not necessarily a word itself. */
export function stem(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  const singular = word
    .replace(/(ss|sh|ch|x|z)es$/, '$1')
    .replace(/ies$/, 'y')
    .replace(/([^su])s$/, '$1');
  const bare = singular.replace(/(?<=[aeiouy].*)(?:ing|ed|er|or|en)$/, '');
  const root = bare.length >= 3 && bare !== singular ? bare.replace(/(?<=..)([bdfgmnprt])\1$/, '$1') : singular;
  return root.length > 3 ? root.replace(/e$/, '').replace(/(?<=[^aeiou])y$/, 'i') : root;
}

function* pairs(word: string, at: number): Generator<Word, void> {
  const characters = Array.from(word);
  for (let index = 0; index < Math.max(1, characters.length - 1); index++) {
    const text = characters.slice(index, index + 2).join('');
    yield { stem: text, text, at: at + characters.slice(0, index).join('').length };
  }
}
