// The parts of a tool's output that are worth finding: all of a short one; of a long one its beginning, its end, and
// the places of failures, however far they are from both. Pure.
import { cutText } from './cut-text.ts';

/** A piece of an output. */
interface OutputSlice {
  readonly text: string;
  /** Whether it says that something went wrong. */
  readonly hasFailure: boolean;
}

/** A longer output is not taken whole. */
const MAX_WHOLE_CHARACTERS = 16 * 1024;
const END_CHARACTERS = 4 * 1024;
/** Failures of one output. The first error is mostly the one that matters, and further ones follow from it. */
const MAX_FAILURES = 20;
const LINES_BEFORE = 4;
const LINES_BEHIND = 12;
const MAX_LINE_CHARACTERS = 1_000;

const FAILURE =
  /\berrors?\b(?!\s*[:=]?\s*0\b)|\bfail(?:ed|ure|ures|s|ing)?\b(?!\s*[:=]?\s*0\b)|\b(?:fatal|panic(?:ked)?|traceback|exception|segmentation fault|undefined reference|cannot find|could not|not found|no such file|permission denied|out of memory|timed out|assertion)\b|^not ok\b|\bE[A-Z]{4,}\b|[✗✖✘×]\s/i;
/** Reports of a failure rather than lines in which the word is. */
const CERTAIN =
  /^\s*(?:not ok\b|(?:-+\s+)?FAIL(?:ED|URE)?\b|fatal:|panic:|npm ERR!|Traceback\b|[✗✖✘×]\s)|\bpanicked at\b|(?:^|[\s\][():])(?:[A-Za-z]*Error|ERROR|error)(?:\s?[[(]?[A-Z]*\d+[\])]?)?:(?!\s*0\b)/;
/** A test that passed may be called “fails when …”. */
const PASSED = /^\s*(?:ok\s+\d|[✓✔√]\s|PASS(?:ED)?\b|---\s+PASS)/;
/** Counts of nothing, and names of files and options. */
const HARMLESS = /\b(?:0|no|without|zero) (?:errors?|fail(?:ed|ures?|ing)?)\b|--\S*error|\berrors?\.[a-z]{1,4}\b/gi;

/**
 * @example
 * outputSlices(log).filter(({ hasFailure }) => hasFailure);
 */
export function outputSlices(text: string): OutputSlice[] {
  if (text.length <= MAX_WHOLE_CHARACTERS) return slicesOf(text);
  return [
    ...slicesOf(text.slice(0, END_CHARACTERS).toWellFormed()),
    ...failures(text.slice(END_CHARACTERS, -END_CHARACTERS)),
    ...slicesOf(text.slice(-END_CHARACTERS).toWellFormed()),
  ];
}

/** Text that an output is found by in addition to its own: the call that it came from, and whether it failed. */
export function aboutOutput({
  tool,
  about,
  hasFailure,
}: {
  readonly tool: string | null;
  readonly about: string | null;
  readonly hasFailure: boolean;
}): string {
  return [tool, about, hasFailure ? 'failed with an error' : ''].filter(Boolean).join(' › ');
}

function slicesOf(text: string): OutputSlice[] {
  return cutText(text, { isMarkdown: false }).map((passage) => ({
    text: passage.text,
    hasFailure: passage.text.split('\n').some(saysFailure),
  }));
}

/**
 * The lines around each place that says so, in their order; places that say the same except for numbers are one. Where
 * there are too many, those that only mention a failure are left out first, then later ones.
 */
function failures(text: string): OutputSlice[] {
  const lines = text.split('\n');
  const places = placesOfFailure(lines);
  const chosen: number[] = [];
  const isCovered = (index: number) => chosen.some((at) => index >= at - LINES_BEFORE && index < at + LINES_BEHIND);
  for (const index of [...places.certain, ...places.mentioned]) {
    if (chosen.length === MAX_FAILURES) break;
    if (!isCovered(index)) chosen.push(index);
  }
  return chosen
    .sort((a, b) => a - b)
    .map((index) => lines.slice(Math.max(0, index - LINES_BEFORE), index + LINES_BEHIND).map(shortened))
    .map((around) => ({ text: around.join('\n'), hasFailure: true }));
}

/** Numbers of lines, those of one kind once. */
function placesOfFailure(lines: readonly string[]): { readonly certain: number[]; readonly mentioned: number[] } {
  const [certain, mentioned]: [number[], number[]] = [[], []];
  const seen = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (!saysFailure(line)) continue;
    const kind = line.slice(0, MAX_LINE_CHARACTERS).replace(/\d+/g, '0');
    if (seen.has(kind)) continue;
    seen.add(kind);
    (CERTAIN.test(line.slice(0, MAX_LINE_CHARACTERS)) ? certain : mentioned).push(index);
  }
  return { certain, mentioned };
}

function saysFailure(line: string): boolean {
  const looked = line.slice(0, MAX_LINE_CHARACTERS);
  if (PASSED.test(looked)) return false;
  return CERTAIN.test(looked) || (FAILURE.test(looked) && FAILURE.test(looked.replace(HARMLESS, '')));
}

function shortened(line: string): string {
  return line.slice(0, MAX_LINE_CHARACTERS).toWellFormed();
}
