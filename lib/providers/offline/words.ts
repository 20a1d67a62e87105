// Words, as a question and a source file have them: identifiers fall apart at their capitals and underscores, endings are
// cut off lightly, accents do not count, and scripts without spaces are read in pairs of characters. Pure, and linear:
// a text is looked through with indexOf, and only the places found are looked at closely.

export interface Term {
  /** As it stood in the question. */
  readonly shown: string;
  /** What to look for in a folded text. */
  readonly needle: string;
  /** What the word at that place must be, once its ending is cut; undefined where the needle itself is enough. */
  readonly stem?: string | undefined;
}

export interface Query {
  readonly terms: readonly Term[];
}

const MAX_TERMS = 24;
const MAX_QUESTION_CHARACTERS = 4_000;
const MAX_WORD_CHARACTERS = 64;

const WORD = /[\p{L}\p{N}_$]+(?:[.-][\p{L}\p{N}_$]+)*/gu;
/** Made when it is first used: classes of Unicode take long to be expanded, and a start need not wait for it. */
let pieceOfWord: RegExp | undefined;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+/gu;

/** Words that ask and join, in the languages that questions mostly come in. Rarity alone would not tell: in a project that is
 * written in English, "wie" and "donde" are the rarest words of all. */
const STOP_WORDS = new Set(
  `a about all am an and any are as at be been but by can could did do does done for from get had has have he her him his how i if in into is it
  its just know like made make many me mean might more most much must my need no not now of off on one or other our out over please should so
  some tell than that the their them then there these they this those to too up us use used using was way we were what when where which while
  who whom whose why will with work would you your show find explain describe give see look
  aber als am an auch auf aus bei bin bis das dass dem den der des dein die dies diese dieser du ein eine einem einen einer es für gibt hat
  habe ich ihr im ist ja kann man mein mich mir mit nach nicht noch nur oder schon sein sich sie sind so über und uns unter vom von vor wann war warum was
  weil welche welcher wenn wer werden wie wieso wir wird wo zu zum zur zeig bitte
  au aux avec ce ces cette comment dans de des du elle en est et il ils je la le les leur mais me mes moi mon ne nous on ou où par pas pour pourquoi quand que
  quel quelle quelles qui quoi sa se ses son sont sur te tu un une vous
  al como con cuando cual donde el ella en es esta este esto fue hay la las lo los mas mi muy no nos o para pero por porque que quien se si sin sobre son su
  un una unos y yo che chi ci come cosa da dei del della di dove gli ho il io le ma nel non per perche più quale quando questo sono una
  ao as com da das do dos e eu foi mais na nao nas no nos onde os ou pela pelo qual quem seu sua um uma você`
    .split(/\s+/)
    .map(fold),
);

/** Lower case, without the accents of Latin letters, and of the same length: places in it are places in the text. */
export function fold(text: string): string {
  const lower = text.replaceAll('İ', 'i').toLowerCase();
  return lower.replace(/[\u00e0-\u024f\u1e01-\u1eff]/g, (letter) => letter.normalize('NFD')[0]!);
}

/** The words of a question that are worth looking for, each once. */
export function readQuery(question: string): Query {
  const terms = new Map<string, Term>();
  const add = (term: Term) => {
    if (terms.size < MAX_TERMS) terms.set(`${term.stem ?? '='}${term.needle}`, term);
  };
  for (const [word] of question.slice(0, MAX_QUESTION_CHARACTERS).matchAll(WORD)) {
    if (word.length > MAX_WORD_CHARACTERS) continue;
    pieceOfWord ??= /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{Lm}]+|\p{N}+/gu;
    const pieces = word.match(pieceOfWord) ?? [];
    const isCompound = pieces.length > 1 && /[\p{Ll}\p{N}_$.-]/u.test(word);
    if (isCompound) add({ shown: word, needle: fold(word) });
    for (const piece of pieces) for (const term of termsOf(piece)) add(term);
  }
  return { terms: [...terms.values()] };
}

/** How often the term stands in the text; `folded` is its folded form. Stops counting at `atMost`. */
export function countTerm(term: Term, text: string, folded: string, atMost = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let at = folded.indexOf(term.needle); at !== -1 && count < atMost; at = folded.indexOf(term.needle, at + 1))
    if (isTermAt(term, text, folded, at)) count += 1;
  return count;
}

/** Where the term first stands; -1 if it does not. */
export function findTerm(term: Term, text: string, folded: string): number {
  for (let at = folded.indexOf(term.needle); at !== -1; at = folded.indexOf(term.needle, at + 1))
    if (isTermAt(term, text, folded, at)) return at;
  return -1;
}

/** The word without its ending, roughly: the same for forms of one word, not necessarily a word itself. */
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

function termsOf(piece: string): Term[] {
  const unspaced = piece.match(UNSPACED)?.join('');
  if (unspaced === piece) return pairs(piece).map((pair) => ({ shown: pair, needle: pair }));
  const word = fold(piece);
  if (STOP_WORDS.has(word) || (word.length < 2 && !/\p{Lo}/u.test(word))) return [];
  const root = stem(word);
  return [{ shown: piece, stem: root, needle: root.endsWith('i') ? root.slice(0, -1) : root }];
}

function pairs(text: string): string[] {
  const characters = Array.from(text);
  if (characters.length < 2) return characters;
  return characters.slice(0, -1).map((character, index) => character + characters[index + 1]);
}

function isTermAt(term: Term, text: string, folded: string, at: number): boolean {
  if (term.stem === undefined) return true;
  if (!isWordBoundary(text, at)) return false;
  let end = at + 1;
  while (end - at < MAX_WORD_CHARACTERS && !isWordBoundary(text, end)) end += 1;
  return stem(folded.slice(at, end)) === term.stem;
}

/** Between two words, also inside an identifier: parse|HTTP|Request, xxh|64|sum. */
function isWordBoundary(text: string, at: number): boolean {
  const [before, after] = [text[at - 1], text[at]];
  if (!isLetterOrDigit(before) || !isLetterOrDigit(after)) return true;
  if (isDigit(before!) !== isDigit(after!)) return true;
  if (!isCapital(after!)) return false;
  return !isCapital(before!) || isSmall(text[at + 1]);
}

function isCapital(character: string): boolean {
  return character !== character.toLowerCase();
}

function isSmall(character: string | undefined): boolean {
  return character !== undefined && character !== character.toUpperCase();
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function isLetterOrDigit(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
