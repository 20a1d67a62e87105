// The error in the middle of ten megabytes of build output, which the model was shown the two ends of.
import type { App } from '../../lib/app/app.ts';
import { recall } from '../../lib/app/recall/recall.ts';
import { searchSessions } from '../../lib/app/sessions/read/search-sessions.ts';
import { historyPort } from '../../lib/app/tools/history-port.ts';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { callOf, type HubWorld, hubWorld } from '../hub/world.ts';

const filler = 'note: checked a thing and it was in order\n'.repeat(120_000);
const secret = `ghp_${'a1B2'.repeat(9)}`;
const output = `${filler}gear.c:12:5: error: unknown type name 'cog_t', with ${secret}\n  12 | cog_t c;\n${filler}`;
const shown = `${filler.slice(0, 4_000)}[… 10,080,000 bytes are left out here …]${filler.slice(-4_000)}`;

let hub: HubWorld;
beforeAll(async () => {
  hub = hubWorld();
  await hub.withApp(async (app) => {
    const blob = await app.store.putBlob(new TextEncoder().encode(output), 'oak');
    const [asked, decided, started, finished] = callOf('c1', { command: 'npm run build' }, shown) as [
      ...[NewOllmEvent, NewOllmEvent, NewOllmEvent, Extract<NewOllmEvent, { type: 'tool.finished' }>],
    ];
    const truncated = { originalBytes: output.length, keptBytes: shown.length };
    const cut: NewOllmEvent = { ...finished, data: { ...finished.data, status: 'error', blob, truncated } };
    await hub.make('oak', ['Please make the thing.', asked, decided, started, cut, 'And what now, in a few words?']);
  });
});
afterAll(() => hub.remove());

const inApp = <Result>(use: (app: App) => Promise<Result>) => hub.withApp(use);

describe('an error in the middle of a large output', () => {
  it('is found by recall, with the lines around it and without a secret in them', async () => {
    const [first] = await inApp(async (app) => (await recall(app, { text: 'why did the build fail' })).passages);
    expect(first?.place).toBe('ollm:oak#5');
    expect(first?.text).toContain("unknown type name 'cog_t', with [redacted github-token 40]");
    expect(first?.text).toContain('  12 | cog_t c;');
  });

  it('is found by a search, without a secret in it', async () => {
    const found = async (text: string) => {
      await hub.sync();
      return inApp(async (app) => (await searchSessions(app, { text, isExact: true })).hits);
    };
    const [first, ...others] = await found('"unknown type name"');
    expect(others).toEqual([]);
    expect(first).toMatchObject({ address: 'ollm:oak#5', kind: 'output' });
    expect(first?.excerpt.text).toContain("unknown type name 'cog_t'");
    expect(await found(secret)).toEqual([]);
  });

  it('is found by history_read', async () => {
    const [first] = await inApp((app) => historyPort(app.store, 'oak').search('why did the build fail', 5));
    expect(first).toMatchObject({ seq: 5, role: 'tool', text: expect.stringContaining("unknown type name 'cog_t'") });
  });
});
