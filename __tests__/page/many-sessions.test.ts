// A machine with thousands of sessions of two programs, at the real server: the list opens, scrolls, filters and finds,
// and neither the requests nor the content of the document grow with them.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { PROJECTS, writeManySessions } from '../support/many-sessions.ts';
import { comesTrue, inBrowser, type OpenedPage, type ServedPage, servePage } from '../support/page-in-browser.ts';
import { times } from '../support/times.ts';

const SESSIONS = Math.min(10_000, times(4_000));
const OF_TWO_AGENTS = `${SESSIONS.toLocaleString('en')} sessions of 2 agents`;
const OF_A_PROJECT = String(SESSIONS / PROJECTS);
/** At most eighty of our own: fewer than `services.session.maxSessions`, so that none goes to the trash. */
const OWN_EVERY = 125;
const CLAUDE = SESSIONS - SESSIONS / OWN_EVERY;
/** A window of rows, and one above and below it. */
const MOST_ROWS = 120;
const MOST_NODES = 4000;
/** The height of a row. */
const ROW_PX = 52;
/** Rows that are asked for at once. */
const BLOCK = 200;

inBrowser('thousands of sessions in the page', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage({
      prepare: (home) =>
        writeManySessions(home.path, join(home.path, 'ollm'), {
          count: SESSIONS,
          ownEvery: OWN_EVERY,
          newestMs: Date.now(),
        }),
    });
    await served.sync();
  });
  afterAll(() => served?.close());

  /** A list of thousands takes the server seconds, and a busy machine a multiple of that. */
  const open = async (path: string): Promise<OpenedPage> => {
    const opened = await served.open(path);
    return opened;
  };
  const listed = (page: Page, path: string) => {
    const pages: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/llm/sessions') pages.push(searchParams.toString());
    });
    return page.goto(served.server.address + path).then(() => pages);
  };
  const expectFew = async (page: Page): Promise<void> => {
    expect(await page.locator('.session-row').count()).toBeLessThanOrEqual(MOST_ROWS);
    expect(await page.evaluate(`document.querySelectorAll('*').length`)).toBeLessThanOrEqual(MOST_NODES);
  };
  const scrolledTo = (page: Page, share: number) =>
    page.evaluate(
      `(() => { const list = document.querySelector('.session-list'); list.scrollTop = ${share} * list.scrollHeight; })()`,
    );
  const row = (page: Page, at: number) => page.getByRole('link', { name: new RegExp(`^session ${at} about `) });

  it('open as a list, which scrolls from the newest to the oldest', async () => {
    await using opened = await open('/new');
    const { page, faults } = opened;
    await page.evaluate(`localStorage.setItem('order', 'time')`);
    const pages = await listed(page, '/');
    await row(page, 0).first().waitFor();
    await page.getByText(OF_TWO_AGENTS).waitFor();
    const list = page.locator('.session-list');
    await comesTrue(page, `document.querySelector('.tall').clientHeight >= ${ROW_PX * SESSIONS}`);
    expect(await list.getAttribute('aria-rowcount')).toBe(String(SESSIONS));
    // The list has fetched a single block.
    expect(pages).toHaveLength(1);
    await expectFew(page);
    for (const share of [0.25, 0.5, 0.78]) {
      const at = Math.round(share * SESSIONS) + 1;
      await scrolledTo(page, at / SESSIONS);
      await row(page, at).waitFor();
      await expectFew(page);
    }
    await scrolledTo(page, 1);
    await row(page, SESSIONS - 1).waitFor();
    await expectFew(page);
    // Each place asks for the blocks around it.
    expect(pages.length).toBeLessThanOrEqual(1 + 4 * 2);
    expect(pages.every((query) => query.includes(`limit=${BLOCK}`))).toBe(true);
    expect(faults).toEqual([]);
  });

  it('are grouped by project, and one project can be shown whole', async () => {
    await using opened = await open('/');
    const { page, faults } = opened;
    await page.getByText(OF_TWO_AGENTS).waitFor();
    await expectFew(page);
    const group = page.locator('.group-head').filter({ has: page.getByText(/bed-39$/) });
    // The server counts: each group and each entry of the sidebar has the whole number, however few rows are loaded.
    expect(await page.locator('.group-head .meta').first().textContent()).toBe(OF_A_PROJECT);
    expect(await page.locator('.projects .count').allTextContents()).toEqual(
      Array.from({ length: 12 }, () => OF_A_PROJECT),
    );
    await page.getByRole('button', { name: /^All \d+ projects/ }).click();
    expect(await page.locator('.projects .count').count()).toBeGreaterThan(30);
    // It is below the window: the newest session of each project is older than that of the one before.
    await comesTrue(page, `document.querySelectorAll('.group-head').length > 1`);
    for (; (await group.count()) === 0; )
      await page.evaluate(`document.querySelector('.session-list').scrollBy(0, innerHeight)`);
    await group.getByRole('link', { name: 'Show all' }).click();
    await page.waitForURL(/\?project=/);
    await row(page, 39).waitFor();
    await page.getByRole('heading', { level: 1, name: /bed-39$/ }).waitFor();
    await comesTrue(
      page,
      `document.querySelector('.session-list').getAttribute('aria-rowcount') === '${OF_A_PROJECT}'`,
    );
    expect(faults).toEqual([]);
  });

  it('are filtered by agent and by day, and only those are requested', async () => {
    await using opened = await open('/new');
    const { page, faults } = opened;
    await page.evaluate(`localStorage.setItem('order', 'time')`);
    const pages = await listed(page, '/?agent=claude');
    await row(page, 1).first().waitFor();
    await comesTrue(page, `document.querySelector('.session-list').getAttribute('aria-rowcount') === '${CLAUDE}'`);
    expect(await row(page, 0).count()).toBe(0);
    expect(pages.every((query) => query.includes('provider=claude'))).toBe(true);
    expect(pages).toHaveLength(1);
    pages.length = 0;
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Last day');
    // A session a minute; a test that takes long finds a few less in the last day.
    await comesTrue(
      page,
      `(() => { const rows = Number(document.querySelector('.session-list')?.getAttribute('aria-rowcount')); return rows > 1300 && rows <= 1440; })()`,
    );
    await expectFew(page);
    expect(pages.length).toBeLessThanOrEqual(2);
    expect(faults).toEqual([]);
  });

  it('are found by their words, and opened', async () => {
    await using opened = await open('/');
    const { page, faults } = opened;
    await page.getByText(OF_TWO_AGENTS).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('session 3842');
    await page.keyboard.press('Enter');
    const hit = page.locator('a.hit', { hasText: 'session 3842' }).first();
    await hit.waitFor();
    await expectFew(page);
    await hit.click();
    await page.getByRole('heading', { level: 1, name: 'session 3842 about the pear' }).waitFor();
    await page.locator('article.prompt', { hasText: 'session 3842' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('are listed below the one that asks a question', async () => {
    await using opened = await open('/');
    const { page, faults } = opened;
    await row(page, 0).first().waitFor();
    const body = { prompt: 'bash {"command":"touch live.txt"}', answerer: 'offline', name: 'asking' };
    expect((await served.server.post('/api/llm/sessions', body)).status).toBeLessThan(300);
    const first = page.locator('.session-row').first();
    await first.filter({ hasText: 'Asks: Run touch live.txt' }).waitFor();
    await first.getByRole('link', { name: /^Answer/ }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.locator('.call[data-state=declined]').waitFor();
    expect(faults).toEqual([]);
  });
});
