import {
  comesTrue,
  inBrowser,
  messageBox,
  overflowOf,
  type ServedPage,
  servePage,
  violationsOf,
} from '../support/page-in-browser.ts';
import { said } from '../support/said.ts';

inBrowser('the page around a conversation', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
    const texts = Array.from({ length: 130 }, (_, at) => said(at % 2 ? 'assistant' : 'user', `walnut ${at}`));
    await served.append('long', texts);
    await served.sync();
  });
  afterAll(() => served?.close());

  it('shows the outline as a sheet if the window is too narrow, by its key and by its button', async () => {
    await using opened = await served.open('/s/long', { viewport: { width: 768, height: 800 } });
    const { page, faults } = opened;
    await page.locator('.flow').getByText('walnut 129', { exact: true }).waitFor();
    await page.locator('.flow').focus();
    await page.keyboard.press('o');
    const sheet = page.getByRole('dialog', { name: 'Outline' });
    await sheet.getByRole('link', { name: 'walnut 0' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole('button', { name: 'Outline' }).click();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await sheet.getByRole('link', { name: 'walnut 0' }).click();
    await sheet.waitFor({ state: 'detached' });
    await page.locator('.flow').getByText('walnut 0', { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it('numbers each event for a screen reader, out of all', async () => {
    await using opened = await served.open('/s/long');
    const { page } = opened;
    await page.locator('.flow').getByText('walnut 129', { exact: true }).waitFor();
    const last = page.locator('article.event', { hasText: 'walnut 129' });
    const { head } = await served.server.data('/api/llm/sessions/long/outline');
    expect(await last.getAttribute('aria-setsize')).toBe(String(head + 1));
    expect(Number(await last.getAttribute('aria-posinset'))).toBe(Number(await last.getAttribute('data-seq')) + 1);
  });

  it('asks a search again while the server reads sessions for it', async () => {
    await using opened = await served.open('/search');
    const { page, faults } = opened;
    let asked = 0;
    await page.route(/\/api\/llm\/search\?/, async (route) => {
      asked += 1;
      if (asked > 1) return route.continue();
      const response = await route.fetch();
      const { data, ...rest } = (await response.json()) as { data: object };
      const reading = { ...data, hits: [], counts: undefined, isReading: true, leftOut: ['The server is reading.'] };
      return route.fulfill({ response, json: { ...rest, data: reading } });
    });
    await page.getByRole('searchbox').fill('walnut');
    await page.getByText('The server is reading.').waitFor();
    await page.getByRole('button', { name: 'Everything 130' }).waitFor();
    expect(asked).toBe(2);
    expect(faults).toEqual([]);
  });

  it('shows the number of hits of a search and of each filter, further hits, a stable address, and the theme on phones', async () => {
    await using opened = await served.open('/search');
    const { page, faults } = opened;
    await page.getByRole('searchbox').fill('walnut');
    await page.getByRole('button', { name: 'Everything 130' }).waitFor();
    await page.locator('#main').getByText('130 places in 1 session').first().waitFor();
    await page.getByText('The best 100 are shown.').waitFor();
    await page.waitForURL(/\/search\?q=walnut$/);
    await page.getByRole('button', { name: 'Prompts 65' }).click();
    await page.getByText(/^65 places in 1 session$/).waitFor();
    await page.getByRole('searchbox').fill('walnut 127');
    await page.waitForURL(/\/search\?q=walnut%20127$/);
    await page.reload();
    await page.locator('a.hit', { hasText: 'walnut 127' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.getByRole('button', { name: 'Light' }).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('reports a value of a filter that there is not when the typing rests, or the line is entered, and not before', async () => {
    await using opened = await served.open('/search');
    const { page } = opened;
    const box = page.getByRole('searchbox');
    const refusal = page.getByText('is not an agent.');
    const hits = page.locator('a.hit').first();
    // The box is there before the script that listens to it.
    for (let tries = 0; tries < 10 && (await hits.count()) === 0; tries += 1) {
      await box.fill('');
      await box.fill('walnut');
      await hits.waitFor({ timeout: 10_000 }).catch(() => {});
    }
    await page.clock.install();
    const typed = async (text: string, thenMs: number) => {
      const answered = page.waitForResponse((response) => response.status() === 400);
      await box.fill(text);
      await page.clock.runFor(200);
      await answered;
      await page.clock.runFor(thenMs);
    };
    await typed('walnut agent:o', 700);
    expect([await refusal.count(), await hits.count()]).toEqual([0, 1]);
    await typed('walnut agent:ol', 800);
    await refusal.waitFor();
    await typed('walnut agent:oll ', 0);
    await refusal.waitFor();
    await typed('walnut agent:ox', 0);
    expect(await refusal.count()).toBe(0);
    await box.press('Enter');
    await refusal.waitFor();
    await box.fill('');
    await page.getByText('Type three characters or more.').waitFor();
    expect(await refusal.count()).toBe(0);
  });

  it('sets a price for a model without one, which counts in the sums for earlier requests', async () => {
    const usage = { inputTokens: 2_000_000, outputTokens: 100_000, source: 'provider', model: 'maple-2.1' };
    await served.append('used', [said('user', 'How many walnuts?'), { type: 'usage.reported', data: usage }]);
    await using opened = await served.open('/cost');
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Set a price for maple-2.1' }).click();
    const dialog = page.getByRole('dialog', { name: /^Price of/ });
    await dialog.getByLabel('Input', { exact: true }).fill('3');
    await dialog.getByLabel('Output').fill('10');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Set price' }).click();
    await page.locator('.figures b', { hasText: '$7.00' }).waitFor();
    await page.locator('.plain-table td', { hasText: '$7.00' }).waitFor();
    await page.goto(`${served.server.address}/s/used?tab=cost`);
    await page.locator('.figures b', { hasText: '$7.00' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('announces the model that answers and the call that failed', async () => {
    await served.turn('told', 'hello');
    await using opened = await served.open('/s/told');
    const { page } = opened;
    await messageBox(page).waitFor();
    await page.evaluate(`(() => {
      window.told = [];
      const region = document.querySelector('[aria-live=polite].said-only');
      new MutationObserver(() => window.told.push(region.textContent)).observe(region, { childList: true, subtree: true, characterData: true });
    })()`);
    await messageBox(page).fill('bash {"command":"exit 3"}');
    await messageBox(page).press('Enter');
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.locator('.call[data-state=failed]').waitFor();
    await comesTrue(page, `window.told.join(' ').includes('bash failed')`);
    await messageBox(page).fill('What is a walnut?');
    await messageBox(page).press('Enter');
    await comesTrue(page, `window.told.join(' ').includes('ollm answers')`);
  });

  it('denies a command that the reader edits, and sends the edited one instead', async () => {
    await served.turn('edit', 'hello');
    await using opened = await served.open('/s/edit');
    const { page, faults } = opened;
    await messageBox(page).fill('bash {"command":"touch one.txt"}');
    await messageBox(page).press('Enter');
    const question = page.getByRole('alertdialog');
    await question.waitFor();
    await question.getByRole('button', { name: 'Edit' }).click();
    await comesTrue(page, `document.activeElement.id === 'composer'`);
    await comesTrue(page, `document.activeElement.value === 'Run this instead: touch one.txt'`);
    await messageBox(page).fill('Run this instead: touch two.txt');
    await messageBox(page).press('Enter');
    await page.locator('.declined', { hasText: 'Run this instead: touch two.txt' }).waitFor();
    expect(faults).toEqual([]);
  });
});
