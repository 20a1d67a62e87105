// The list of sessions: running and asking ones appear and disappear by themselves, and the list can be filtered.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentFiles } from '../support/agent-homes.ts';
import { inBrowser, type ServedPage, servePage, violationsOf } from '../support/page-in-browser.ts';

const said = (text: string): object => ({
  type: 'message.added',
  data: { role: 'user', parts: [{ type: 'text', text }], trusted: true },
});

inBrowser('the sessions in the page', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage({
      prepare(home) {
        for (const [path, content] of Object.entries(agentFiles())) {
          mkdirSync(dirname(join(home.path, path)), { recursive: true });
          writeFileSync(join(home.path, path), content);
        }
      },
    });
    await served.append('oak', [{ type: 'session.titled', data: { title: 'An oak', by: 'user' } }, said('hello')]);
  });
  afterAll(() => served?.close());

  it('are shown first while they ask, also on a phone, and no longer than that', async () => {
    await using opened = await served.open('/');
    const { page, faults } = opened;
    await page.getByRole('link', { name: 'An oak' }).first().waitFor();
    expect(await page.locator('.session-row.live').count()).toBe(0);
    const body = { prompt: 'bash {"command":"touch live.txt"}', answerer: 'offline', name: 'asking' };
    expect((await served.server.post('/api/llm/sessions', body)).status).toBeLessThan(300);
    const live = page.locator('.session-row.live');
    await live.filter({ hasText: 'Asks: Run touch live.txt' }).waitFor();
    await page.locator('.group-head').first().getByText('Live').waitFor();
    await page.getByRole('navigation', { name: 'Live' }).getByRole('link').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 700 });
    await page.locator('.bottom-bar .dot.asks').waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await live.getByRole('link', { name: /^Answer/ }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.locator('.call[data-state=declined]').waitFor();
    await page.goto(`${served.server.address}/`);
    await page.getByRole('link', { name: 'An oak' }).first().waitFor();
    await live.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('are filtered by agent and by time, which the address contains', async () => {
    await using opened = await served.open('/');
    const { page, faults } = opened;
    const agents = () =>
      page.evaluate(
        `[...new Set([...document.querySelectorAll('.session-row .agent')].map((each) => each.textContent))]`,
      );
    await page.getByRole('link', { name: 'An oak' }).first().waitFor();
    expect(((await agents()) as string[]).length).toBeGreaterThan(2);
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('claude');
    await page.waitForURL('**/?agent=claude');
    await page.getByRole('link', { name: 'An oak' }).first().waitFor({ state: 'detached' });
    await page.locator('.session-row').first().waitFor();
    expect((await agents()) as string[]).toHaveLength(1);
    await page.reload();
    await page.locator('.session-row').first().waitFor();
    expect((await agents()) as string[]).toHaveLength(1);
    expect(await violationsOf(page)).toEqual([]);
    // What those programs wrote is of an earlier year.
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Last day');
    await page.getByRole('heading', { name: 'No session is like that' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'All agents, any time' }).click();
    await page.getByRole('link', { name: 'An oak' }).first().waitFor();
    expect(faults).toEqual([]);
  });
});
