// Everything that acts is inside what shows it: at each width, with long names, long questions and many models.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { outOfReach, outOfView } from '../support/out-of-view.ts';
import { comesTrue, inBrowser, type OpenedPage, type ServedPage, servePage } from '../support/page-in-browser.ts';
import { said } from '../support/said.ts';
import { type SpokenModel, startSpokenModel } from '../support/spoken-model.ts';

const WIDTHS = [320, 360, 390, 430, 768, 1024, 1440] as const;
const LONG_NAME = `a-directory-with-a-name-that-is-${'very-'.repeat(20)}long`;
const LONG_MODEL = `maple-${'large-'.repeat(20)}2`;
const DOCKED = '.question .answers button, .question h2, .dock [aria-label=Send], .dock .stop, .dock textarea';

inBrowser('the controls of the page', () => {
  let model: SpokenModel;
  let served: ServedPage;
  let looking: OpenedPage;
  beforeAll(async () => {
    model = await startSpokenModel([LONG_MODEL]);
    served = await servePage({
      prepare(home, project) {
        mkdirSync(join(home.path, 'ollm'), { recursive: true });
        mkdirSync(join(home.path, LONG_NAME));
        writeFileSync(join(project, 'old.txt'), Array.from({ length: 90 }, (_, at) => `row ${at}\n`).join(''));
        const box = `{baseUrl: "${model.url}/v1", contextWindow: 100000}`;
        const workspaces = JSON.stringify([project, join(home.path, LONG_NAME)]);
        writeFileSync(
          join(home.path, 'ollm/config.yaml'),
          `server:
  workspaces: ${workspaces}
providers:
  compatible:
    box: ${box}
`,
        );
      },
    });
    await served.append('long', [
      { type: 'session.titled', data: { title: `Roses ${'and roses '.repeat(40)}`, by: 'user' } },
      { type: 'turn.started', turn: 1, data: { input: 'user' } },
      said('user', `Prune ${'rose'.repeat(60)}`),
      said('assistant', `[a link](https://example.com/${'rose'.repeat(60)})\n\n\`\`\`ts\nconst a = 1;\n\`\`\``),
      {
        type: 'usage.reported',
        data: { inputTokens: 900, outputTokens: 9, totalCost: 0.01, source: 'provider', model: LONG_MODEL },
      },
      { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 1, durationMs: 10 } },
    ]);
    await served.sync();
    looking = await served.open('/');
  });
  afterAll(async () => {
    await served?.close();
    await model?.[Symbol.asyncDispose]();
  });

  const atEachWidth = async (page: Page, look: (width: number) => Promise<void>, height = 700): Promise<void> => {
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height });
      await look(width);
    }
  };

  it.each([
    ['sessions', '/', '.session-row'],
    ['search', '/search?q=roses', 'a.hit'],
    ['cost', '/cost', '.plain-table'],
    ['a conversation', '/s/long', 'article.reply'],
    ['an earlier state of a conversation', '/s/long?at=3', '.notice'],
    ['its cost', '/s/long?tab=cost', '.plain-table'],
  ])('can be reached at every width: %s', async (_, path, shows) => {
    const { page } = looking;
    await page.goto(served.server.address + path);
    await page.locator(shows).first().waitFor();
    await atEachWidth(page, async (width) => {
      expect([width, await outOfReach(page)]).toEqual([width, []]);
    });
  });

  it('are in view at the beginning of a session, with a long directory and a long model', async () => {
    const { page } = looking;
    await page.goto(`${served.server.address}/new`);
    await page.locator('option', { hasText: LONG_NAME }).waitFor({ state: 'attached' });
    await page.locator('option', { hasText: LONG_MODEL }).waitFor({ state: 'attached' });
    await page.getByRole('combobox', { name: 'Directory' }).selectOption({ index: 1 });
    await page.getByRole('combobox', { name: 'Model' }).selectOption({ index: 1 });
    await page.getByRole('textbox', { name: 'Message' }).fill('Prune the roses');
    await atEachWidth(page, async (width) => {
      const controls = '.new-form button, .new-form select, .new-form textarea, .bottom-bar a';
      expect([width, await outOfView(page, controls), await outOfReach(page)]).toEqual([width, [], []]);
    });
  });

  it('can be reached in every menu that opens', async () => {
    const { page } = looking;
    await page.goto(`${served.server.address}/s/long`);
    await page.locator('article.reply').waitFor();
    await atEachWidth(page, async (width) => {
      for (const name of [/^More$/, /^Model:/]) {
        await page.getByRole('button', { name }).click();
        await page.getByRole('menuitem').first().waitFor();
        expect([width, await outOfReach(page)]).toEqual([width, []]);
        await page.keyboard.press('Escape');
      }
      await page.getByRole('textbox', { name: 'Message' }).fill('/');
      await page.getByRole('option').first().waitFor();
      expect([width, await outOfReach(page)]).toEqual([width, []]);
      await page.getByRole('textbox', { name: 'Message' }).fill('');
    });
  });

  it.each([
    ['a command of a hundred lines', { command: `touch a.txt\n${'# walnut\n'.repeat(100)}` }, 'bash', 700],
    ['one long word', { command: `touch ${'walnut'.repeat(300)}` }, 'bash', 568],
    ['a new file of sixty lines', { path: 'new.txt', content: 'walnut\n'.repeat(60) }, 'file_write', 900],
    [
      'a file that is written anew, in a low window',
      { path: 'old.txt', content: 'walnut\n'.repeat(60) },
      'file_write',
      375,
    ],
  ])('are in view during a question: %s', async (_, args, tool, height) => {
    const id = `asks-${height}`;
    await served.turn(id, 'hello');
    await using opened = await served.open(`/s/${id}`);
    const { page, faults } = opened;
    await page.getByRole('textbox', { name: 'Message' }).fill(`${tool} ${JSON.stringify(args)}`);
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await atEachWidth(
      page,
      async (width) => {
        // In a low window it is a part of what scrolls.
        if (height > 480) expect([width, await outOfView(page, DOCKED)]).toEqual([width, []]);
        // The asked text can be read to its end.
        const asked = page.locator('.question .asked');
        expect(await asked.evaluate((box) => box.clientHeight)).toBeGreaterThanOrEqual(40);
        await asked.evaluate((box) => box.scrollTo(0, box.scrollHeight));
        expect([width, await outOfReach(page)]).toEqual([width, []]);
      },
      height,
    );
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await comesTrue(page, `document.querySelector('.call[data-state=declined]')`);
    expect(faults).toEqual([]);
  });
});
