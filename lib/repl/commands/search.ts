// `/search WORDS`: messages of all sessions, best first, each with the address that /load opens.
import { marksOf, NOTHING_FOUND } from '../../app/sessions/read/hit-words.ts';
import { relativeTime } from '../../display/relative-time.ts';
import { sanitizeLine } from '../../display/sanitize.ts';
import { withShortIds } from '../../display/short-id.ts';
import { fitWidth, textWidth } from '../../display/width.ts';
import { keepingApp, type ReplCommand, wrongUsage } from './command.ts';

const MOST_HITS = 10;
const LONGEST_LINE = 200;

export const searchCommand: ReplCommand = {
  name: 'search',
  group: 'session',
  arguments: 'WORDS',
  summary: 'finds messages in all sessions, those of other programs too',
  details: `The best ${MOST_HITS} are shown; /load opens one by its address. ollm search takes more words and options`,
  example: '/search connection reset',
  legal: 'always',
  async run(context, argument) {
    const text = argument.trim();
    if (text === '') throw wrongUsage(searchCommand, 'Which words?');
    const { searchSessions } = await import('../../app/sessions/read/search-sessions.ts');
    const { front, signal } = context;
    const { hits, isCut, leftOut } = await searchSessions(keepingApp(context), { text, limit: MOST_HITS }, { signal });
    const nowMs = context.app.clock.now();
    const columns = Math.min(LONGEST_LINE, front.columns);
    for (const hit of hits) {
      const { address, at = '', role, title = '', excerpt } = hit;
      const shown = sanitizeLine(front.kind === 'terminal' ? withShortIds(address) : address);
      const facts = [sanitizeLine(title), relativeTime(at, nowMs), role, ...marksOf(hit)];
      const about = facts.filter(Boolean).join(' · ');
      front.print([
        { text: shown, styles: ['bold'] },
        { text: `  ${fitWidth(about, Math.max(10, columns - textWidth(shown) - 2))}`, styles: ['dim'] },
      ]);
      front.print(`  ${fitWidth(sanitizeLine(excerpt.text), columns - 2)}`);
    }
    for (const sentence of leftOut) front.notice(sentence);
    if (hits.length === 0) front.print(NOTHING_FOUND);
    else if (isCut) front.notice('There is more: "ollm search" shows it.');
  },
};
