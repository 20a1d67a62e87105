// The page in a real Chromium against a real server: its views, a turn and a question as they happen, two browsers,
// hostile text, what a screen reader finds, and how much is loaded.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { createHome, type Home } from '../support/cli.ts';
import { type Served, serve } from '../support/served.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);
/** Without it, the page is not tried here: CI installs one. */
const inBrowser = CHROMIUM === undefined ? describe.skip : describe;
const QUIET = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--no-first-run',
  '--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication',
];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Addresses outside of the server that the page asked for, and errors that it threw. */
  readonly faults: string[];
}

inBrowser('the page in a browser', () => {
  let browser: Browser;
  let home: Home;
  let server: Served;
  let project: string;

  const options = () => ({ cwd: project, env: { OLLM_HOME: join(home.path, 'ollm') } });
  const open = async (path = '/', size = { width: 1280, height: 800 }): Promise<Opened> => {
    const context = await browser.newContext({ viewport: size });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(server.address)) faults.push(request.url());
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('dialog', (dialog) => {
      faults.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    const { body } = await server.post('/api/auth/codes', {}, { headers: { origin: server.address } });
    await page.goto(server.address + body.data.path);
    await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
    if (path !== '/') await page.goto(server.address + path);
    return { page, context, faults };
  };
  const turn = async (id: string, prompt: string): Promise<void> => {
    const known = await server.ask(`/api/llm/sessions/${id}`);
    const body = { prompt, answerer: 'offline' };
    if (known.status === 200) await server.post(`/api/llm/sessions/${id}/turns`, body);
    else await server.post('/api/llm/sessions', { ...body, name: id });
    for (;;) {
      const { activity } = await server.data(`/api/llm/sessions/${id}/activity`);
      if (activity.kind === 'free') return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  beforeAll(async () => {
    home = createHome();
    project = join(home.path, 'garden');
    mkdirSync(project);
    writeFileSync(join(project, 'notes.md'), '# Notes\n\nWalnuts ripen in October.\n');
    server = await serve(home, [], options());
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: QUIET });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    home?.[Symbol.dispose]();
  });

  it('says what to do before there is a session, and refuses a link that was used', async () => {
    const { page, context, faults } = await open();
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    const used = await page.goto(`${server.address}/join#used-before`);
    expect(used?.status()).toBe(200);
    await page.getByRole('heading', { name: 'This page needs a new link' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('begins a session, shows the turn as it runs, and finds it again', async () => {
    const { page, context, faults } = await open('/new');
    await page.getByRole('textbox', { name: 'Message' }).fill('When do walnuts ripen?');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/s\//);
    await page.locator('article.reply').waitFor();
    expect(await page.locator('article.prompt').textContent()).toContain('When do walnuts ripen?');
    expect(await page.locator('article.reply').textContent()).toContain('October');
    await page.goto(`${server.address}/search?q=walnuts`);
    await page.locator('a.hit mark').first().waitFor();
    await page.locator('a.hit').first().click();
    await page.waitForURL(/#\d+$/);
    await page.locator('article .gutter.target').waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('asks in every browser, and the first answer ends it in all', async () => {
    await turn('ask', 'hello');
    const [one, other] = [await open('/s/ask'), await open('/s/ask')];
    await one.page.getByRole('textbox', { name: 'Message' }).fill('bash {"command":"touch walnut.txt"}');
    await one.page.keyboard.press('Enter');
    for (const { page } of [one, other]) {
      const question = page.getByRole('alertdialog');
      await question.waitFor();
      expect(await question.locator('.asked').textContent()).toBe('touch walnut.txt');
    }
    await other.page.getByRole('button', { name: 'Deny' }).click();
    for (const { page } of [one, other]) {
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await page.locator('.call[data-state=declined]').waitFor();
    }
    expect(existsSync(join(project, 'walnut.txt'))).toBe(false);
    expect([...one.faults, ...other.faults]).toEqual([]);
    await one.context.close();
    await other.context.close();
  });

  it('shows hostile text as text: nothing runs, nothing is loaded', async () => {
    const hostile = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '![x](https://evil.example/x.png) [a](javascript:alert(1)) <https://evil.example>',
      '<svg/onload=alert(1)> <iframe src="https://evil.example"></iframe> <style>*{display:none}</style>',
      '"><base href="https://evil.example/"> \u202etxt.exe \u001b]0;x\u0007',
      '```<b>\n<img src=https://evil.example/y.png>\n```\n\n| <td onclick=alert(1)> | b |\n|---|---|\n| ![](//evil.example/z) | c |',
    ];
    await turn('hostile', hostile.join('\n\n'));
    const renamed = await server.ask('/api/llm/sessions/hostile/rename', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ summary: '<img src=x onerror=alert(1)>' }),
    });
    expect(renamed.status).toBe(200);
    const { page, context, faults } = await open('/s/hostile');
    await page.locator('article.prompt').waitFor();
    await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>' }).waitFor();
    expect(await page.locator('.flow img, .flow script, .flow iframe, .flow style, .flow svg[onload]').count()).toBe(0);
    const targets = await page
      .locator('.flow a[href]')
      .evaluateAll((links) => links.map((link) => (link as never as { href: string }).href));
    expect(targets.filter((href) => !/^(https?|mailto):/.test(href))).toEqual([]);
    await page.goto(server.address);
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    await page.goto(`${server.address}/search?q=onerror`);
    await page.locator('a.hit').first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it('opens a long session at its end, goes to any event, and keeps few in the document', async () => {
    const lines = Array.from({ length: 3000 }, (_, at) =>
      JSON.stringify({
        type: 'message.added',
        data: {
          role: at % 2 === 0 ? 'user' : 'assistant',
          parts: [{ type: 'text', text: `line ${at}` }],
          trusted: true,
        },
      }),
    );
    const appended = await home.run(['append', 'long', '--create'], { ...options(), input: `${lines.join('\n')}\n` });
    expect(appended.exitCode).toBe(0);
    const { page, context, faults } = await open('/s/long');
    await page.locator('.flow').getByText('line 2999', { exact: true }).waitFor();
    await page.goto(`${server.address}/s/long#1200`);
    await page.locator('#event-1200 .gutter.target').waitFor();
    expect(await page.locator('article.event').count()).toBeLessThan(700);
    await page.goto(`${server.address}/s/long?at=500`);
    await page.getByText('As it was after event 500.').waitFor();
    expect(await page.locator('.flow').getByText('line 2999', { exact: true }).count()).toBe(0);
    expect(faults).toEqual([]);
    await context.close();
  });

  it.each([
    ['sessions', '/'],
    ['search', '/search?q=walnuts'],
    ['new', '/new'],
    ['cost', '/cost'],
    ['a conversation', '/s/ask'],
    ['what it cost', '/s/ask?tab=cost'],
  ])('can be used with a screen reader and at 320 pixels, in light and dark: %s', async (_, path) => {
    const { page, context } = await open(path, { width: 320, height: 700 });
    for (const [width, colorScheme] of [
      [320, 'dark'],
      [1280, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 700 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForLoadState('networkidle').catch(() => {});
      await page.locator('main h1, main h2').first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      await page.evaluate(AXE);
      const { violations } = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
      };
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary])).toEqual([]);
    }
    await context.close();
  });

  it('loads at most 100 kB, compressed', async () => {
    const { gzipSync } = await import('node:zlib');
    const { page, context } = await open('/s/ask');
    const scripts = (await page.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /\\.(js|css)$/.test(name))`,
    )) as string[];
    const sizes = await Promise.all(
      scripts.map(async (name) => gzipSync(Buffer.from((await server.ask(new URL(name).pathname)).text)).length),
    );
    expect(scripts.length).toBeGreaterThan(1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(100_000);
    await context.close();
  });
});
