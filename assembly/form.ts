// Data that is like that of an earlier line, on its bytes: pieces that do not vary, and between them what does. What a form
// is made of is said in lib/journal/line/data-form.ts.

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const BRACE_OPEN: u8 = 0x7b;
const BRACE_CLOSE: u8 = 0x7d;
const BRACKET_OPEN: u8 = 0x5b;
const BRACKET_CLOSE: u8 = 0x5d;
const ZERO: u8 = 0x30;

const MAX_DIGITS: usize = 15;
/** A longer string is no id. */
const MAX_STRING: usize = 256;

const INTEGER: u32 = 0;
const STRING: u32 = 1;
const TEXT: u32 = 2;

// A form: the length of its first piece and how many variables there are, that piece, and then for each variable its kind,
// the lengths of the piece behind it and of that piece's own beginning which closes a text, and the piece.
const HEAD_LENGTH: usize = 0;
const VARIABLES: usize = 4;
const HEAD: usize = 8;
const KIND: usize = 0;
const BEHIND_LENGTH: usize = 4;
const CLOSING_LENGTH: usize = 8;
const BEHIND: usize = 12;

// What is found of a variable: where it begins and ends, and an integer's value, or how many bytes of a text stand for
// themselves from its beginning on, as far as that matters.
const START: usize = 0;
const STOP: usize = 4;
const VALUE: usize = 8;
const FOUND_BYTES: usize = 16;

/** Whether the data from `start` to `stop` has this form. `found` has room for each of its variables. */
export function matches(form: usize, start: usize, stop: usize, found: usize): bool {
  const headLength = <usize>load<u32>(form, HEAD_LENGTH);
  if (!areSame(form + HEAD, start, headLength)) return false;
  let at = start + headLength;
  let variable = form + HEAD + headLength;
  for (let left = load<u32>(form, VARIABLES); left > 0; left -= 1) {
    const kind = load<u32>(variable, KIND);
    const behind = variable + BEHIND;
    const behindLength = <usize>load<u32>(variable, BEHIND_LENGTH);
    store<u32>(found, <u32>at, START);
    let end: usize;
    if (kind === INTEGER) end = integerStop(found, at);
    else if (kind === STRING) end = stringStop(at);
    else if (kind === TEXT) {
      end = textStop(at, stop, behind, <usize>load<u32>(variable, CLOSING_LENGTH));
      store<u64>(found, <u64>(plainStop(at) - at), VALUE);
    } else end = valueStop(at, stop);
    if (end === 0 || !areSame(behind, end, behindLength)) return false;
    store<u32>(found, <u32>end, STOP);
    found += FOUND_BYTES;
    at = end + behindLength;
    variable = behind + behindLength;
  }
  return at === stop;
}

function areSame(left: usize, right: usize, length: usize): bool {
  let at: usize = 0;
  for (; at + 16 <= length; at += 16) {
    if (v128.any_true(v128.xor(v128.load(left + at), v128.load(right + at)))) return false;
  }
  for (; at < length; at += 1) if (load<u8>(left + at) !== load<u8>(right + at)) return false;
  return true;
}

/** All of these answer 0 for what is not of their kind. */
function integerStop(found: usize, start: usize): usize {
  let at = start;
  let value: u64 = 0;
  for (let digit = load<u8>(at) - ZERO; digit <= 9; digit = load<u8>(at) - ZERO) {
    value = value * 10 + <u64>digit;
    at += 1;
    if (at - start > MAX_DIGITS) return 0;
  }
  if (at === start || (load<u8>(start) === ZERO && at - start > 1)) return 0;
  store<u64>(found, value, VALUE);
  return at;
}

/** Of a short one, not empty, of ASCII that stands in the line as it is. */
function stringStop(start: usize): usize {
  const at = plainStop(start);
  return at > start && at - start <= MAX_STRING && load<u8>(at) === QUOTE ? at : 0;
}

/** Behind the bytes that JSON has as they are, one for each character: no more than are asked for. */
function plainStop(start: usize): usize {
  for (let at = start; at - start <= MAX_STRING; at += 16) {
    const bytes = v128.load(at);
    const isOther = v128.or(
      v128.or(i8x16.lt_s(bytes, i8x16.splat(0x20)), i8x16.eq(bytes, i8x16.splat(0x7f))),
      v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH))),
    );
    const others = i8x16.bitmask(isOther);
    if (others !== 0) return at + <usize>ctz<i32>(others);
  }
  return start + MAX_STRING + 16;
}

/** A text ends with what looks like its closing; an escaped quote is a part of it, and then it is left to be parsed. */
function textStop(start: usize, stop: usize, closing: usize, length: usize): usize {
  const first = i8x16.splat(load<i8>(closing));
  const second = i8x16.splat(load<i8>(closing + 1));
  for (let at = start; at < stop; at += 16) {
    let candidates = i8x16.bitmask(v128.and(i8x16.eq(v128.load(at), first), i8x16.eq(v128.load(at + 1), second)));
    for (; candidates !== 0; candidates &= candidates - 1) {
      const end = at + <usize>ctz<i32>(candidates);
      if (end >= stop) return 0;
      if (areSame(closing, end, length)) return load<u8>(end - 1) === BACKSLASH ? 0 : end;
    }
  }
  return 0;
}

/** Of an object or a list. */
function valueStop(start: usize, stop: usize): usize {
  const first = load<u8>(start);
  if (first !== BRACE_OPEN && first !== BRACKET_OPEN) return 0;
  let depth = 0;
  for (let at = start; at < stop; at += 1) {
    const byte = load<u8>(at);
    if (byte === BRACE_OPEN || byte === BRACKET_OPEN) depth += 1;
    else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) depth -= 1;
    else if (byte === QUOTE) at = closingQuote(at + 1, stop);
    if (depth === 0) return at + 1;
  }
  return 0;
}

function closingQuote(start: usize, stop: usize): usize {
  const quote = i8x16.splat(QUOTE);
  const backslash = i8x16.splat(BACKSLASH);
  let at = start;
  while (at < stop) {
    const bytes = v128.load(at);
    const found = i8x16.bitmask(v128.or(i8x16.eq(bytes, quote), i8x16.eq(bytes, backslash)));
    if (found === 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz<i32>(found);
    if (load<u8>(at) === QUOTE) return at;
    at += 2;
  }
  return stop;
}
