// A process of its own. `search WORD N`: searches N times, and fails if a hit is not whole. `sync`: brings the
// catalogue up to date once, `import`: imports all sessions, `watch`: does so until it has looked once. These say when
// they begin.
import { createApp } from '../../lib/app/compose.ts';
import { importForeign } from '../../lib/app/import/import-sessions.ts';
import { syncSessions } from '../../lib/app/import/sync-sessions.ts';
import { watchForeign } from '../../lib/app/import/watch-sessions.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';

const [verb, word = '', times = '1'] = process.argv.slice(2);
const app = await createApp({ env: process.env, cwd: process.cwd(), command: 'test' });
const begins = ({ done }: { readonly done: number }) => done === 0 && console.log('begins');
if (verb === 'sync') {
  const outcome = await syncSessions(app, { onProgress: begins });
  if (outcome.kind === 'refused') throw new Error(outcome.reason);
} else if (verb === 'import') {
  await importForeign(app, { all: true, onProgress: begins });
} else if (verb === 'watch') {
  console.log('begins');
  await watchForeign(app, { once: true, signal: new AbortController().signal });
} else {
  for (let done = 0; done < Number(times); done += 1) {
    for (const hit of (await searchSessions(app, { text: word, limit: 50 })).hits) {
      if (!hit.excerpt.text.includes(`in ${hit.id}`)) throw new Error(JSON.stringify(hit));
    }
  }
}
await app.close();
