// An open page asks for nothing: it is told what changes, one stream for all tabs of the browser.
import type { Page } from 'playwright-core';
import { comesTrue, inBrowser, type ServedPage, servePage } from '../support/page-in-browser.ts';
import { said } from '../support/said.ts';

inBrowser('a page that is left open', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
    for (let at = 0; at < 30; at += 1) await served.append(`s${at}`, [said('user', `session ${at}`)]);
  });
  afterAll(() => served?.close());

  const requestsOf = (page: Page): string[] => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    return asked;
  };

  it('sends no request while nothing happens, and shows a session that appears', async () => {
    await using opened = await served.open('/');
    const { page, faults } = opened;
    await page.locator('.session-row').first().waitFor();
    await page
      .getByText('30 sessions', { exact: true })
      .or(page.locator('.view-title .meta', { hasText: '30' }))
      .waitFor();
    const asked = requestsOf(page);
    // Longer than the server waits between two looks.
    await page.waitForTimeout(6000);
    expect(asked).toEqual([]);
    await served.append('fresh', [said('user', 'a fresh one')]);
    await page.getByRole('link', { name: 'a fresh one' }).first().waitFor();
    await comesTrue(page, `document.querySelector('.projects .count')?.textContent === '31'`);
    expect(faults).toEqual([]);
  });

  it('sends no request in a conversation, and updates its title and its holder', async () => {
    await using opened = await served.open('/s/s3');
    const { page, faults } = opened;
    await page.locator('article.prompt').waitFor();
    await page.locator('.outline a').first().waitFor();
    await page.waitForTimeout(1000);
    const asked = requestsOf(page);
    await page.waitForTimeout(5000);
    expect(asked).toEqual([]);
    await served.append('s3', [{ type: 'session.titled', data: { title: 'Named elsewhere', by: 'user' } }]);
    await page.getByRole('heading', { level: 1, name: 'Named elsewhere' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('has one stream of the list for all tabs, and a second tab takes over when its tab is closed', async () => {
    await using opened = await served.open('/');
    const { page: one } = opened;
    await one.locator('.projects .count').waitFor();
    const streams: string[] = [];
    one.context().on('request', (request) => {
      if (request.url().endsWith('/session-changes')) streams.push(request.url());
    });
    const two = await one.context().newPage();
    await two.goto(`${served.server.address}/`);
    await two.locator('.projects .count').waitFor();
    expect(streams).toEqual([]);
    await one.close();
    await served.append('later', [said('user', 'a later one')]);
    await two.getByRole('link', { name: 'a later one' }).first().waitFor();
    expect(streams).toHaveLength(1);
    await two.close();
  });

  it('receives large answers compressed', async () => {
    await using opened = await served.open('/');
    const { page } = opened;
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.url().includes('/api/llm/sessions?')),
      page.reload(),
    ]);
    expect((await response.allHeaders())['content-encoding']).toBe('gzip');
  });
});
