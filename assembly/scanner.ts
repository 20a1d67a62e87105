// What lib/journal/line/scanner.ts calls: many lines of a journal at once, or a single one, in the memory that they were copied
// to. Below INPUT lie the place in the chain and what was found of each line; the caller brings memory as large as it needs.
import { matches } from './form';
import {
  areDigits,
  areSame,
  checksumHolds,
  digitsOf,
  endsLikeLine,
  findFrame,
  findMembers,
  hashIn,
  previousDigits,
  RECORD_BYTES,
  seqOf,
} from './line';
import { begin, finish, hashOf, takeStripes } from './xxh64';

const LINE_FEED: u8 = 0x0a;

/** The seq and the hash of the last line that holds: what the next one has to follow. */
const CHAIN_SEQ: usize = 4096;
const CHAIN_HASH: usize = CHAIN_SEQ + 8;
/** What was found of the variables of a form. */
const FOUND: usize = CHAIN_SEQ + 64;
const RECORDS: usize = FOUND + 1024;
const MAX_RECORDS: i32 = 2048;
const FORMS: usize = RECORDS + <usize>MAX_RECORDS * RECORD_BYTES;
const FORM_BYTES: usize = 2048;
const MAX_FORMS: usize = 64;
const INPUT: usize = FORMS + MAX_FORMS * FORM_BYTES;

export const chainAt: usize = CHAIN_SEQ;
export const foundAt: usize = FOUND;
export const recordsAt: usize = RECORDS;
export const formsAt: usize = FORMS;
export const formBytes: usize = FORM_BYTES;
export const maxForms: usize = MAX_FORMS;
export const inputAt: usize = INPUT;

/** Behind the last line that `pass` and `find` went over. */
export let passedTo: usize = INPUT;

/** Goes over lines that hold and follow the last one, as far as whole lines stand up to `stop`, and returns how many. */
export function pass(start: usize, stop: usize): i32 {
  return go(start, stop, false);
}

/** The same up to MAX_RECORDS, for those who want to know where their members stand. */
export function find(start: usize, stop: usize): i32 {
  return go(start, stop, true);
}

function go(start: usize, stop: usize, withMembers: bool): i32 {
  let seq = load<u64>(CHAIN_SEQ);
  let hash = load<u64>(CHAIN_HASH);
  let digits = digitsOf(hash);
  let record = RECORDS;
  let count = 0;
  let at = start;
  while (!withMembers || count < MAX_RECORDS) {
    const lineFeed = lineFeedAt(at, stop);
    if (lineFeed === 0) break;
    if (!findFrame(record, at, lineFeed) || seqOf(record) !== seq + 1) break;
    if (!areSame(v128.load(previousDigits(lineFeed)), digits)) break;
    if (withMembers && !findMembers(record, lineFeed)) break;
    if (!endsLikeLine(at, lineFeed) || !checksumHolds(record, at, lineFeed)) break;
    seq += 1;
    digits = v128.load(lineFeed - 18);
    hash = hashIn(record);
    if (withMembers) record += RECORD_BYTES;
    count += 1;
    at = lineFeed + 1;
  }
  store<u64>(CHAIN_SEQ, seq);
  store<u64>(CHAIN_HASH, hash);
  passedTo = at;
  return count;
}

/** 0 if there is none. */
function lineFeedAt(start: usize, stop: usize): usize {
  let at = start;
  const sought = i8x16.splat(LINE_FEED);
  for (; at + 16 <= stop; at += 16) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(at), sought));
    if (found !== 0) return at + <usize>ctz<i32>(found);
  }
  for (; at < stop; at += 1) if (load<u8>(at) === LINE_FEED) return at;
  return 0;
}

/** Whether the bytes end with the checksum of what is before it. Leaves it in the first record. */
export function holds(start: usize, stop: usize): bool {
  return endsLikeLine(start, stop) && checksumHolds(RECORDS, start, stop);
}

/** Whether the members of one line are in their order, and where, in the first record. Says nothing of its checksum. */
export function members(start: usize, stop: usize): bool {
  return findFrame(RECORDS, start, stop) && findMembers(RECORDS, stop) && areDigits(previousDigits(stop));
}

/** Whether the data from `start` to `stop` has the form of this number. Leaves where its variables are in FOUND. */
export function hasForm(form: usize, start: usize, stop: usize): bool {
  return matches(FORMS + form * FORM_BYTES, start, stop, FOUND);
}

export { begin, finish, hashOf, takeStripes };
