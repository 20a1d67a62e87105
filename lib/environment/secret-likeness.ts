// Whether a value looks like a secret: one that a machine drew, or a password. Names of things, paths, calls and
// placeholders do not. A drawn value is told by its digits, or by having few pieces that could be words: no digit is
// needed, because one key in thirty of 20 characters has none.

/** Placeholders that people write in the place of a secret. */
const PLACEHOLDER =
  /^(?:[$<{%*#@]|x{3,}|\.{3}|0x0+$)|example|placeholder|change.?me|redacted|dummy|sample|your[-_]|[-_]your|insert|todo|\*{3}|\.\.\.|…|^(?:null|undefined|none|true|false)/i;
/** A path of members, a call, a type: code that computes the value. */
const CODE = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$|[({[<]|=>|^(?:process|import|os|env|config|self|this)\./;
const URL_OR_FILE = /^[a-z]+:\/\//i;
const PATH = /^(?:[./~]|[A-Za-z]:[\\/])/;
const FILE_NAME = /^[\w-]+\.\w{1,5}$/;

/** A shorter value is too like a word. */
const LEAST_KEY = 16;
const MANY_DIGITS = 3;
const WORDS = /[A-Z]?[a-z]{2,}|[A-Z]{3,}/g;
const SPEAKABLE = /[aeiouy]/i;
const UNSPEAKABLE = /[bcdfghjklmnpqrstvwxz]{4}/i;
/** Names of things have more of their characters in words, drawn values fewer. */
const SHARE_OF_WORDS = 0.8;

/** Whether a value that its name calls a secret is one. */
export function isSecretLike(value: string, isPassword: boolean): boolean {
  if (isPlaceholder(value) || !/[A-Za-z]/.test(value)) return false;
  return isPassword ? (/\d/.test(value) && !FILE_NAME.test(value)) || isDrawn(value) : isKeyLike(value);
}

/** Whether it is a key or token, whatever its name is. */
export function isKeyLike(value: string): boolean {
  if (value.length < LEAST_KEY || isPlaceholder(value) || !/[A-Za-z]/.test(value) || URL_OR_FILE.test(value))
    return false;
  return (digitsIn(value) >= MANY_DIGITS && !PATH.test(value)) || isDrawn(value);
}

/** Whether a machine drew it. */
export function isDrawn(value: string): boolean {
  if (value.length < LEAST_KEY || !isVaried(value)) return false;
  let inWords = 0;
  for (const [word] of value.matchAll(WORDS))
    if (word.length > 2 && SPEAKABLE.test(word) && !UNSPEAKABLE.test(word)) inWords += word.length;
  return inWords < SHARE_OF_WORDS * value.replace(/[^A-Za-z\d]+/g, '').length;
}

/** Letters and digits, or letters in both cases as a name does not have them. */
export function isVaried(value: string): boolean {
  return /\d/.test(value)
    ? /[A-Za-z]/.test(value)
    : /[a-z]/.test(value) && /[A-Z]{2}|(?:[A-Z][a-z]){2}[A-Z]/.test(value);
}

export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || CODE.test(value);
}

function digitsIn(value: string): number {
  return value.match(/\d/g)?.length ?? 0;
}
