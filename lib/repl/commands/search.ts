// `/search WORDS`: messages of all sessions, best first, each with the address that /load opens.
import { marksOf, meantIn, NOTHING_FOUND, whatOf } from '../../app/sessions/read/hit-words.ts';
import { spanOf } from '../../display/paint.ts';
import { relativeTime } from '../../display/relative-time.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { withShortIds } from '../../display/short-id.ts';
import { fitWidth, textWidth } from '../../display/width.ts';
import { keepingApp, type ReplCommand, wrongUsage } from './command.ts';

const MOST_HITS = 10;
const SYNC_OTHERS_MS = 1_000;
const LONGEST_LINE = 200;

export const searchCommand: ReplCommand = {
  name: 'search',
  group: 'session',
  arguments: 'WORDS',
  summary: 'finds sessions and messages, those of other programs too',
  details: `The best ${MOST_HITS} are shown; /load opens one by its address. agent:claude, since:2w, title:…, path:… and others narrow it`,
  example: '/search connection reset',
  legal: 'always',
  async run(context, argument) {
    const text = argument.trim();
    if (text === '') throw wrongUsage(searchCommand, 'Which words?');
    const { searchSessions } = await import('../../app/sessions/read/search-sessions.ts');
    const { front, signal } = context;
    const answer = await searchSessions(
      keepingApp(context),
      { text, limit: MOST_HITS },
      { signal, syncOthersMs: SYNC_OTHERS_MS },
    );
    const { hits, isCut, leftOut } = answer;
    const nowMs = context.app.clock.now();
    const columns = Math.min(LONGEST_LINE, front.columns);
    for (const hit of hits) {
      const { address, at, title = '', why, excerpt } = hit;
      const shown = sanitizeLine(front.kind === 'terminal' ? withShortIds(address) : address);
      const name = why === 'title' || why === 'filter' ? '' : sanitizeLine(title);
      const when = at === undefined ? '' : relativeTime(at, nowMs);
      const facts = [name, when, whatOf(hit), ...marksOf(hit)];
      const about = facts.filter(Boolean).join(' · ');
      front.print([
        spanOf(shown, 'bold'),
        spanOf(`  ${fitWidth(about, Math.max(10, columns - textWidth(shown) - 2))}`, 'dim'),
      ]);
      front.print(`  ${fitWidth(sanitizeLine(excerpt.text), columns - 2)}`);
    }
    for (const sentence of [...meantIn(answer), ...leftOut]) front.notice(sentence);
    if (hits.length === 0) front.print(NOTHING_FOUND);
    else if (isCut) front.notice('There is more: "ollm search" shows it.');
  },
};
