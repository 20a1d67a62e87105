// Searching a million messages, as a server does: by common and rare words, beginnings, phrases, questions, typing
// errors and filters, each kind compared with the times that a search may take. By processor time, because other
// programs run too.
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { importedId } from '../../lib/agents/address.ts';
import { openCatalog } from '../../lib/catalog/catalog.ts';
import { packed } from '../../lib/catalog/packed-text.ts';
import { preparedText } from '../../lib/catalog/prepared-text.ts';
import { CATALOG_NAME, SCHEMA } from '../../lib/catalog/schema.ts';
import { search } from '../../lib/catalog/search.ts';
import type { SearchRequest } from '../../lib/catalog/search-request.ts';
import { nodeFileSystem, silentLog, systemClock, thisProcess } from '../../lib/platform/index.ts';
import type { Bench, Case } from '../case.ts';
import { seededRandom } from '../generated-session.ts';
import { processorMilliseconds, quantile } from '../measure.ts';
import { emptyNode, programIn } from '../program.ts';

const MEDIAN_MS = 15;
const WORST_MS = 150;
const SEARCHES_OF_A_KIND = 20;
const WORDS = 200_000;
const PER_SESSION = 200;
const IDS_PER_SECOND = 2 ** 20;
const ROWS_AT_ONCE = 1_000;
const AGENTS = ['claude', 'claude', 'claude', 'codex', 'codex', 'gemini', 'ollm', 'qwen'];
const KINDS = [
  { role: 'user', kind: 'text', tool: null },
  { role: 'assistant', kind: 'text', tool: null },
  { role: 'assistant', kind: 'call', tool: 'bash' },
  { role: 'tool', kind: 'output', tool: 'bash' },
  { role: 'assistant', kind: 'call', tool: 'read' },
  { role: 'tool', kind: 'output', tool: 'read' },
  { role: 'system', kind: 'injected', tool: null },
] as const;

export const run: Case = async function* (bench) {
  const home = join(bench.directory, 'million');
  const messages = bench.size(1_000_000, 1_000);
  fill(home, messages, bench);
  const catalog = openCatalog({
    home,
    fileSystem: nodeFileSystem,
    process: thisProcess('ollm bench'),
    log: silentLog,
  });
  const ask = (request: SearchRequest) =>
    processorMilliseconds(async () => {
      const found = await catalog.ask((database) => search(database, request, { clock: systemClock, importedId }));
      if (found.kind !== 'done') throw new Error(`${JSON.stringify(request)}: ${JSON.stringify(found)}`);
    });
  const many = messages.toLocaleString('en');
  const all: (readonly [kind: string, requests: readonly SearchRequest[]])[] = Object.entries(requestsOfKinds());
  const timesOf = async (requests: readonly SearchRequest[]) => {
    const times: number[] = [];
    for (const request of requests) times.push(await ask(request));
    return times;
  };
  for (const [kind, requests] of all) {
    yield {
      what: `${kind}, the worst of ${requests.length} in ${many} messages`,
      subject: async () => Math.max(...(await timesOf(requests))),
      limit: WORST_MS,
      rounds: 3,
    };
  }
  yield {
    what: `all of these searches in ${many} messages, median`,
    subject: async () => quantile(await timesOf(all.flatMap(([, requests]) => requests))),
    limit: MEDIAN_MS,
    rounds: 3,
  };
  const program = programIn(bench.directory);
  const besideNode = { name: 'node -e 0', atMost: 4, run: emptyNode };
  for (const [what, words] of [
    ['a common word', [wordOf(0)]],
    ['a rare word', [wordWith(2e-5, 0)]],
  ] as const) {
    yield { what: `ollm search, ${what}`, subject: () => program.run(home, 'search', ...words), against: [besideNode] };
  }
};

function requestsOfKinds(): Record<string, readonly SearchRequest[]> {
  const some = (make: (index: number) => SearchRequest | string) =>
    Array.from({ length: SEARCHES_OF_A_KIND }, (_, index) => {
      const made = make(index);
      return typeof made === 'string' ? { text: made } : made;
    });
  const rare = (index: number) => wordWith(2e-5, index);
  const middling = (index: number) => wordWith(1e-3, index);
  const common = (index: number) => wordWith(0.3 / (index + 1), index);
  return {
    'rare words': some(rare),
    'middling words': some(middling),
    'common words': some(common),
    'two common words': some((index) => `${common(index)} ${common(index + 1)}`),
    'a common and a rare word': some((index) => `${common(index)} ${rare(index)}`),
    'two middling words': some((index) => `${middling(index)} ${middling(index + 7)}`),
    beginnings: some((index) => `${middling(index).slice(0, 3)}*`),
    phrases: some((index) => `"${common(index)} ${common(index + 3)}"`),
    'words without common ones': some((index) => `${middling(index)} -${common(index)}`),
    questions: some((index) => `where did I fix the ${middling(index)} of ${middling(index + 5)} in ${common(index)}?`),
    'questions of rare words': some(
      (index) => `why is ${rare(index)}ing not ${rare(index + 9)} when ${middling(index)}`,
    ),
    'words with an error': some((index) => swapped(middling(index + 20))),
    'words in no text': some((index) => `zzxq${'abcdefghijklmnopqrstuvw'[index]}zz`),
    'common words of one program': some((index) => ({ text: common(index), agent: 'qwen' })),
    'common words of one role': some((index) => ({ text: common(index), role: 'user' })),
    'common words of one tool': some((index) => ({ text: common(index), tool: 'read' })),
    'common words of one project': some((index) => ({ text: common(index), project: `/home/ada/project-${index}` })),
    'common words of the last days': some((index) => ({
      text: common(index),
      sinceMs: timeOf(1e6) - index * 86_400_000,
    })),
    'words of a path': some((index) => ({ text: common(index), path: `src/${middling(index)}.ts` })),
    titles: some((index) => ({ text: '', title: middling(index) })),
    'counted common words': some((index) => ({ text: common(index), isCounted: true })),
  };
}

/** A catalogue with words that are as unevenly common as those of a language: the second half as often. */
function fill(home: string, messages: number, { progress }: Bench): void {
  mkdirSync(home, { mode: 0o700 });
  closeSync(openSync(join(home, CATALOG_NAME), 'w', 0o600));
  const database = new DatabaseSync(join(home, CATALOG_NAME));
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${SCHEMA}`);
  const session = database.prepare(
    `INSERT INTO sessions (number, agent, directory, id, title, project, last_activity, branch, state)
      VALUES (?, ?, '/', ?, ?, ?, ?, 'main', 'here')`,
  );
  const names = database.prepare('INSERT INTO names (rowid, title, project, branch) VALUES (?, ?, ?, ?)');
  const message = database.prepare(
    `INSERT INTO messages (id, session, seq, role, at, kind, size, text, tool) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const index = database.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)');
  const random = seededRandom(11);
  const words = Array.from({ length: WORDS }, (_, rank) => wordOf(rank));
  const said = (length: number) => Array.from({ length }, () => words[Math.floor(WORDS ** random())]!).join(' ');
  const rows = messages / 1000;
  database.exec('BEGIN');
  for (let number = 0; number < messages; number += 1) {
    const at = timeOf(number);
    const owner = Math.floor(number / PER_SESSION);
    if (number % PER_SESSION === 0) {
      const [title, project] = [said(6), `/home/ada/project-${owner % 50}`];
      session.run(owner, AGENTS[owner % AGENTS.length]!, `session-${owner}`, title, project, at);
      names.run(owner, title, project, 'main');
    }
    const { role, kind, tool } = KINDS[Math.floor(random() ** 1.5 * KINDS.length)]!;
    // A few outputs are long.
    const length = 4 + Math.floor(Math.exp(random() * (kind === 'output' ? 6 : 4.5)));
    const text = kind === 'call' ? `{"path":"src/${said(1)}.ts","text":"${said(length)}"}` : said(length);
    const id = Math.floor(at / 1000) * IDS_PER_SECOND + 1;
    message.run(id, owner, number % PER_SESSION, role, at, kind, text.length, packed(text), tool);
    index.run(id, preparedText(text));
    if (number % ROWS_AT_ONCE !== 0) continue;
    database.exec('COMMIT; BEGIN');
    progress(`indexing message ${(number / 1000).toFixed(0)},000 of ${rows.toLocaleString('en')},000`);
  }
  database.exec('COMMIT');
  database.close();
}

/** Milliseconds since 1970: one message every half minute. */
function timeOf(number: number): number {
  return 1_700_000_000_000 + number * 30_000;
}

const CONSONANTS = 'bcdfghjklmnprstvwz';
const VOWELS = 'aeiou';

/** A word of syllables for each rank: the same in each run. */
function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 1_000; rest > 0; rest = Math.floor(rest / (CONSONANTS.length * VOWELS.length))) {
    word += CONSONANTS[rest % CONSONANTS.length]! + VOWELS[Math.floor(rest / CONSONANTS.length) % VOWELS.length]!;
  }
  return word;
}

/** The word that about this share of the messages hold, or one that is a little rarer. */
function wordWith(share: number, further: number): string {
  const perMessage = 30;
  return wordOf(Math.min(WORDS - 1, Math.max(0, Math.round(perMessage / (share * Math.log(WORDS)))) + further));
}

function swapped(word: string): string {
  return word.slice(0, 2) + word[3]! + word[2]! + word.slice(4);
}
