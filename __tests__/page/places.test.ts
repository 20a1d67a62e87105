// The place of the reader: kept over Back and over another tab of the session, shown on the map and in the outline, and
// never blank.
import { comesTrue, inBrowser, type ServedPage, servePage, violationsOf } from '../support/page-in-browser.ts';
import { said } from '../support/said.ts';

const call = (at: number, status: 'ok' | 'error'): object[] => [
  { type: 'tool.requested', data: { callId: `c${at}`, name: 'bash', args: { command: `ls ${at}` } } },
  { type: 'tool.finished', data: { callId: `c${at}`, status, result: { llmContent: 'x\n' }, trusted: false } },
];
const TABLE = `| ingredient | amount | ${'a further column | '.repeat(5)}
|---|---|${'---|'.repeat(5)}
| tomatoes and strawberries | a teaspoonful | ${'extraordinarily | '.repeat(5)}`;

inBrowser('the place of the reader', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
    const turns = Array.from({ length: 300 }, (_, at) => [
      said('user', `prompt ${at}`),
      said('assistant', `row ${at}`),
    ]);
    await served.append('long', turns.flat());
    await served.append('short', [said('user', 'why?'), said('assistant', TABLE)]);
    await served.append('mixed', [
      said('user', 'why?'),
      ...Array.from({ length: 400 }, (_, at) => call(at, at === 7 ? 'error' : 'ok')).flat(),
    ]);
    for (let at = 0; at < 40; at += 1) await served.append(`s${at}`, [said('user', `session ${at}`)]);
  });
  afterAll(() => served?.close());

  it('is kept in the list over a visit to a session', async () => {
    await using opened = await served.open('/');
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'By time' }).click();
    await page.locator('.session-row').first().waitFor();
    await page.evaluate(`document.querySelector('.session-list').scrollTo(0, 900)`);
    await comesTrue(page, `document.querySelector('.session-list').scrollTop === 900`);
    const row = page.locator('a.row-title', { hasText: 'session 20' });
    await row.click();
    await page.locator('article.prompt').waitFor();
    await page.goBack();
    await row.waitFor();
    await comesTrue(page, `document.querySelector('.session-list')?.scrollTop === 900`);
    // A new visit begins at the top.
    await page.getByRole('link', { name: 'Search' }).first().click();
    await page.locator('.brand').click();
    await page.locator('.session-row').first().waitFor();
    expect(await page.evaluate(`document.querySelector('.session-list').scrollTop`)).toBe(0);
    expect(faults).toEqual([]);
  });

  it('is kept in a conversation, over its other tab and over a visit to a different session', async () => {
    await using opened = await served.open('/s/long#200');
    const { page, faults } = opened;
    await page.locator('#event-200 .gutter.target').waitFor();
    await page.locator('.flow').evaluate((flow) => flow.scrollBy(0, 333));
    const topOf = (seq: number) =>
      page.evaluate(`document.querySelector('#event-${seq}')?.getBoundingClientRect().top ?? null`);
    await comesTrue(page, `sessionStorage.getItem('place long') !== null`);
    const before = await topOf(204);
    await page.getByRole('link', { name: 'Cost', exact: true }).last().click();
    await page.waitForURL(/tab=cost/);
    await page.getByRole('link', { name: 'Conversation', exact: true }).click();
    await page.locator('#event-204').waitFor();
    await comesTrue(page, `Math.abs(document.querySelector('#event-204').getBoundingClientRect().top - ${before}) < 2`);
    await page.goto(`${served.server.address}/s/short`);
    await page.locator('article.reply').waitFor();
    await page.goto(`${served.server.address}/s/long`);
    await page.locator('#event-204').waitFor();
    await comesTrue(page, `Math.abs(document.querySelector('#event-204').getBoundingClientRect().top - ${before}) < 2`);
    // At the end, it is the end that is kept.
    await page.keyboard.press('End');
    await page.locator('.flow').getByText('row 299', { exact: true }).waitFor();
    await comesTrue(page, `sessionStorage.getItem('place long') === null`);
    expect(faults).toEqual([]);
  });

  it('is the frame on the map and the entry of the outline, which stays in view', async () => {
    await using opened = await served.open('/s/long');
    const { page } = opened;
    await page.locator('.flow').getByText('row 299', { exact: true }).waitFor();
    const isInList = `(() => {
      const entry = document.querySelector('.outline a[aria-current]')?.getBoundingClientRect();
      const list = document.querySelector('.outline')?.getBoundingClientRect();
      return entry && list && entry.top >= list.top && entry.bottom <= list.bottom;
    })()`;
    await comesTrue(page, isInList);
    await page.keyboard.press('Home');
    await comesTrue(page, `document.querySelector('.outline a[aria-current]')?.textContent.includes('prompt 0')`);
    await comesTrue(page, isInList);
    // In a short session the frame is around its events, and no further down.
    await page.goto(`${served.server.address}/s/short`);
    await page.locator('.map rect').first().waitFor();
    const [frame, last] = (await page.evaluate(`(() => {
      const rects = [...document.querySelectorAll('.map rect')];
      return [rects.at(-1), rects.at(-2)].map((each) => each.getBoundingClientRect().bottom);
    })()`)) as [number, number];
    expect(frame).toBeGreaterThanOrEqual(last);
    expect(frame - last).toBeLessThan(12);
  });

  it('is on a map that marks one failed call among many, and not its whole row', async () => {
    await using opened = await served.open('/s/mixed');
    const { page } = opened;
    await page.locator('.map rect').first().waitFor();
    const red = (await page.evaluate(
      `[...document.querySelectorAll('.map rect[fill="var(--danger)"]')].map((each) => Number(each.getAttribute('width')))`,
    )) as number[];
    expect(red).toHaveLength(1);
    expect(red[0]).toBeLessThan(20);
  });

  it('in the past dims later events on the map and later prompts in the outline', async () => {
    await using opened = await served.open('/s/long?at=100');
    const { page } = opened;
    await page.getByText(/As it was after event/).waitFor();
    await page.locator('.outline a.later').first().waitFor();
    expect(await page.locator('.outline a.later').count()).toBe(300 - 50);
    expect(await page.locator('.map .later').count()).toBeGreaterThan(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('may be a table, which scrolls without breaking a word, or a link, which is underlined', async () => {
    await using opened = await served.open('/s/short', { viewport: { width: 360, height: 700 } });
    const { page } = opened;
    await page.locator('.table-box').waitFor();
    const box = (await page.evaluate(
      `(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('.table-box'))`,
    )) as [number, number];
    expect(box[0]).toBeGreaterThan(box[1]);
    const word = await page.evaluate(`(() => {
      const cell = [...document.querySelectorAll('td')].find((each) => each.textContent === 'extraordinarily');
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getClientRects().length;
    })()`);
    expect(word).toBe(1);
  });

  it('moves through the rows of a list by j and k, from any focus', async () => {
    await using opened = await served.open('/');
    const { page } = opened;
    await page.locator('.session-row').first().waitFor();
    const focused = () => page.evaluate(`document.activeElement?.getAttribute('href')`);
    await page.keyboard.press('j');
    const first = await focused();
    expect(first).toMatch(/^\/s\//);
    await page.keyboard.press('j');
    expect(await focused()).not.toBe(first);
    await page.keyboard.press('k');
    expect(await focused()).toBe(first);
  });

  it('is reported as missing at an unknown address', async () => {
    await using opened = await served.open('/zzz');
    const { page } = opened;
    await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor();
    expect((await served.server.ask('/zzz')).status).toBe(404);
    expect((await served.server.ask('/api/zzz')).body.error.code).toBe('NOT_FOUND');
  });
});
