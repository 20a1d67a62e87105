// A process of its own. `search WORD N`: searches N times, and fails if a hit is not whole. `sync`: brings the
// catalogue up to date once, and says when it begins.
import { createApp } from '../../lib/app/compose.ts';
import { searchSessions } from '../../lib/app/sessions/search-sessions.ts';
import { syncSessions } from '../../lib/app/sessions/sync-sessions.ts';

const [verb, word = '', times = '1'] = process.argv.slice(2);
const app = await createApp({ env: process.env, cwd: process.cwd(), command: 'test' });
if (verb === 'sync') {
  const outcome = await syncSessions(app, { onProgress: ({ done }) => done === 0 && console.log('begins') });
  if (outcome.kind === 'refused') throw new Error(outcome.reason);
} else {
  for (let done = 0; done < Number(times); done += 1) {
    for (const hit of (await searchSessions(app, { text: word, limit: 50 })).hits) {
      if (!hit.excerpt.text.includes(`in ${hit.id}`)) throw new Error(JSON.stringify(hit));
    }
  }
}
await app.close();
