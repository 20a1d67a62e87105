// Finds lines: by a plain text, or by a regular expression that comes from a model and may be hostile. A regular
// expression gets only lines of bounded length, and is stopped at its time limit for one file or for all files
// together.
import { withinTime } from '../../platform/time-limit.ts';
import { ToolFailure } from '../tool.ts';

interface Match {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

interface FoundMatches {
  readonly matches: readonly Match[];
  /** Lines that match beyond those. */
  readonly more: number;
}

/** Finds at most `limit` matching lines of one text. @throws ToolFailure if the pattern takes too long */
export type Matcher = (text: string, limit: number) => FoundMatches;

interface SoughtText {
  readonly query: string;
  readonly isRegex: boolean;
  readonly ignoreCase: boolean;
}

const MAX_LINE_CHARACTERS = 4000;
const SHOWN_CHARACTERS = 240;
const SHOWN_BEFORE = 60;
const FILE_LIMIT_MS = 250;
const TOTAL_LIMIT_MS = 10_000;

/** @throws ToolFailure if it is not a valid regular expression */
export function createMatcher({ query, isRegex, ignoreCase }: SoughtText): Matcher {
  return isRegex ? regexMatcher(query, ignoreCase) : textMatcher(query, ignoreCase);
}

function textMatcher(query: string, ignoreCase: boolean): Matcher {
  const fold = ignoreCase ? (text: string) => text.toLowerCase() : (text: string) => text;
  const sought = fold(query);
  return (text, limit) => {
    // Most files hold nothing: that is found out before anything is split.
    if (!fold(text).includes(sought)) return { matches: [], more: 0 };
    return matchLines(text, limit, (line) => fold(line).indexOf(sought));
  };
}

function regexMatcher(query: string, ignoreCase: boolean): Matcher {
  const pattern = compile(query, ignoreCase ? 'i' : '');
  let leftMs = TOTAL_LIMIT_MS;
  return (text, limit) => {
    const started = performance.now();
    const outcome = withinTime(FILE_LIMIT_MS, () =>
      matchLines(text, limit, (line) => line.slice(0, MAX_LINE_CHARACTERS).search(pattern)),
    );
    leftMs -= performance.now() - started;
    if ('stopped' in outcome || leftMs <= 0)
      throw new ToolFailure(
        `The regular expression ${JSON.stringify(query)} takes too long. Use one without nested repetitions such as (a+)+, or search for a plain text, or in fewer files.`,
      );
    return outcome.value;
  };
}

function compile(query: string, flags: string): RegExp {
  try {
    return new RegExp(query, `${flags}u`);
  } catch {
    // Some patterns are only valid without it, such as those that escape what needs no escape.
  }
  try {
    return new RegExp(query, flags);
  } catch (error) {
    throw new ToolFailure(
      `${(error as Error).message}. Correct it, or leave out is_regex to search for the text literally.`,
    );
  }
}

function matchLines(text: string, limit: number, find: (line: string) => number): FoundMatches {
  const matches: Match[] = [];
  let more = 0;
  let number = 0;
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? text.length : end).replace(/\r$/, '');
    number += 1;
    const isLineOfText = end !== -1 || line !== '';
    const at = isLineOfText ? find(line) : -1;
    if (at !== -1 && matches.length < limit) matches.push({ line: number, text: excerpt(line, at) });
    else if (at !== -1) more += 1;
    if (end === -1) break;
    start = end + 1;
  }
  return { matches, more };
}

/** A long line, cut so that the match is in it. */
function excerpt(line: string, at: number): string {
  if (line.length <= SHOWN_CHARACTERS) return line;
  const from = Math.max(0, Math.min(at - SHOWN_BEFORE, line.length - SHOWN_CHARACTERS));
  const cut = line.slice(from, from + SHOWN_CHARACTERS).toWellFormed();
  return `${from > 0 ? '…' : ''}${cut}${from + SHOWN_CHARACTERS < line.length ? '…' : ''}`;
}
