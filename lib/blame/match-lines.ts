// Which change wrote which line of a file. A line is claimed only by a run: lines of a change that stand in the file in
// the same order, without a gap. The rules and their numbers were found on 5,660 changes of 457 sessions in four
// repositories and tried on two others; those of long runs and of whole files on one more, and tried on seven others
// (docs/blame.md).
import type { ChangedHunk } from './call-changes.ts';
import type { BlamedLine } from './git-lines.ts';

/** A change of this file by a call that ended well. */
export interface WrittenChange<Call> {
  readonly call: Call;
  /** Address of the session: two that wrote the same are told apart by it. */
  readonly session: string;
  /** Milliseconds since 1970; undefined where the source has no time. */
  readonly atMs: number | undefined;
  readonly hunks: readonly ChangedHunk[];
  /** The call wrote the whole file, also the lines that were in it before. */
  readonly isWholeFile?: boolean | undefined;
  /** The user changed the arguments, or the turn was undone: likely at most. */
  readonly isUnsure?: boolean | undefined;
}

export type BlameClass = 'certain' | 'likely' | 'unknown';

/** Why a line is not certain. */
export type BlameReason =
  | 'weak'
  | 'older'
  | 'amended'
  | 'reformatted'
  | 'two sessions'
  | 'between'
  | 'unsure'
  | 'no time'
  | 'moved'
  | 'in no session here'
  | 'written only later'
  | 'written long before'
  | 'too common to tell';

interface Verdict<Call> {
  readonly class: BlameClass;
  readonly why: BlameReason | undefined;
  readonly change: WrittenChange<Call> | undefined;
  /** Changes with the same line that lost, at most eight, the best first. */
  readonly others: readonly LostChange<Call>[];
}

interface LostChange<Call> {
  readonly change: WrittenChange<Call>;
  readonly lost: 'less text' | 'earlier' | 'written only later' | 'written long before';
}

const MOST_PLACES = 8;
const STRONG = 6;
const FAIR = 3;
/** More than 24 telling lines: what such a run has in common with a newer one was copied there. */
const LONG = 48;
const CLOCK_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MOST_OTHERS = 8;
/** Number of letters and digits from which a line has weight one, and two. */
const LETTERS_OF_ONE = 4;
const LETTERS_OF_TWO = 12;
/** Made when first used: the classes of Unicode take long to be expanded. */
let letterOrDigit: RegExp | undefined;

interface Claim<Call> {
  readonly change: WrittenChange<Call>;
  readonly weight: number;
  readonly isWhole: boolean;
  readonly isFolded: boolean;
}

/** A verdict for each line, in their order. `changes`: those of this file. */
export function matchLines<Call>(
  lines: readonly BlamedLine[],
  changes: readonly WrittenChange<Call>[],
): readonly Verdict<Call>[] {
  const verdicts = judged(lines, changes, false);
  const open = new Set(lines.flatMap(({ text }, at) => (verdicts[at]!.class === 'unknown' ? [folded(text)] : [])));
  const maybe = open.size === 0 ? [] : changes.filter(({ hunks }) => hunks.some((hunk) => hunk.some(isIn(open))));
  const reformatted = maybe.length === 0 ? verdicts : judged(lines, maybe, true);
  const merged = verdicts.map((verdict, at) =>
    verdict.class === 'unknown' && reformatted[at]!.class !== 'unknown' ? reformatted[at]! : verdict,
  );
  return merged.map((verdict, at) => between(lines, merged, at) ?? verdict);
}

/**
 * Verdicts by changes of other files on lines that are still unknown: only a strong run counts, and only within the day
 * before the commit.
 */
export function matchMoved<Call>(
  lines: readonly BlamedLine[],
  verdicts: readonly Verdict<Call>[],
  changes: readonly WrittenChange<Call>[],
): readonly Verdict<Call>[] {
  if (changes.length === 0) return verdicts;
  const claims = claimsOn(lines, changes, false);
  return verdicts.map((verdict, at) => {
    if (verdict.class !== 'unknown') return verdict;
    const strong = claims[at]!.filter((claim) => claim.weight >= STRONG && timing(lines[at]!, claim) === 'in time');
    const [best] = strong.toSorted(byStrength);
    return best === undefined ? verdict : { class: 'likely', why: 'moved', change: best.change, others: [] };
  });
}

function judged<Call>(
  lines: readonly BlamedLine[],
  changes: readonly WrittenChange<Call>[],
  isFolded: boolean,
): Verdict<Call>[] {
  const claims = claimsOn(lines, changes, isFolded);
  const counts = new Map<string, number>();
  for (const { text } of lines) counts.set(foldedIf(isFolded, text), (counts.get(foldedIf(isFolded, text)) ?? 0) + 1);
  return lines.map((line, at) => {
    const text = foldedIf(isFolded, line.text);
    return verdictOn(line, claims[at]!, counts.get(text)!, text);
  });
}

function foldedIf(isFolded: boolean, text: string): string {
  return isFolded ? folded(text) : text;
}

/** Without white space. */
export function folded(text: string): string {
  return text.replace(/\s+/g, '');
}

function isIn(texts: ReadonlySet<string>): (line: ChangedHunk[number]) => boolean {
  return ({ text }) => texts.has(folded(text));
}

/** For each line the runs that it is in. */
function claimsOn<Call>(
  lines: readonly BlamedLine[],
  changes: readonly WrittenChange<Call>[],
  isFolded: boolean,
): readonly (readonly Claim<Call>[])[] {
  const textOf = (text: string) => foldedIf(isFolded, text);
  const texts = lines.map(({ text }) => textOf(text));
  const places = new Map<string, number[]>();
  for (const [at, text] of texts.entries()) {
    const known = places.get(text);
    if (known === undefined) places.set(text, [at]);
    else known.push(at);
  }
  const claims: Claim<Call>[][] = lines.map(() => []);
  const weights = texts.map(weightOf);
  for (const change of changes) {
    for (const hunk of change.hunks) claimRuns({ change, hunk, texts, weights, places, claims, textOf, isFolded });
  }
  return claims;
}

interface Claiming<Call> {
  readonly change: WrittenChange<Call>;
  readonly hunk: ChangedHunk;
  readonly texts: readonly string[];
  /** The weight of each text. */
  readonly weights: readonly number[];
  readonly places: ReadonlyMap<string, readonly number[]>;
  readonly claims: Claim<Call>[][];
  readonly textOf: (text: string) => string;
  readonly isFolded: boolean;
}

function claimRuns<Call>({ change, hunk, texts, weights, places, claims, textOf, isFolded }: Claiming<Call>): void {
  const wanted = hunk.map(({ text }) => textOf(text));
  /** Places in the hunk that a run on this alignment has been through. */
  const seen = new Map<number, number>();
  for (const [index, text] of wanted.entries()) {
    const candidates = places.get(text) ?? [];
    if (candidates.length > MOST_PLACES || weights[candidates[0] ?? -1] === 0) continue;
    for (const place of candidates) {
      const shift = place - index;
      if ((seen.get(shift) ?? -1) >= index) continue;
      let from = index;
      while (from > 0 && wanted[from - 1] === texts[from - 1 + shift]) from -= 1;
      let to = index;
      while (to + 1 < wanted.length && wanted[to + 1] === texts[to + 1 + shift]) to += 1;
      seen.set(shift, to);
      let weight = 0;
      for (let at = from; at <= to; at += 1) weight += weights[at + shift]!;
      const claim = { change, weight, isWhole: from === 0 && to === wanted.length - 1, isFolded };
      for (let at = from; at <= to; at += 1) if (hunk[at]!.isAdded) claims[at + shift]?.push(claim);
    }
  }
}

/** How telling a line is: brackets and blank lines say nothing. */
export function weightOf(text: string): 0 | 1 | 2 {
  let letters = 0;
  for (let at = 0; at < text.length && letters < LETTERS_OF_TWO; at += 1) {
    const code = text.codePointAt(at)!;
    if (code > 0xffff) at += 1;
    if (isLetterOrDigit(code)) letters += 1;
  }
  return letters >= LETTERS_OF_TWO ? 2 : letters >= LETTERS_OF_ONE ? 1 : 0;
}

function isLetterOrDigit(code: number): boolean {
  if (code > 0x7f) {
    letterOrDigit ??= /[\p{L}\p{N}]/u;
    return letterOrDigit.test(String.fromCodePoint(code));
  }
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

function verdictOn<Call>(
  line: BlamedLine,
  claims: readonly Claim<Call>[],
  places: number,
  text: string,
): Verdict<Call> {
  const timely = claims.flatMap((claim): TimelyClaim<Call>[] => {
    const when = timing(line, claim);
    return when === undefined ? [] : [{ claim, when }];
  });
  if (timely.length === 0) {
    const isLater = claims.some(({ change: { atMs } }) => atMs !== undefined && atMs > (line.authoredMs ?? atMs));
    const why =
      claims.length > 0
        ? isLater
          ? 'written only later'
          : 'written long before'
        : places > MOST_PLACES || weightOf(text) === 0
          ? 'too common to tell'
          : 'in no session here';
    return { class: 'unknown', why, change: undefined, others: othersOf(line, claims) };
  }
  const best = timely.toSorted((a, b) => byStrength(a.claim, b.claim));
  const { claim, when } = firstWriting(best as [TimelyClaim<Call>, ...TimelyClaim<Call>[]]);
  const rivals = best.filter((other) => strength(other.claim) >= strength(claim));
  const isAlone = rivals.every((other) => other.claim.change.session === claim.change.session);
  const why: BlameReason | undefined = claim.isFolded
    ? 'reformatted'
    : when !== 'in time'
      ? when
      : claim.change.isUnsure
        ? 'unsure'
        : claim.weight < STRONG && !(claim.isWhole && claim.weight > 0)
          ? 'weak'
          : isAlone
            ? undefined
            : 'two sessions';
  const others = othersOf(line, claims, claim);
  return { class: why === undefined ? 'certain' : 'likely', why, change: claim.change, others };
}

interface TimelyClaim<Call> {
  readonly claim: Claim<Call>;
  readonly when: 'in time' | Extract<BlameReason, 'older' | 'amended' | 'no time'>;
}

/** A call that wrote the whole file repeats the lines that its session had written before: those are of that call. */
function firstWriting<Call>([best, ...others]: readonly [
  TimelyClaim<Call>,
  ...TimelyClaim<Call>[],
]): TimelyClaim<Call> {
  const { change } = best.claim;
  if (!change.isWholeFile || best.claim.isFolded) return best;
  const earlier = others.filter(
    ({ claim }) =>
      claim.change.session === change.session &&
      (claim.change.atMs ?? 0) < (change.atMs ?? 0) &&
      strength(claim) > 0 &&
      !claim.isFolded,
  );
  const [newest, ...older] = earlier.toSorted((a, b) => (b.claim.change.atMs ?? 0) - (a.claim.change.atMs ?? 0));
  return newest === undefined ? best : firstWriting([newest, ...older]);
}

function byStrength<Call>(a: Claim<Call>, b: Claim<Call>): number {
  return (
    strength(b) - strength(a) ||
    (b.change.atMs ?? 0) - (a.change.atMs ?? 0) ||
    (a.change.session < b.change.session ? -1 : 1)
  );
}

/** The changes with this line that did not win. */
function othersOf<Call>(
  line: BlamedLine,
  claims: readonly Claim<Call>[],
  winner?: Claim<Call>,
): readonly LostChange<Call>[] {
  const seen = new Set([winner?.change]);
  return claims
    .toSorted(byStrength)
    .flatMap((claim): LostChange<Call>[] => {
      if (seen.has(claim.change)) return [];
      seen.add(claim.change);
      const { atMs } = claim.change;
      if (timing(line, claim) === undefined) {
        const isLater = atMs !== undefined && atMs > (line.authoredMs ?? atMs);
        return [{ change: claim.change, lost: isLater ? 'written only later' : 'written long before' }];
      }
      const isWeaker = winner !== undefined && strength(claim) < strength(winner);
      return [{ change: claim.change, lost: isWeaker ? 'less text' : 'earlier' }];
    })
    .slice(0, MOST_OTHERS);
}

/** Undefined: this cannot have written the line. */
function timing<Call>(
  { authoredMs, committedMs }: BlamedLine,
  { change: { atMs }, weight }: Claim<Call>,
): 'in time' | Extract<BlameReason, 'older' | 'amended' | 'no time'> | undefined {
  if (atMs === undefined) return 'no time';
  if (authoredMs === undefined) return 'in time';
  if (atMs > authoredMs + CLOCK_MS) {
    const isAmended = committedMs !== undefined && committedMs > authoredMs && atMs <= committedMs + CLOCK_MS;
    return isAmended && atMs - authoredMs <= HOUR_MS ? 'amended' : undefined;
  }
  if (authoredMs - atMs <= DAY_MS) return 'in time';
  return weight >= STRONG ? 'older' : undefined;
}

function strength<Call>({ isWhole, weight }: Claim<Call>): number {
  return isWhole && weight > 0 ? 4 : weight >= LONG ? 3 : weight >= STRONG ? 2 : weight >= FAIR ? 1 : 0;
}

/** Blank and bracket lines between two lines of the same change and commit. */
function between<Call>(
  lines: readonly BlamedLine[],
  verdicts: readonly Verdict<Call>[],
  at: number,
): Verdict<Call> | undefined {
  if (verdicts[at]!.class !== 'unknown' || weightOf(lines[at]!.text) > 0) return undefined;
  const neighbour = (step: -1 | 1) => {
    let next = at + step;
    while (lines[next] !== undefined && weightOf(lines[next]!.text) === 0 && verdicts[next]!.change === undefined) {
      next += step;
    }
    return lines[next]?.commit === lines[at]!.commit ? verdicts[next]?.change : undefined;
  };
  const [before, after] = [neighbour(-1), neighbour(1)];
  return before !== undefined && before === after
    ? { class: 'likely', why: 'between', change: before, others: [] }
    : undefined;
}
