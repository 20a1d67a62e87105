// States that are seldom seen, for a reader who zooms, has a palette of their own or listens: axe-core finds nothing,
// and nothing is wider than the window.
import type { Page } from 'playwright-core';
import {
  inBrowser,
  type OpenedPage,
  overflowOf,
  type ServedPage,
  servePage,
  violationsOf,
} from '../support/page-in-browser.ts';
import { said } from '../support/said.ts';
import { until } from '../support/until.ts';

const WIDTHS = [320, 768, 1440] as const;
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const LONG_WORD = 'rose'.repeat(40);

inBrowser('the page for every reader', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
    await served.append('roses', [
      { type: 'session.titled', data: { title: `Roses ${LONG_WORD}`, by: 'user' } },
      { type: 'turn.started', turn: 1, data: { input: 'user' } },
      said('user', `Prune ${LONG_WORD}`),
      { type: 'tool.requested', data: { callId: 'one', name: 'bash', args: { command: `cut ${LONG_WORD}` } } },
      { type: 'tool.decided', data: { callId: 'one', decision: 'allow', by: 'policy', rule: 'bash(cut *)' } },
      {
        type: 'tool.started',
        data: { callId: 'one', sandbox: 'bubblewrap', network: false, envRemoved: [], cwd: '/' },
      },
      {
        type: 'tool.finished',
        data: { callId: 'one', status: 'error', result: { llmContent: `no ${LONG_WORD}` }, trusted: false },
      },
      said('assistant', `| a | b |\n|---|---|\n| ${LONG_WORD} | 2 |\n\n\`\`\`ts\nconst ${LONG_WORD} = 1;\n\`\`\``),
      {
        type: 'usage.reported',
        data: { inputTokens: 900, outputTokens: 9, totalCost: 0.01, source: 'provider', model: LONG_WORD },
      },
      { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 1, durationMs: 10 } },
    ]);
    await served.sync();
  });
  afterAll(() => served?.close());

  /** At each width, in light and dark. */
  const expectFaultless = async ({ page }: OpenedPage): Promise<void> => {
    for (const width of WIDTHS)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 700 });
        await page.emulateMedia({ colorScheme });
        expect([width, colorScheme, await overflowOf(page), await violationsOf(page)]).toEqual([
          width,
          colorScheme,
          expect.any(Number),
          [],
        ]);
        expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      }
  };
  const lose = async (page: Page): Promise<void> => {
    await page.clock.install();
    await page.route('**/health', (route) => route.abort());
    await page.route('**/api/**', (route) => route.abort());
    await page.context().setOffline(true);
    const tryNow = page.getByRole('button', { name: 'Try now' }).first();
    await until(async () => {
      await page.clock.runFor(1000);
      return tryNow.isVisible();
    });
  };

  it('has no fault while the server does not answer', async () => {
    await using opened = await served.open('/s/roses');
    await opened.page.locator('article.prompt').waitFor();
    await lose(opened.page);
    await expectFaultless(opened);
  });

  it('has no fault during a question', async () => {
    const body = { prompt: `bash {"command":"touch ${LONG_WORD}"}`, answerer: 'offline', name: 'asking' };
    expect((await served.server.post('/api/llm/sessions', body)).status).toBeLessThan(300);
    await using opened = await served.open('/s/asking');
    const { page, faults } = opened;
    await page.getByRole('alertdialog').waitFor();
    await expectFaultless(opened);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.locator('.call[data-state=declined]').waitFor();
    expect(faults).toEqual([]);
  });

  it('has no fault while a call runs', async () => {
    const body = { prompt: 'bash {"command":"sleep 600"}', answerer: 'offline', name: 'running' };
    expect((await served.server.post('/api/llm/sessions', body)).status).toBeLessThan(300);
    await using opened = await served.open('/s/running');
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.locator('.call[data-state=running]').waitFor();
    await expectFaultless(opened);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.call[data-state=running]').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('has no fault with images that wait to be sent', async () => {
    await using opened = await served.open('/s/roses');
    const { page, faults } = opened;
    await page
      .locator('input[type=file]')
      .setInputFiles(['one.png', `${LONG_WORD}.png`].map((name) => ({ name, mimeType: 'image/png', buffer: PICTURE })));
    await page
      .getByRole('button', { name: /^Remove/ })
      .nth(1)
      .waitFor();
    await expectFaultless(opened);
    expect(faults).toEqual([]);
  });

  it.each(['/', '/s/roses', '/s/roses?tab=cost', '/search?q=prune', '/new', '/cost'])(
    'fits at 200 %% zoom and keeps its borders in a palette of the reader: %s',
    async (path) => {
      // Twice as large is half as wide.
      await using opened = await served.open(path, {
        viewport: { width: 640, height: 400 },
        deviceScaleFactor: 2,
        forcedColors: 'active',
      });
      const { page, faults } = opened;
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.locator('.session-row, article.prompt, .chart, a.hit, .new-form').first().waitFor();
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      expect(await violationsOf(page)).toEqual([]);
      // A chosen or pressed control differs by more than a background, which such a palette removes.
      expect(
        await page.evaluate(
          `[...document.querySelectorAll('[aria-pressed=true], [aria-current=page], .composer, [aria-selected=true], .prompt-box')].flatMap((each) => {
            const { borderTopWidth, outlineStyle } = getComputedStyle(each);
            return borderTopWidth === '0px' && outlineStyle === 'none' ? [each.outerHTML.slice(0, 200)] : [];
          })`,
        ),
      ).toEqual([]);
      expect(faults).toEqual([]);
    },
  );
});
