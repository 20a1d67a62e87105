// A conversation of 100,000 events and a list of 10,000 sessions: the content of the document and the requests do not
// grow with them.
import { comesTrue, inBrowser, type ServedPage, servePage } from '../support/page-in-browser.ts';

const EVENTS = 100_000;
/** Six pages of a hundred events, each of a handful of elements. */
const MOST_NODES = 5000;
/**
 * How much more memory a session of a hundred times as many events may take: its outline has 50,000 prompts. With all
 * of its events it would be twenty times as much.
 */
const MOST_GROWTH = 5;

inBrowser('the page with much content', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
    await served.append('long', linesOf(EVENTS));
  });
  afterAll(() => served?.close());

  const linesOf = (count: number): object[] =>
    Array.from({ length: count }, (_, at) => ({
      type: 'message.added',
      data: { role: at % 2 ? 'assistant' : 'user', parts: [{ type: 'text', text: `line ${at}` }], trusted: true },
    }));

  it('opens a conversation at its end, moves to any event, and keeps few in the document', async () => {
    await using opened = await served.open('/new');
    const { page, faults } = opened;
    let pages = 0;
    page.on('request', (request) => {
      if (request.url().includes('/history?')) pages += 1;
    });
    await page.goto(`${served.server.address}/s/long`);
    await page
      .locator('.flow')
      .getByText(`line ${EVENTS - 1}`, { exact: true })
      .waitFor();
    const nodes = () => page.evaluate(`document.querySelectorAll('.flow *').length`) as Promise<number>;
    expect(pages).toBeLessThanOrEqual(7);
    for (const seq of [1200, 50_000, 99_000, 3]) {
      await page.evaluate(`location.hash = '#${seq}'`);
      await page.locator(`#event-${seq} .gutter.target`).waitFor();
      expect(await page.locator('article.event').count()).toBeLessThanOrEqual(700);
      expect(await nodes()).toBeLessThanOrEqual(MOST_NODES);
    }
    // Each jump loads the text around it, and nothing on the way there.
    expect(pages).toBeLessThanOrEqual(7 + 4 * 8);
    await page.evaluate(`location.hash = '#50000'`);
    await page.locator('#event-50000 .gutter.target').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.getByText(/^Only events [\d,]+ to [\d,]+ are on paper here\. The session has 100,0\d\d:/).waitFor();
    expect(await page.locator('#event-50000').isVisible()).toBe(true);
    // No sheet is empty: the paper ends where the events do.
    expect(
      await page.evaluate(
        `document.documentElement.scrollHeight - Math.max(...[...document.querySelectorAll('.flow article')].map((each) => each.getBoundingClientRect().bottom))`,
      ),
    ).toBeLessThan(1000);
    await page.emulateMedia({ media: 'screen' });
    await page.goto(`${served.server.address}/s/long?at=500`);
    await page.getByText('As it was after event 500.').waitFor();
    expect(await page.locator('.flow').getByText('line 600', { exact: true }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('keeps few of 100,000 events in memory', async () => {
    await served.append('short', linesOf(1000));
    const heapOf = async (address: string): Promise<number> => {
      await using opened = await served.open(`/s/${address}`);
      const { page } = opened;
      await page.locator('.flow article').first().waitFor();
      await page.locator('.map').waitFor();
      const devtools = await page.context().newCDPSession(page);
      // Up to the part that was not loaded at first.
      const last = address === 'long' ? EVENTS : 1000;
      for (let at = 1; at <= 9; at += 1) {
        const seq = last - at * 100;
        await page.evaluate(`location.hash = '#${seq}'`);
        await page.locator(`#event-${seq} .gutter.target`).waitFor();
      }
      await devtools.send('HeapProfiler.collectGarbage');
      const { metrics } = await devtools.send('Performance.enable').then(() => devtools.send('Performance.getMetrics'));
      return metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value;
    };
    const [short, long] = [await heapOf('short'), await heapOf('long')];
    expect(long / short).toBeLessThanOrEqual(MOST_GROWTH);
  });

  it('loads the rest of a page of large events', async () => {
    const lines = Array.from({ length: 150 }, (_, at) => ({
      type: 'message.added',
      data: { role: 'user', parts: [{ type: 'text', text: `line ${at} ${'x'.repeat(60_000)}` }], trusted: true },
    }));
    await served.append('large', lines);
    await using opened = await served.open('/s/large');
    const { page, faults } = opened;
    await page.locator('#event-149').waitFor();
    for (const seq of [99, 3, 80]) {
      await page.evaluate(`location.hash = '#${seq}'`);
      await page.locator(`#event-${seq} .gutter.target`).waitFor();
    }
    expect(faults).toEqual([]);
  });

  it('shows the first of 10,000 sessions before the last are loaded, and few rows at the same time', async () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => ({
      address: `ollm:s${at}`,
      agent: 'ollm',
      id: `s${at}`,
      title: `session ${at}`,
      project: `/p${at % 50}`,
      lastActivity: '2026-01-01T00:00:00Z',
      messageCount: at,
      bytes: 1,
      gone: false,
      locked: false,
    }));
    await using opened = await served.open('/new');
    const { page, faults } = opened;
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/api/llm/sessions?*', async (route) => {
      const query = new URL(route.request().url()).searchParams;
      const from = Number(query.get('from') ?? 0);
      const to = from + Number(query.get('limit'));
      if (from > 0) await held;
      const data = { sessions: rows.slice(from, to), total: rows.length, unreadable: [] };
      await route.fulfill({ json: { success: true, data } });
    });
    const counts = { total: rows.length, projects: [], agents: [], days: [], unreadable: [] };
    await page.route('**/api/llm/session-counts*', (route) => route.fulfill({ json: { success: true, data: counts } }));
    await page.locator('.sidebar nav a', { hasText: 'Sessions' }).first().click();
    await page.getByRole('button', { name: 'By time' }).click();
    await page.getByRole('link', { name: 'session 0', exact: true }).waitFor();
    letGo();
    const list = page.locator('.session-list');
    await comesTrue(page, `document.querySelector('.session-list').scrollHeight > 500_000`);
    expect(await page.locator('.session-row').count()).toBeLessThanOrEqual(120);
    await page.evaluate(`document.querySelector('.session-list').scrollTop = 10_000_000`);
    await page.getByRole('link', { name: 'session 9999', exact: true }).waitFor();
    expect(await page.locator('.session-row').count()).toBeLessThanOrEqual(120);
    expect(await list.getAttribute('aria-rowcount')).toBe('10000');
    expect(faults).toEqual([]);
  });
});
