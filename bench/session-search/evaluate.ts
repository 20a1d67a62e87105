// How many questions about past sessions a search answers: with all of the words only, and with near hits. The first
// argument is a home with the sessions of the questions, as their programs keep them; `--held-out` asks the questions
// that were put aside, `--weeks-later` those that were written after all was tuned, and asked once. A question is
// answered by a hit in one of its sessions among the first ten.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';

interface Question {
  readonly question: string;
  /** The beginning of its address, or of several. */
  readonly session: string | readonly string[];
}

const [home, set = '--questions'] = process.argv.slice(2);
if (home === undefined) {
  throw new Error('Name a home: node bench/session-search/evaluate.ts HOME [--held-out | --weeks-later]');
}
const file = join(import.meta.dirname, `${set.slice('--'.length)}.jsonl`);
const questions = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Question);
const app = await createApp({ env: { HOME: home, OLLM_HOME: join(home, '.ollm') }, cwd: home, command: 'bench' });
await syncSessions(app);
for (const isExact of [true, false]) {
  const ranks: number[] = [];
  for (const { question, session } of questions) {
    const { hits } = await searchSessions(app, { text: question, isExact, limit: 10 });
    const rank = hits.findIndex(({ address }) => [session].flat().some((each) => address.startsWith(each))) + 1;
    if (rank > 0) ranks.push(rank);
    else if (!isExact && set === '--questions') console.log(`not found: ${question}`);
  }
  const reciprocal = ranks.reduce((sum, rank) => sum + 1 / rank, 0) / questions.length;
  const way = isExact ? 'all words' : 'near ones too';
  console.log(`${way}: ${ranks.length} of ${questions.length} found, MRR@10 ${reciprocal.toFixed(3)}`);
}
await app.close();
