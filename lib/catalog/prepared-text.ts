// How a text is prepared for the full-text index, and a query for its search: one function for both, so that a text is
// found by its own words. SQLite's tokenizer `unicode61` then splits at everything that is not a letter, digit or mark,
// folds case and takes off diacritics. It knows no word borders inside of a run of letters: they are added here.

/** The tokenizer that prepared text is made for. Marks are a part of their word, as the vowels of Hindi are. */
export const TOKENIZER = "unicode61 remove_diacritics 2 categories 'L* N* M*'";

// Ranges, where properties would say the same: a search for \p{Ll} takes fifty times as long.
const UPPER = 'A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ';
const LOWER = 'a-zß-öø-ÿα-ωа-яё';
const NOT_ASCII = /[\u0080-\uffff]/;
/**
 * Characters of scripts that are written without spaces: Thai to Khmer, Chinese, Japanese, and Korean for its
 * particles.
 */
const UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u30ff\u3100-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff]|[\ud840-\ud8bf][\udc00-\udfff]/g;
const PERHAPS_PICTOGRAPH = /[\u00a9\u00ae\u203c-\u24ff\u25a0-\u2bff]|[\ud83c-\ud83e][\udc00-\udfff]/g;
/** The tokenizer takes every character that is newer than its tables for a letter. */
const noLetter = lazily(() => /[^\p{ASCII}\p{L}\p{N}\p{M}]/gu);
/** Few characters of most texts: to look at each one by its properties takes long. */
const NOT_ASCII_RUN = /[\u0080-\uffff]+/g;
const pictograph = lazily(() => /\p{Extended_Pictographic}/u);
/** A change of case inside of a word: `camelCase`, `HTTPServer`. */
const CHANGE_OF_CASE = new RegExp(`[${LOWER}][${UPPER}]|[${UPPER}]{2}[${LOWER}]`, 'g');
const PARTS = new RegExp(
  `[${UPPER}]+(?![${LOWER}])|[${UPPER}]?[${LOWER}]+|[${UPPER}]|[0-9]+|[^${UPPER}${LOWER}0-9]+`,
  'g',
);
const ASCII_IN_WORD = /[a-z0-9]/i;
const inWord = lazily(() => /[\p{L}\p{N}\p{M}]/u);
/** A longer word is encoded data, and no name. */
const MAX_NAME_CHARACTERS = 64;

/**
 * The text with the characters of unspaced scripts set apart, the parts of `camelCase` after their word, and
 * pictographs as words, because the tokenizer knows none. Text in another normal form of Unicode gives the same.
 *
 * @example
 * preparedText('getUserName 数据'); // 'getUserName get User Name  数  据 '
 */
export function preparedText(text: string): string {
  return withParts(setApart(text));
}

/** The prepared text without the parts of `camelCase`: for the beginning of a word, whose parts are not known yet. */
export function setApart(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text
    .normalize('NFKC')
    .replace(UNSPACED, ' $& ')
    .replace(PERHAPS_PICTOGRAPH, (sign) =>
      pictograph().test(sign) ? ` emoji${sign.codePointAt(0)!.toString(16)} ` : sign,
    )
    .replace(NOT_ASCII_RUN, (run) => run.replace(noLetter(), ' '));
}

/** Whether a character of it is set apart. */
export function hasUnspaced(text: string): boolean {
  return text.search(UNSPACED) >= 0;
}

/** Whether the index has more of a word than the word. */
export function hasParts(word: string): boolean {
  return word.search(CHANGE_OF_CASE) >= 0 || NOT_ASCII.test(word);
}

/** Whether a search can find the text: it holds a letter, a digit or a pictograph. */
export function hasWords(text: string): boolean {
  return ASCII_IN_WORD.test(text) || inWord().test(preparedText(text));
}

function withParts(text: string): string {
  let prepared = '';
  let done = 0;
  CHANGE_OF_CASE.lastIndex = 0;
  // From change to change: a search for whole words would start again at each letter of a long one.
  for (let change = CHANGE_OF_CASE.exec(text); change !== null; change = CHANGE_OF_CASE.exec(text)) {
    let start = change.index;
    while (start > done && isInWord(text.charCodeAt(start - 1))) start -= 1;
    const end = endOfWord(text, start);
    prepared += text.slice(done, end);
    if (end - start <= MAX_NAME_CHARACTERS) prepared += ` ${text.slice(start, end).match(PARTS)!.join(' ')}`;
    done = end;
    CHANGE_OF_CASE.lastIndex = end;
  }
  return done === 0 ? text : prepared + text.slice(done);
}

function endOfWord(text: string, start: number): number {
  let end = start;
  while (end < text.length) {
    const code = text.codePointAt(end)!;
    if (!isInWord(code)) break;
    end += code > 0xffff ? 2 : 1;
  }
  return end;
}

function isInWord(code: number): boolean {
  if (code > 0x7f) return inWord().test(String.fromCodePoint(code));
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** The classes of Unicode take long to be expanded, and most texts need none of them. */
export function lazily(make: () => RegExp): () => RegExp {
  let made: RegExp | undefined;
  return () => (made ??= make());
}
