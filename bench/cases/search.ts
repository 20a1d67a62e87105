// Searching a million messages, as a server does: by common and rare words, phrases, questions, typing errors and
// filters, each kind compared with the times that a search may take. By processor time, because other programs run too.
import { seededRandom } from '../../__tests__/support/generated-session.ts';
import { importedId } from '../../lib/agents/address.ts';
import type { CatalogEdit } from '../../lib/catalog/catalog-edit.ts';
import { idBefore } from '../../lib/catalog/message-id.ts';
import { packed } from '../../lib/catalog/packed-text.ts';
import { preparedText } from '../../lib/catalog/prepared-text.ts';
import { search } from '../../lib/catalog/search.ts';
import type { SearchRequest } from '../../lib/catalog/search-request.ts';
import type { Case } from '../case.ts';
import { appIn, messageWriter } from '../catalogue.ts';
import { processorMilliseconds, quantile } from '../measure.ts';
import { emptyNode, runProgram } from '../program.ts';
import { wordOf, wordSource } from '../words.ts';

const MEDIAN_MS = 15;
const WORST_MS = 150;
const SEARCHES_OF_A_KIND = 20;
const WORDS = 200_000;
const PER_SESSION = 200;
const KINDS = [
  { role: 'user', kind: 'text', tool: null },
  { role: 'assistant', kind: 'text', tool: null },
  { role: 'assistant', kind: 'call', tool: 'bash' },
  { role: 'tool', kind: 'output', tool: 'bash' },
  { role: 'assistant', kind: 'call', tool: 'read' },
  { role: 'tool', kind: 'output', tool: 'read' },
  { role: 'system', kind: 'injected', tool: null },
] as const;

const rare = (index: number) => wordWith(2e-5, index);
const middling = (index: number) => wordWith(1e-3, index);
const common = (index: number) => wordWith(0.3 / (index + 1), index);
type SearchOf = (index: number) => SearchRequest | string;
/** A search of each kind, and the searches like it. */
const SEARCHES: Readonly<Record<string, SearchOf>> = {
  'common words': common,
  'two common words': (index) => `${common(index)} ${common(index + 1)}`,
  phrases: (index) => `"${common(index)} ${common(index + 3)}"`,
  questions: (index) => `where did I fix the ${middling(index)} of ${middling(index + 5)} in ${common(index)}?`,
  'words with an error': (index) => swapped(middling(index + 20)),
  'common words of one project': (index) => ({ text: common(index), project: `/home/ada/project-${index}` }),
  'words of a path': (index) => ({ text: common(index), path: `src/${middling(index)}.ts` }),
  'counted common words': (index) => ({ text: common(index), isCounted: true }),
};

export const run: Case = async function* (bench) {
  const home = bench.home();
  const messages = bench.size(1_000_000, 1_000);
  const app = await appIn(home);
  await app.catalog.edit((edit) => fill(edit, messages));
  const timesOf = async (searchOf: SearchOf) => {
    const times: number[] = [];
    for (let index = 0; index < SEARCHES_OF_A_KIND; index += 1) {
      const made = searchOf(index);
      const request = typeof made === 'string' ? { text: made } : made;
      const ask = async () => {
        const found = await app.catalog.ask((database) => search(database, request, { clock: app.clock, importedId }));
        if (found.kind !== 'done') throw new Error(`${JSON.stringify(request)}: ${JSON.stringify(found)}`);
      };
      times.push(await processorMilliseconds(ask));
    }
    return times;
  };
  const many = `${messages.toLocaleString('en')} messages`;
  const rounds = 3;
  for (const [kind, searchOf] of Object.entries(SEARCHES)) {
    const worst = async () => Math.max(...(await timesOf(searchOf)));
    yield { what: `${kind}, the worst of ${SEARCHES_OF_A_KIND} in ${many}`, ollm: worst, limit: WORST_MS, rounds };
  }
  const median = async () =>
    quantile([...(await timesOf(rare)), ...(await timesOf(middling)), ...(await timesOf(common))]);
  yield { what: `rare, middling and common words in ${many}, median`, ollm: median, limit: MEDIAN_MS, rounds };
  await app.close();
  const command = () => runProgram(home, 'search', wordOf(1));
  yield { what: 'ollm search, a common word', ollm: command, against: [emptyNode(4)] };
};

async function fill(edit: CatalogEdit, messages: number): Promise<void> {
  const random = seededRandom(11);
  const { word, text } = wordSource(WORDS, random);
  const add = messageWriter(edit);
  const session = edit.database.prepare(
    `INSERT INTO sessions (number, agent, directory, id, title, project, last_activity, branch, state)
      VALUES (?, 'claude', '/', ?, ?, ?, ?, 'main', 'here')`,
  );
  const names = edit.database.prepare("INSERT INTO names (rowid, title, project, branch) VALUES (?, ?, ?, 'main')");
  for (let number = 0; number < messages; number += 1) {
    const at = timeOf(number);
    const owner = Math.floor(number / PER_SESSION);
    if (number % PER_SESSION === 0) {
      const [title, project] = [text(6), `/home/ada/project-${owner % 50}`];
      await edit.add(2, () => {
        session.run(owner, `session-${owner}`, title, project, at);
        names.run(owner, title, project);
      });
    }
    const kind = KINDS[Math.floor(random() ** 1.5 * KINDS.length)]!;
    // A few outputs are long.
    const length = 4 + Math.floor(Math.exp(random() * (kind.kind === 'output' ? 6 : 4.5)));
    const said = kind.kind === 'call' ? `{"path":"src/${word()}.ts","text":"${text(length)}"}` : text(length);
    const row = { id: idBefore(at) + 1, session: owner, seq: number % PER_SESSION, at, ...kind };
    await add({ ...row, size: said.length, text: packed(said) }, preparedText(said));
  }
  await edit.flush();
}

/** Milliseconds since 1970: one message every half minute. */
function timeOf(number: number): number {
  return 1_700_000_000_000 + number * 30_000;
}

/** The word that about this share of the messages hold, or one that is a little rarer. */
function wordWith(share: number, further: number): string {
  const perMessage = 30;
  return wordOf(Math.min(WORDS - 1, Math.max(0, Math.round(perMessage / (share * Math.log(WORDS)))) + further));
}

function swapped(word: string): string {
  return word.slice(0, 2) + word[3]! + word[2]! + word.slice(4);
}
