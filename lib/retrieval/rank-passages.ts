// The order of passages for a question: by its words (BM25), by how near these are to each other, by the names that are
// asked for, and by the kind of text that answers such a question. What a project says of itself as a whole comes
// first where that is asked.
import type { DatabaseSync } from 'node:sqlite';
import { closenessTo } from '../ranking/closeness.ts';
import { definitionOf } from '../ranking/definitions.ts';
import { type FileTextKind, fileKindOf } from '../ranking/file-kind.ts';
import { type Intent, type Overview, readIntent } from '../ranking/intent.ts';
import { fold, mayHoldOneOf, type Query, STOP_WORDS, wordsIn } from '../ranking/words.ts';
import { type CountedWords, type FoundByWords, findByWords, inOrder, type Ranked } from './find-by-words.ts';
import { overviewPassages, projectNames } from './project-overview.ts';
import { isEverything, type NumberedSource, type RecallScope, sourcesIn } from './recall-scope.ts';

/** Passages that are told apart by more than their words: each is read for that. */
const MAX_READ = 400;
/** The number of them that are ranked by the distance between the words. */
const MAX_CLOSE = 60;

/** What a passage counts by the kind of its file, unless the question asks for that kind. */
const WORTH: Readonly<Record<FileTextKind, number>> = {
  prose: 1,
  code: 1,
  types: 0.7,
  data: 0.9,
  test: 0.6,
  history: 0.3,
  generated: 0.2,
};
/** The worth of a compiled file whose source is present too. */
const COPY_WORTH = 0.5;
const FITTING_WORTH = 1.25;
const OTHER_WORTH = 0.85;
const UNWANTED_WORTH = 0.6;
/** The weight of a file's name whose words are all in the question, relative to the same words in the text. */
const NAME_WEIGHT = 0.8;
const IDENTIFIER_WEIGHT = 1;
const DEFINITION_WEIGHT = 0.8;
const HEADING_WEIGHT = 0.8;

const LEAST_PREFIX = 5;

interface Candidate extends Ranked {
  readonly source: number;
  readonly about: string;
  readonly text: string;
}

/** The order, and the aim of the question. */
interface RankedPassages {
  readonly ranked: readonly RankedPassage[];
  readonly intent: Intent;
  readonly rarityOf: (stem: string) => number;
}

export interface RankedPassage extends Ranked {
  /** The question that the passage answers, and the place of the answer, if it describes its project as a whole. */
  readonly answers?: { readonly overview: Overview; readonly says: RegExp | 'head' } | undefined;
}

/** `uncut`: words of files in the scope that have no passages yet. */
export function rankPassages(
  database: DatabaseSync,
  question: string,
  scope: RecallScope,
  uncut?: CountedWords,
): RankedPassages {
  const sources = new Map(sourcesIn(database, scope).map((source) => [source.number, source]));
  const files = [...sources.values()].filter(({ kind }) => kind === 'file');
  const intent = readIntent(question, projectNames(database, files));
  const { query } = intent;
  const found = findByWords(database, query, isEverything(scope) ? undefined : [...sources.keys()], uncut);
  const weigh = weigherOf(files, { query, intent, ...found });
  const read = candidatesOf(database, found.ranked, weigh.isNamed, sources);
  const weighed = inOrder(
    read.flatMap((each) => {
      const source = sources.get(each.source);
      return source === undefined ? [] : [{ ...each, score: weigh.scoreOf(each, source) }];
    }),
  );
  const closeness = closenessTo(query, found.rarityOf);
  const close = weighed.slice(0, MAX_CLOSE).map((each) => ({
    ...each,
    score: each.score + closeness(each.text) * weigh.worthOf(sources.get(each.source)!),
  }));
  const known = new Set(read.map(({ passage }) => passage));
  const ordered: readonly Ranked[] = [
    ...inOrder(close),
    ...weighed.slice(MAX_CLOSE),
    ...found.ranked.filter(({ passage }) => !known.has(passage)),
  ];
  const { overview } = intent;
  const { rarityOf } = found;
  if (overview === undefined) return { ranked: ordered, intent, rarityOf };
  const first = overviewPassages(database, files, overview, ordered);
  const best = ordered[0]?.score ?? 0;
  const chosen = new Set(first.map(({ passage }) => passage));
  const ranked = [
    ...first.map(({ passage, says }, index) => ({
      passage,
      score: best + first.length - index,
      answers: { overview, says },
    })),
    ...ordered.filter(({ passage }) => !chosen.has(passage)),
  ];
  return { ranked, intent, rarityOf };
}

/** The best by their words, and those of files whose name is asked for, with their texts. */
function candidatesOf(
  database: DatabaseSync,
  ranked: readonly Ranked[],
  isNamed: (source: number) => boolean,
  sources: ReadonlyMap<number, NumberedSource>,
): readonly Candidate[] {
  const named = [...sources.keys()].filter(isNamed);
  const ofNamed = new Set(
    database
      .prepare('SELECT passage FROM places WHERE source IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(named))
      .map(({ passage }) => Number(passage)),
  );
  const chosen = ranked.filter(({ passage }, index) => index < MAX_READ || ofNamed.has(passage));
  const read = database.prepare('SELECT about, text FROM passages WHERE id = ?');
  const placesOf = database.prepare('SELECT source FROM places WHERE passage = ? ORDER BY at, source');
  return chosen.flatMap((each) => {
    const place = placesOf.all(each.passage).find(({ source }) => sources.has(Number(source)));
    if (place === undefined) return [];
    const row = read.get(each.passage);
    return [{ ...each, source: Number(place.source), about: String(row?.about ?? ''), text: String(row?.text ?? '') }];
  });
}

interface Weighing extends Pick<FoundByWords, 'rarityOf'> {
  readonly query: Query;
  readonly intent: Intent;
}

/** The weights of a file by its name and its kind, and of a passage by its definitions and headings. */
export function weigherOf(files: readonly NumberedSource[], { query, intent, rarityOf }: Weighing) {
  const asked = query.terms.map(({ stem }) => stem);
  const askedAs = (stem: string) => asked.find((each) => isForm(each, stem));
  const identifiers = intent.identifiers.map((each) => each.toLowerCase());
  let copies: ReadonlySet<number> | undefined;
  const isCopy = ({ number, name }: NumberedSource) => {
    if (!COMPILED.test(name)) return false;
    copies ??= copiesAmong(files);
    return copies.has(number);
  };
  const rarityOfName = (name: string) => [...wordsIn(name)].reduce((sum, { stem }) => sum + rarityOf(stem), 0);
  /** The weight of the question's words in a name, and their share of the name. */
  const sharedBy = (name: string) => {
    const words = [...wordsIn(name)];
    const saying = words.filter(({ text }) => !STOP_WORDS.has(fold(text)));
    const stems = [...new Set((saying.length > 0 ? saying : words).map(({ stem }) => stem))];
    const shared = stems.flatMap((stem) => askedAs(stem) ?? []);
    const sum = [...new Set(shared)].reduce((total, stem) => total + rarityOf(stem), 0);
    return { sum, cover: shared.length / Math.max(1, stems.length) };
  };
  const bonuses = new Map<number, number>();
  const mayShare = mayHoldOneOf(asked.map((stem) => stem.slice(0, LEAST_PREFIX)));
  for (const { number, name } of files) {
    // The words of few names are asked for, and to read all of them takes long.
    if (!mayShare(name)) continue;
    const base = baseName(name);
    const { sum, cover } = sharedBy(base);
    const isIdentifier = identifiers.some((each) => each === base.toLowerCase() || each === fileName(name));
    const bonus = NAME_WEIGHT * sum * cover ** 2 + (isIdentifier ? IDENTIFIER_WEIGHT * sum : 0);
    if (bonus > 0) bonuses.set(number, bonus);
  }
  const defined = definitionOf(intent.wants === 'code' ? namesIn(query, intent) : intent.identifiers);
  const otherWorth = intent.isCertain ? UNWANTED_WORTH : OTHER_WORTH;
  const worthOf = (source: NumberedSource): number => {
    const { kind, name } = source;
    if (kind === 'session') return 1;
    const file = fileKindOf(name);
    const own = intent.asksFor.has(file) ? FITTING_WORTH : WORTH[file];
    const isPlain = file === 'prose' || file === 'code';
    const fitting = intent.wants === undefined || !isPlain ? 1 : intent.wants === file ? FITTING_WORTH : otherWorth;
    return own * fitting * (isCopy(source) ? COPY_WORTH : 1);
  };
  /** A heading of which every word is asked for says what its text is about. */
  const headingOf = (about: string): number => {
    let most = 0;
    for (const heading of about.split(' › ').slice(1)) {
      if (!mayShare(heading)) continue;
      const { sum, cover } = sharedBy(heading);
      most = Math.max(most, HEADING_WEIGHT * sum * cover ** 2);
    }
    return most;
  };
  return {
    worthOf,
    isNamed: (source: number) => bonuses.has(source),
    bonusOf: (source: number) => bonuses.get(source) ?? 0,
    scoreOf({ score, about, text }: Candidate, source: NumberedSource): number {
      const names = defined(text);
      const definition = names.reduce((sum, name) => sum + DEFINITION_WEIGHT * rarityOfName(name), 0);
      return (score + definition + headingOf(about) + (bonuses.get(source.number) ?? 0)) * worthOf(source);
    },
  };
}

/** In a question about code any of its words may be the name of something. */
function namesIn({ terms }: Query, { identifiers }: Intent): readonly string[] {
  return identifiers.length > 0 ? identifiers : terms.map(({ shown }) => shown).filter((word) => word.length > 2);
}

/** `lib/a/index.ts` is called `a`. */
function baseName(path: string): string {
  const parts = path.split('/');
  const own = parts.at(-1)!.replace(/^\./, '').split('.')[0]!;
  return /^(?:index|mod|main|__init__)$/.test(own) && parts.length > 1 ? parts.at(-2)! : own;
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).toLowerCase();
}

/** For names, also forms that have different stems: `redact` and `redaction`. */
function isForm(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short === long || (short.length >= LEAST_PREFIX && long.length - short.length <= 4 && long.startsWith(short));
}

const COMPILED = /\.(?:[cm]?js|d\.[cm]?ts)$/;
const SOURCE = /(?<!\.d)\.[cm]?tsx?$/;

/** JavaScript and declarations next to their TypeScript, or next to a `src` with it. */
function copiesAmong(files: readonly NumberedSource[]): ReadonlySet<number> {
  const plain = (name: string) => name.replace(/^src\//, '').replace(/\/src\//, '/');
  const sources = new Set(files.flatMap(({ name }) => (SOURCE.test(name) ? [plain(name).replace(SOURCE, '')] : [])));
  const compiled = files.filter(({ name }) => COMPILED.test(name) && sources.has(plain(name).replace(COMPILED, '')));
  return new Set(compiled.map(({ number }) => number));
}
