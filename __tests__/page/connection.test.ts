// The server is gone, and is back: nothing that was typed or shown is lost, and what failed meanwhile is asked for
// again.
import { inBrowser, type ServedPage, servePage } from '../support/page-in-browser.ts';
import { until } from '../support/until.ts';

const NOTICE_BELOW_HEAD = `
  document.querySelector('.connection-notice').getBoundingClientRect().top >=
  document.querySelector('main header').getBoundingClientRect().bottom - 1`;

inBrowser('the page without its server', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
  });
  afterAll(() => served?.close());

  it('keeps a draft, and continues when the server is back', async () => {
    await served.turn('back', 'hello');
    await using opened = await served.open('/s/back');
    const { page } = opened;
    await page.locator('article.reply').first().waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
    const places = () =>
      page.evaluate(`['.flow', '.composer'].map((each) => document.querySelector(each).getBoundingClientRect().top)`);
    const before = await places();
    await served.server.end('SIGKILL');
    await page.getByText('Reconnecting.').waitFor();
    // The notice is over the view: nothing that is read moves, and its head can be read.
    expect(await places()).toEqual(before);
    expect(await page.evaluate(NOTICE_BELOW_HEAD)).toBe(true);
    await served.serveAgain();
    await page.getByText('Reconnecting.').waitFor({ state: 'detached' });
    await page.getByText('Connected again').waitFor({ state: 'attached' });
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('half a thought');
    await served.turn('back', 'and now?');
    await page.locator('.flow').getByText('and now?', { exact: true }).waitFor();
    expect(await page.locator('article.prompt').count()).toBe(2);
  });

  it('says so and recovers if the server ends during the first requests', async () => {
    await served.turn('early', 'hello');
    await using opened = await served.open('/');
    const { page } = opened;
    const asked = /\/health$|\/sessions\/early(\/(outline|events.*))?$/;
    await page.route(asked, (route) => route.abort('connectionreset'));
    await page.evaluate(`history.pushState(undefined, '', '/s/early'); dispatchEvent(new PopStateEvent('popstate'))`);
    await page.locator('article.reply').first().waitFor();
    await page.getByText('Reconnecting.').waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('kept');
    await page.unroute(asked);
    await page.getByText('Reconnecting.').waitFor({ state: 'detached' });
    await page.getByRole('navigation', { name: 'Prompts' }).getByText('hello').first().waitFor();
    await page
      .getByRole('navigation', { name: 'Session' })
      .getByText(/\d+ events/)
      .waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('kept');
  });

  it('reports after a while that ollm does not answer, and tries again on request', async () => {
    await served.turn('offline', 'hello');
    await using opened = await served.open('/s/offline');
    const { page } = opened;
    await page.clock.install();
    await page.locator('article.reply').first().waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('not lost');
    await served.server.end('SIGKILL');
    await until(async () => {
      await page.clock.runFor(1000);
      return page.getByRole('button', { name: 'Try now' }).isVisible();
    });
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await served.serveAgain();
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('ollm does not answer.').waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('not lost');
    expect(await page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
  });

  it('shows a view that could not be loaded as soon as there is an answer', async () => {
    await using opened = await served.open('/');
    const { page } = opened;
    await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
    await page.route('**/api/llm/stats**', (route) => route.abort('connectionrefused'));
    await page.getByRole('link', { name: 'Cost' }).first().click();
    await page.getByRole('heading', { name: 'ollm does not answer' }).waitFor();
    await page.unroute('**/api/llm/stats**');
    await page.getByRole('heading', { level: 1, name: 'Cost' }).waitFor();
  });

  it('offers to try again if a stretch of a long session could not be loaded', async () => {
    const lines = Array.from({ length: 1500 }, (_, at) => ({
      type: 'message.added',
      data: { role: at % 2 ? 'assistant' : 'user', parts: [{ type: 'text', text: `line ${at}` }], trusted: true },
    }));
    await served.append('stretch', lines);
    await using opened = await served.open('/s/stretch');
    const { page } = opened;
    await page.locator('.flow').getByText('line 1499', { exact: true }).waitFor();
    let refused = 0;
    await page.route('**/history?*', async (route) => {
      refused += 1;
      await route.fulfill({ status: 503, json: { success: false, error: { code: 'BUSY', message: 'Too much.' } } });
    });
    await page.locator('.outline a').first().click();
    await page.getByText('These events could not be loaded.').first().waitFor();
    const before = refused;
    await page.unroute('**/history?*');
    await page.getByRole('button', { name: 'Try now' }).first().click();
    await page.locator('.flow').getByText('line 1', { exact: true }).waitFor();
    // Each page was asked for once, and not again and again.
    expect(before).toBeLessThanOrEqual(6);
  });
});
