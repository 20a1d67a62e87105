// Only by keyboard, with a screen reader, at three widths, in light and dark, on paper; and how much is loaded.
import type { Page } from 'playwright-core';
import {
  comesTrue,
  inBrowser,
  type OpenedPage,
  overflowOf,
  type ServedPage,
  servePage,
  violationsOf,
} from '../support/page-in-browser.ts';
import { said } from '../support/said.ts';

const call = (callId: string, status: string, llmContent: string): object[] => [
  { type: 'tool.requested', data: { callId, name: 'bash', args: { command: `run ${callId}` } } },
  { type: 'tool.decided', data: { callId, decision: 'allow', by: 'policy', rule: 'bash(run*)' } },
  { type: 'tool.started', data: { callId, sandbox: 'bubblewrap', network: false, envRemoved: ['KEY'], cwd: '/' } },
  { type: 'tool.finished', data: { callId, status, result: { llmContent }, trusted: false } },
];
const used = (inputTokens: number): object => ({
  type: 'usage.reported',
  data: { inputTokens, outputTokens: 9, totalCost: 0.01, source: 'provider', model: 'maple-2' },
});

inBrowser('the page without a mouse', () => {
  let served: ServedPage;
  /** For what only looks: a new browser, with axe-core in it, takes longer than the look. */
  let looking: OpenedPage;
  beforeAll(async () => {
    served = await servePage();
    await served.append('rich', [
      { type: 'session.titled', data: { title: 'All there is', by: 'user' } },
      { type: 'turn.started', turn: 1, data: { input: 'user' } },
      said('user', 'First: متى تُسقى الورود؟'),
      ...call('one', 'ok', 'fine'),
      ...call('two', 'error', 'it broke\nexit code 3'),
      used(1000),
      said(
        'assistant',
        '# A heading\n\nSee [the docs](https://example.org/a), and `code`.\n\n- [ ] a task\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```\n\n> quoted',
      ),
      { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 1, durationMs: 10 } },
      { type: 'turn.started', turn: 2, data: { input: 'user' } },
      said('user', 'Second'),
      said('assistant', `${'A long answer. '.repeat(400)}`),
      used(2000),
      { type: 'turn.ended', turn: 2, data: { status: 'completed', steps: 1, durationMs: 10 } },
      { type: 'branch.moved', data: { head: 18, reason: 'undo' } },
      { type: 'turn.started', turn: 3, data: { input: 'user' } },
      said('user', 'Third'),
      said('assistant', 'Done.'),
      {
        type: 'turn.ended',
        turn: 3,
        data: { status: 'failed', steps: 1, durationMs: 10, error: { code: 'X', message: 'no' } },
      },
    ]);
    await served.sync();
    looking = await served.open('/new');
  });
  afterAll(() => served?.close());

  it.each([
    ['sessions', '/', '.session-row'],
    ['search', '/search?q=answer', 'a.hit'],
    ['new', '/new', '.new-form'],
    ['cost', '/cost', '.plain-table'],
    ['a conversation', '/s/rich', 'article.reply'],
    ['an earlier state of a conversation', '/s/rich?at=9', '.notice'],
    ['its cost', '/s/rich?tab=cost', '.plain-table'],
  ])(
    'has no fault that axe-core finds, on a phone in dark and on a wide screen in light: %s',
    async (_, path, shows) => {
      const { page, faults } = looking;
      await page.goto(served.server.address + path);
      await page.locator(shows).first().waitFor();
      for (const [width, colorScheme] of [
        [320, 'dark'],
        [768, 'light'],
        [1440, 'light'],
      ] as const) {
        await page.setViewportSize({ width, height: 700 });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.locator(shows).first().waitFor();
        expect(await overflowOf(page)).toBeLessThanOrEqual(0);
        if (width !== 768) expect(await violationsOf(page)).toEqual([]);
      }
      expect(faults).toEqual([]);
    },
  );

  it('has no fault in menu, keys, commands, search of a session and all calls once they are open', async () => {
    await using opened = await served.open('/s/rich');
    const { page } = opened;
    await page.locator('article.reply').first().waitFor();
    await page.evaluate(`document.querySelectorAll('.flow [aria-expanded=false]').forEach((each) => each.click())`);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'More' }).press('Enter');
    await page.getByRole('menuitem').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Message' }).fill('/');
    await page.getByRole('option').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Message' }).fill('');
    await page.keyboard.press('Control+f');
    await page.getByRole('searchbox', { name: 'Find in this session' }).fill('long');
    await page.getByText('1 of 1').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  const focused = (page: Page): Promise<string> =>
    page.evaluate(
      `(() => { const { activeElement: e } = document; return e.ariaLabel ?? e.textContent; })()`,
    ) as Promise<string>;

  it('finds a sentence and scrolls to it', async () => {
    await using opened = await served.open('/');
    const { page } = opened;
    await page.locator('.session-row').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('heading');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=heading/);
    await page.locator('a.hit').first().waitFor();
    for (let at = 0; at < 12 && !(await page.evaluate(`document.activeElement.matches('a.hit')`)); at += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('article .gutter.target').waitFor();
  });

  it('opens a failed call, and folds it', async () => {
    await using opened = await served.open('/s/rich');
    const { page } = opened;
    await page.locator('.call[data-state=failed] .output').waitFor();
    await page.keyboard.press('Home');
    await comesTrue(page, `document.querySelector('.flow').scrollTop < 80`);
    await page.keyboard.press(']');
    await comesTrue(page, `document.activeElement?.closest('[data-state=failed]')`);
    expect(await focused(page)).toContain('run two');
    await page.keyboard.press('Enter');
    await page.locator('.call[data-state=failed] .output').waitFor({ state: 'detached' });
    await page.keyboard.press('e');
    await page.locator('.call[data-state=failed] .output').waitFor();
  });

  it('moves from prompt to prompt, to a number, to the first and the newest', async () => {
    await using opened = await served.open('/s/rich');
    const { page } = opened;
    const place = () => page.evaluate(`document.querySelector('.flow').scrollTop`) as Promise<number>;
    await page.locator('article.prompt').first().waitFor();
    await page.keyboard.press('Home');
    await comesTrue(page, `document.querySelector('.flow').scrollTop < 80`);
    await page.keyboard.press('Shift+J');
    const inPrompt = `document.activeElement?.closest('article.prompt')`;
    await comesTrue(page, inPrompt);
    const first = await page.evaluate(`${inPrompt}.id`);
    await page.keyboard.press('Shift+J');
    await comesTrue(page, `![undefined, '${first}'].includes(${inPrompt}?.id)`);
    await page.keyboard.press('#');
    await page.keyboard.type('4');
    await page.locator('.flow .target').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.find-bar').waitFor({ state: 'detached' });
    await comesTrue(
      page,
      `(() => { const top = (each) => document.querySelector(each).getBoundingClientRect().top; return Math.abs(top('#event-4') - top('.flow')) < 200; })()`,
    );
    const before = await place();
    await page.keyboard.press('End');
    await comesTrue(page, `document.querySelector('.flow').scrollTop > ${before}`);
    await page.keyboard.press('o');
    await comesTrue(page, `document.activeElement?.closest('.outline')`);
  });

  it('moves focus to an outline that is still loading, which does not shift the text', async () => {
    await using opened = await served.open('/');
    const { page } = opened;
    let letGo = (): void => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/rich/outline', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('link', { name: 'All there is' }).first().click();
    await page.locator('article.prompt').first().waitFor();
    const width = () => page.evaluate(`document.querySelector('.flow').clientWidth`);
    const before = await width();
    await page.keyboard.press('o');
    letGo();
    await comesTrue(page, `document.activeElement?.closest('.outline')`);
    expect(await width()).toBe(before);
  });

  it('answers a question by key, but not in the first moment, and not outside it', async () => {
    await using opened = await served.open('/s/rich');
    const { page } = opened;
    await page.locator('article.prompt').first().waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('bash {"command":"touch made-by-keyboard"}');
    await page.keyboard.press('Enter');
    const question = page.getByRole('alertdialog');
    await question.waitFor();
    // A types on: the focus stays in the composer, and `y` is a letter there.
    await page.keyboard.type('y');
    expect(await question.count()).toBe(1);
    await question.focus();
    await page.keyboard.press('Enter');
    expect(await question.count()).toBe(1);
    for (; (await question.count()) > 0; ) await page.keyboard.press('n');
    await page.locator('.call[data-state=declined]').last().waitFor();
  });

  it('shows the cost, request by request', async () => {
    await using opened = await served.open('/s/rich?tab=cost');
    const { page } = opened;
    await page.locator('svg.chart').focus();
    await page.keyboard.press('Home');
    await page.getByText('request 1, 1k tokens').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText('request 2, 2k tokens').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/s\/rich#\d+/);
  });

  it('has tables with the numbers of its charts', async () => {
    await using opened = await served.open('/s/rich?tab=cost');
    const { page, faults } = opened;
    await page.getByText('Show as table').click();
    const rows = page.getByRole('group', { name: 'The chart as a table' }).locator('tbody tr');
    await rows.nth(1).getByText('2,000', { exact: true }).waitFor();
    // Turns of other tests in this session are further rows.
    expect(await rows.count()).toBeGreaterThanOrEqual(2);
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${served.server.address}/cost?days=7`);
    await page.getByText('Show as table').click();
    await rows.first().getByText('$0.02', { exact: true }).first().waitFor();
    expect(await page.locator('.legend').textContent()).toContain('maple-2');
    await page.getByRole('button', { name: 'Project', exact: true }).click();
    await page.getByRole('group', { name: 'Numbers by project' }).locator('td').first().waitFor();
    // A bar leads to the sessions of its day, the dearest first, and a session to its own costs.
    await page.locator('svg.chart').focus();
    await page.keyboard.press('End');
    await page.getByText(/: \$0\.02, maple-2 \$0\.02/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/&by=session&day=\d{4}-\d\d-\d\d$/);
    const dearest = page.getByRole('group', { name: 'Numbers by session' }).getByRole('link');
    await dearest.first().waitFor();
    expect(await dearest.allTextContents()).toEqual(['All there is']);
    expect(await violationsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await page.keyboard.press('Home');
    await page.locator('svg.chart').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing on this day.').waitFor();
    await page.getByRole('button', { name: 'All 7 days' }).click();
    await dearest.first().click();
    await page.waitForURL(/\/s\/rich\?tab=cost$/);
    // A session of ollm's own that a list led to goes on here.
    await page.getByRole('link', { name: 'Sessions', exact: true }).first().click();
    await page.locator('.session-row', { hasText: 'All there is' }).getByRole('link').first().click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await comesTrue(page, `document.querySelector('#composer').placeholder === 'Ask, or say what to do next'`);
    await page.getByRole('button', { name: 'Edit prompt' }).last().waitFor();
    expect(faults).toEqual([]);
  });

  it('shows a sum of costs with the number of requests that it leaves out', async () => {
    const unpriced = { inputTokens: 900, outputTokens: 9, source: 'provider', model: 'maple-2' };
    await served.append('partly', [{ type: 'usage.reported', data: unpriced }]);
    await using opened = await served.open('/cost?days=7&by=model');
    const { page } = opened;
    const row = page.getByRole('group', { name: 'Numbers by model' }).locator('tr', { hasText: 'maple-2' });
    await row.getByText('without 1 request', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Set a price for maple-2' }).waitFor();
  });

  it('goes back to an earlier event and forks there', async () => {
    await using opened = await served.open('/s/rich');
    const { page } = opened;
    await page.locator('article.prompt').first().waitFor();
    await page.keyboard.press('Home');
    await comesTrue(page, `document.querySelector('.flow').scrollTop < 80`);
    await page.keyboard.press('Shift+J');
    await page.keyboard.press('m');
    const seq = await page.locator('.gutter.target').textContent();
    await page.getByRole('menuitem', { name: 'As it was here' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/s/rich?at=${seq}`);
    await page.getByText(`As it was after event ${seq}.`).waitFor();
    const fork = page.getByRole('button', { name: 'Fork from here' });
    await fork.waitFor();
    for (let at = 0; at < 80; at += 1) {
      if (
        await page.evaluate(
          `document.activeElement.matches('button') && document.activeElement.textContent.includes('Fork')`,
        )
      )
        break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.search.includes('at='));
    await page.locator('article.prompt').first().waitFor();
  });

  it('has a setting that switches single keys off', async () => {
    await using opened = await served.open('/');
    const { page } = opened;
    await page.locator('.session-row').first().waitFor();
    await page.keyboard.press('?');
    await page.getByLabel('Single keys act').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to, or do' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  it('prints only the conversation, as far as it is loaded', async () => {
    await using opened = await served.open('/s/rich');
    const { page } = opened;
    await page.locator('article.reply').first().waitFor();
    const ink = (theme: string) =>
      page.evaluate(
        `(document.documentElement.dataset.theme = '${theme}', getComputedStyle(document.querySelector('.prose')).color)`,
      );
    const [light, dark] = [await ink('light'), await ink('dark')];
    expect(light).not.toBe(dark);
    await page.emulateMedia({ media: 'print' });
    // Paper is white, whichever theme was chosen.
    expect(await ink('dark')).toBe(light);
    for (const hidden of ['.sidebar', '.rail', '.dock', '.tabs'])
      expect(await page.locator(hidden).first().isVisible()).toBe(false);
    const { height, bottom } = (await page.evaluate(
      `({ height: document.documentElement.scrollHeight, bottom: Math.max(...[...document.querySelectorAll('.flow article')].map((each) => each.getBoundingClientRect().bottom)) })`,
    )) as { height: number; bottom: number };
    expect(await page.locator('.printed-part').count()).toBe(0);
    // Nothing is cut off by a window that scrolls.
    expect(height).toBeGreaterThanOrEqual(Math.floor(bottom));
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
  });

  it('leaves the conversation unchanged during typing, and sends no request', async () => {
    await using opened = await served.open('/s/rich');
    const { page } = opened;
    await page.locator('article.reply').first().waitFor();
    await page.locator('.map').waitFor();
    // The colours of code are loaded later than the conversation, and change it.
    await page.locator('.flow pre code span').first().waitFor();
    const box = page.getByRole('textbox', { name: 'Message' });
    // The first word changes the button that sends.
    await box.pressSequentially('a');
    await page.evaluate(`(() => {
      globalThis.changes = [];
      new MutationObserver((records) => globalThis.changes.push(...records.map(({ target }) => target.className)))
        .observe(document.querySelector('.session-body .flow'), { subtree: true, childList: true, attributes: true, characterData: true });
    })()`);
    const asked: string[] = [];
    page.on('request', (request) => {
      if (!request.url().endsWith('/session-changes')) asked.push(request.url());
    });
    await box.pressSequentially(' long sentence that is typed key by key');
    expect(await box.inputValue()).toBe('a long sentence that is typed key by key');
    expect(await page.evaluate('globalThis.changes')).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('is first painted before the server has answered anything about sessions', async () => {
    await using opened = await served.open('/new');
    const { page, faults } = opened;
    await page.route('**/api/**', () => {});
    await page.goto(`${served.server.address}/`);
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    await page.getByRole('searchbox').waitFor();
    await comesTrue(page, `performance.getEntriesByName('first-contentful-paint').length === 1`);
    const names = (await page.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => !path.startsWith('/api/'))`,
    )) as string[];
    // A style sheet, the start and its shared parts with code that is loaded later, an icon.
    expect(names.filter((path) => path.endsWith('.css'))).toHaveLength(1);
    expect(names.length).toBeLessThanOrEqual(12);
    expect(faults).toEqual([]);
  });

  it.each([1280, 390])(
    'paints its frame with two requests and 5 kB, before any script, %i pixels wide',
    async (width) => {
      await using opened = await served.open('/new', { viewport: { width, height: 700 } });
      const { page, faults } = opened;
      await page.route(/\.js$/, () => {});
      await page.goto(`${served.server.address}/s/rich`, { waitUntil: 'commit' });
      await comesTrue(page, `performance.getEntriesByName('first-contentful-paint').length === 1`);
      const loaded = (await page.evaluate(
        `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type)).filter(({ entryType, renderBlockingStatus }) => entryType === 'navigation' || renderBlockingStatus === 'blocking').map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])`,
      )) as [path: string, bytes: number][];
      expect(loaded.map(([path]) => path.replace(/-\w+\./, '.'))).toEqual(['/s/rich', '/style.css']);
      expect(loaded.every(([, bytes]) => bytes > 0)).toBe(true);
      expect(loaded.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThanOrEqual(5_000);
      expect(faults).toEqual([]);
    },
  );

  it('loads at most 85 kB, compressed, for a conversation with its code in colours', async () => {
    await using opened = await served.open('/s/rich');
    const { page } = opened;
    await page.locator('article.reply .syn-key').waitFor();
    // A file that is asked for twice comes out of the browser's cache the second time.
    const sizes = (await page.evaluate(
      `Object.fromEntries(performance.getEntriesByType('resource').filter(({ name }) => /\\.(js|css)$/.test(name)).map(({ name, encodedBodySize }) => [name, encodedBodySize]))`,
    )) as Record<string, number>;
    expect(Object.values(sizes).every((size) => size > 0)).toBe(true);
    expect(Object.values(sizes).reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(85_000);
  });
});
