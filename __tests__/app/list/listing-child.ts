// A process of its own. `read N`: lists N times, and fails if a row is not whole. `write N`: stores N rows over and
// over, until it is killed.
import { createApp } from '../../../lib/app/compose.ts';
import { listSessions } from '../../../lib/app/list/list-sessions.ts';
import { OWN_ROWS } from '../../../lib/catalog/catalog.ts';
import { stampOf } from '../../../lib/catalog/list-table.ts';

const [kind, count] = process.argv.slice(2);
if (kind === 'read') for (let done = 0; done < Number(count); done += 1) await list();
else await write(Number(count));

async function list(): Promise<void> {
  const app = await createApp({ env: process.env, cwd: process.cwd(), command: 'test' });
  for (const { id, summary, locked } of await listSessions(app)) {
    // A session is made before its first message.
    const isWhole = locked || summary === undefined || summary.title === `Title of ${id}`;
    if (!isWhole) throw new Error(`${id}: ${JSON.stringify(summary)}`);
  }
  await app.close();
}

async function write(rows: number): Promise<void> {
  const app = await createApp({ env: process.env, cwd: process.cwd(), command: 'test' });
  const [like] = await app.store.list();
  const directory = app.paths.sessions;
  const found = Array.from({ length: rows }, (_, number) => {
    const id = `made-up-${number}`;
    const summary = { id, title: 'made up '.repeat(20), model: 'm', provider: 'p', startTime: '', lastActivity: '' };
    const row = { address: `ollm:${id}`, agent: 'ollm', project: undefined, remote: undefined, lastActivity: '' };
    const stamp = stampOf({ ...like!, size: like!.bytes });
    return { source: { owner: 'ollm', directory, key: id, stamp }, rows: { always: row }, summary };
  });
  console.log('begins');
  for (;;) {
    const place = { ...OWN_ROWS, directory };
    app.catalog.update(place, async () => ({ found, isCurrent: () => true, mayStore: () => true }));
    await app.catalog.close();
  }
}
