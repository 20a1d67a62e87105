// The aim of a question: the project as a whole, a place in the code, or a way to do something; and the names that it
// asks for. Pure; knows a handful of phrases, and takes everything else for words to be found.
import type { FileTextKind } from './file-kind.ts';
import { fold, type Query, readQuery, STOP_WORDS } from './words.ts';

/** What a newcomer asks of any project: each is answered by files that most projects have. */
export type Overview =
  | ('about' | 'start' | 'tests' | 'licence' | 'contribute' | 'security' | 'changes' | 'authors' | 'runtime')
  /** Which files the project has, and how many. */
  | 'files';

export interface Intent {
  /** Undefined where the question is about something in particular. */
  readonly overview: Overview | undefined;
  /** Which kind of text answers it best; undefined where any may. */
  readonly wants: 'code' | 'prose' | undefined;
  /** Whether it says so itself: “where is it explained”. */
  readonly isCertain: boolean;
  /** Kinds that rank low, and are asked for here. */
  readonly asksFor: ReadonlySet<FileTextKind>;
  /** The question without the words that only say what kind of answer is wanted, such as “implemented”. */
  readonly query: Query;
  /** What looks like the name of a function, a class or a file: `switchMap`, `lock.ts`. */
  readonly identifiers: readonly string[];
}

const WHERE_IN_CODE =
  /\b(?:where(?:['’]s| is| are| does| do| was| were| can i find)?|wo (?:ist|sind|wird|werden|liegt|steht)|in? ?which|what|which|welche[rs]?) (?:file|function|class|method|module|code|type|interface|operator|hook|component|datei|funktion|klasse)\b|\bwhere(?:['’]s| is| are| does| do| was| were)\b|\bwo (?:ist|sind|wird|werden|liegt)\b|\b(?:implemented|implementation|implements?|defined|definition|source code|declared|implementiert|definiert)\b/i;
const EXPLAINED =
  /\b(?:explain|explained|explains|described|describes|documented|documents|documentation|docs|beschrieben|dokumentiert|erklärt|explains?)\b/i;
const HOW_TO =
  /^(?:how|why|when|what|what['’]s|explain|wie|warum|wann|kann|was|comment|pourquoi|como|cómo|por qué|come|perché)\b|\bhow (?:to|do|can|should)\b|\bdifference\b|\bvs\.?\b/i;

/** Words for the project itself in a question, in addition to its name. */
const THE_PROJECT = words(
  `project library package repo repository tool program app application module software framework codebase thing everything
  projekt bibliothek paket programm werkzeug projet paquet proyecto biblioteca progetto overview purpose summary intro introduction readme
  overall basically exactly here main macht geht hier worum`,
);
const START = words(
  `install installed installing installation setup start started starting begin build building download launch run running add getting quickstart
  quick usage set installieren installiere starten starte bauen installer installe démarrer instalar instalo iniciar installo`,
);
const TESTS = words(
  'test tests testing run running execute start suite unit testen teste lancer exécuter ejecutar pruebas',
);
const LICENCE = words(
  'licence license licensed licenced licensing lizenz licencia licenza licença copyright open source free commercial under terms',
);
const CONTRIBUTE = words(
  'contribute contributing contribution contributor beitragen contribuer contribuir pull request patch send',
);
const SECURITY = words('report reporting security vulnerability vulnerabilities problem issue hole bug');
const CHANGES = words(
  'change changed changes changelog release releases released recent recently last latest new version versions news lately neu zuletzt geändert',
);
const AUTHORS = words(
  `wrote written writes author authors maintain maintains maintained maintainer maintainers made makes created creator creators owner owners owns
  develops developed developer developers team code behind geschrieben autor autoren schrieb`,
);
const RUNTIME = words(
  `node nodejs node.js npm python rust go golang java jdk ruby php deno bun version versions need needs needed require requires required requirement
  requirements support supports supported minimum minimal oldest runtime run runs running use works work system brauche benötigt`,
);
const FILES = words(
  `file files folder folders directory directories tree structure layout list contents content root big large size long many lines
  dateien ordner verzeichnis groß gross`,
);
const OVERVIEWS: readonly {
  readonly kind: Overview;
  readonly may: ReadonlySet<string>;
  readonly must?: RegExp;
  /** Pattern for the whole question. */
  readonly asks?: RegExp;
}[] = [
  { kind: 'licence', may: LICENCE, must: /^(?:li[cz]en|copyright)/ },
  { kind: 'security', may: SECURITY, must: /^(?:securit|vulnerab)/ },
  { kind: 'contribute', may: CONTRIBUTE, must: /^(?:contrib|beitrag)/ },
  { kind: 'changes', may: CHANGES, must: /^(?:chang|release|new|geändert)/ },
  { kind: 'tests', may: TESTS, must: /^(?:test|prueba)/ },
  { kind: 'start', may: START },
  { kind: 'authors', may: AUTHORS, asks: /\b(?:who|whose|authors?|maintainers?|wer|autor(?:en)?)\b/i },
  {
    kind: 'runtime',
    may: RUNTIME,
    must: /^(?:node|npm|python|rust|go$|golang|java|jdk|ruby|php|deno|bun|runtime)/,
    asks: /\b(?:version|needs?|requires?|requirements?|supports?|supported|minimum|oldest|brauche|benötigt)\b/i,
  },
  {
    kind: 'files',
    may: FILES,
    must: /^(?:files|folders|directories|big|large|size|lines|dateien|ordner|gross)$/,
    asks: /^(?:what|which|how (?:big|large|many|long)|list|show|welche|wie (?:groß|viele))\b/i,
  },
];

/** Words that say which kind of text is wanted, and are in many texts of any kind. */
const CUES = words(
  `implemented implementation implement implements defined definition define defines declared located handled done made found explained
  explains described documented documentation happen happens file files function functions class classes method methods code source module
  implementiert definiert datei funktion klasse`,
);

const ASKS_TEST = /\b(?:tests?|testing|tested|specs?|fixtures?|benchmarks?)\b/i;
const ASKS_HISTORY =
  /\b(?:change-?log|changed|changes|release notes?|releases?|releas|version|versions|history|new in)\b/i;
const ASKS_GENERATED = /\b(?:lock ?files?|package-lock|generated|minified|snapshots?|svg)\b/i;
/** `code`, camelCase, PascalCase with two humps, snake_case, with a dot or digits inside. */
const IDENTIFIER = /`([^`\s]+)`|(?<![\w$.@/-])([A-Za-z_$][\w$]*(?:[.\-/][\w$]+)*)(?![\w$])/g;
const LOOKS_LIKE_NAME = /[a-z\d][A-Z]|[A-Za-z]_[A-Za-z]|^[A-Z][a-z\d]+[A-Z]|[A-Za-z]\d|\.[a-z]{1,4}$/;

/**
 * `projectNames`: names of the project, such as that of its directory.
 *
 * @example
 * readIntent('What does this project do?', []).overview; // 'about'
 * readIntent('Where is switchMap implemented?', []); // wants: 'code', identifiers: ['switchMap']
 */
export function readIntent(question: string, projectNames: readonly string[]): Intent {
  const query = readQuery(question);
  const wants = EXPLAINED.test(question)
    ? 'prose'
    : WHERE_IN_CODE.test(question)
      ? 'code'
      : HOW_TO.test(question.trim()) || query.isQuestion
        ? 'prose'
        : undefined;
  const asksFor = new Set<FileTextKind>();
  if (ASKS_TEST.test(question)) asksFor.add('test');
  if (ASKS_HISTORY.test(question)) asksFor.add('history');
  if (ASKS_GENERATED.test(question)) asksFor.add('generated');
  return {
    overview: overviewOf(question, query, projectNames),
    ...{ wants, asksFor, isCertain: EXPLAINED.test(question) },
    ...{ query: wants === 'code' || wants === 'prose' ? withoutCues(query) : query },
    identifiers: identifiersIn(question, query),
  };
}

function withoutCues(query: Query): Query {
  const terms = query.terms.filter(({ shown }) => !CUES.has(fold(shown)));
  return terms.length === 0 ? query : { ...query, terms };
}

function overviewOf(question: string, query: Query, projectNames: readonly string[]): Overview | undefined {
  const names = new Set(projectNames.map(fold));
  const text = fold(question);
  const said = (text.match(/[\p{L}\p{M}\p{N}@/._-]*[\p{L}\p{N}]/gu) ?? []).filter((word) => !names.has(word));
  const left = said.filter((word) => !STOP_WORDS.has(word) && !THE_PROJECT.has(word) && word.length > 1);
  if (left.length === 0)
    return said.length > 1 && (query.isQuestion || said.some((word) => THE_PROJECT.has(word))) ? 'about' : undefined;
  const fitting = OVERVIEWS.find(
    ({ may, must, asks }) =>
      left.every((word) => may.has(word)) &&
      (must === undefined || left.some((word) => must.test(word))) &&
      (asks === undefined || asks.test(question.trim())),
  );
  const isAsked = query.isQuestion || fitting?.kind === 'licence' || fitting?.kind === 'files';
  return isAsked ? fitting?.kind : undefined;
}

function identifiersIn(question: string, { terms }: Query): string[] {
  const found = Array.from(question.matchAll(IDENTIFIER), ([, quoted, bare]) => ({ quoted, bare }));
  const names = found.flatMap(({ quoted, bare }) =>
    quoted !== undefined ? [quoted] : bare !== undefined && LOOKS_LIKE_NAME.test(bare) ? [bare] : [],
  );
  const only = question.trim();
  if (names.length === 0 && terms.length === 1 && /^[\w$]+$/.test(only)) names.push(only);
  return [...new Set(names)];
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).map(fold));
}
