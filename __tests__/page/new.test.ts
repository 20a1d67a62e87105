// A session is begun with all that its first prompt can have; and the mode decides about further questions.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { outOfReach, outOfView } from '../support/out-of-view.ts';
import { comesTrue, inBrowser, messageBox, PIXEL, type ServedPage, violationsOf } from '../support/page-in-browser.ts';
import type { SpokenModel } from '../support/spoken-model.ts';
import { type SpokenPage, serveSpokenPage } from '../support/spoken-page.ts';
import { until } from '../support/until.ts';

inBrowser('a new session', () => {
  let spoken: SpokenPage;
  let model: SpokenModel;
  let served: ServedPage;
  beforeAll(async () => {
    spoken = await serveSpokenPage(['gpt-4o', 'maple-2']);
    ({ model, served } = spoken);
  });
  afterAll(() => spoken?.[Symbol.asyncDispose]());

  const journalOf = (id: string) =>
    readFileSync(join(served.home.path, 'ollm/session-data', `${id}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });
  const idIn = (page: Page) => decodeURIComponent(new URL(page.url()).pathname.slice('/s/'.length));

  it('gets the focus at its address and by its key, and shows that it begins', async () => {
    await using opened = await served.open('/new');
    const { page, faults } = opened;
    await comesTrue(page, `document.activeElement?.id === 'composer'`);
    await page.goto(`${served.server.address}/`);
    await page.getByRole('heading', { name: 'Sessions', exact: true }).waitFor();
    await page.keyboard.press('n');
    await comesTrue(page, `document.activeElement?.id === 'composer'`);
    const { promise: mayGo, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/api/llm/sessions', async (route) => {
      if (route.request().method() === 'POST') await mayGo;
      await route.continue();
    });
    await page.keyboard.type('n g s c are letters here');
    await page.keyboard.press('Enter');
    const history = Promise.withResolvers<void>();
    await page.route('**/history?**', async (route) => {
      await history.promise;
      await route.continue();
    });
    await page.getByText('Starting…').waitFor();
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    letGo();
    // The prompt is in view before anything of the session is read.
    await page.locator('article.sending', { hasText: 'n g s c are letters here' }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'n g s c are letters here' }).waitFor();
    history.resolve();
    await page.locator('article.prompt', { hasText: 'n g s c are letters here' }).waitFor();
    await page.locator('article.sending').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('begins with images, a model, a thinking effort, and a mode', async () => {
    await using opened = await served.open('/new');
    const { page, faults } = opened;
    await messageBox(page).fill('What is this?');
    await page.locator('.composer input[type=file]').setInputFiles({
      ...{ name: 'dot.png', mimeType: 'image/png', buffer: PIXEL },
    });
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    await page.locator('option', { hasText: 'maple-2' }).waitFor({ state: 'attached' });
    await page.getByRole('combobox', { name: 'Model' }).selectOption({ label: 'maple-2 (box)' });
    await page.getByRole('combobox', { name: 'Thinking' }).selectOption('high');
    await page.getByRole('combobox', { name: 'Mode', exact: true }).selectOption('plan');
    for (const width of [320, 768, 1440]) {
      await page.setViewportSize({ width, height: 640 });
      const controls = '.new-form button, .new-form select, .new-form textarea, .bottom-bar a';
      expect([width, await outOfView(page, controls), await outOfReach(page)]).toEqual([width, [], []]);
      expect(await violationsOf(page)).toEqual([]);
    }
    await messageBox(page).press('Enter');
    await model.say('A dot.');
    await model.finish();
    await page.locator('article.reply', { hasText: 'A dot.' }).waitFor();
    await page.getByRole('button', { name: 'Mode: plan' }).waitFor();
    const journal = journalOf(idIn(page));
    expect(journal.find(({ type }) => type === 'mode.changed')?.data).toMatchObject({ mode: 'plan' });
    expect(journal.find(({ type }) => type === 'model.changed')?.data).toMatchObject({ thinking: 'high' });
    expect(
      JSON.stringify(journal.find(({ type, data }) => type === 'message.added' && data.role === 'user')),
    ).toContain('"type":"image"');
    expect(model.asked.at(-1)).toBe('maple-2');
    expect(faults).toEqual([]);
  });

  it('asks about one edit, and about no later one of the session once all are allowed', async () => {
    await served.turn('edits', 'hello');
    await using opened = await served.open('/s/edits');
    const { page, faults } = opened;
    const writes = async (path: string): Promise<void> => {
      await messageBox(page).fill(`file_write ${JSON.stringify({ path, content: 'walnut\n' })}`);
      await messageBox(page).press('Enter');
    };
    await writes('one.txt');
    await page.getByRole('alertdialog').waitFor();
    for (const width of [320, 768, 1440]) {
      await page.setViewportSize({ width, height: 700 });
      expect([width, await outOfView(page, '.question .answers button'), await outOfReach(page)]).toEqual([
        width,
        [],
        [],
      ]);
    }
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'All edits of this session' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await until(() => existsSync(join(served.project, 'one.txt')));
    await page.getByRole('button', { name: 'Mode: edits' }).waitFor();
    await writes('two.txt');
    await until(() => existsSync(join(served.project, 'two.txt')));
    expect(await page.getByRole('alertdialog').count()).toBe(0);
    // A program is still asked about, and nothing allows more than it says.
    await messageBox(page).fill('bash {"command":"touch three.txt"}');
    await messageBox(page).press('Enter');
    await page.getByRole('alertdialog').waitFor();
    expect(await page.getByRole('button', { name: 'All edits of this session' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Deny' }).click();
    await until(() => journalOf('edits').filter(({ type }) => type === 'tool.decided').length === 3);
    const decided = journalOf('edits').filter(({ type }) => type === 'tool.decided');
    expect(decided.map(({ data }) => [data.decision, data.rule])).toEqual([
      ['allow', 'mode:edits'],
      ['allow', 'mode:edits'],
      ['deny', 'default:command'],
    ]);
    expect(faults).toEqual([]);
  });

  it('is in plan mode if the user chooses that: nothing is changed, also after a reload', async () => {
    await served.turn('modes', 'hello');
    await using opened = await served.open('/s/modes');
    const { page } = opened;
    await page.locator('article.reply').waitFor();
    await page.getByRole('button', { name: /^Mode:/ }).click();
    await page.getByRole('menuitem', { name: /plan/ }).click();
    await messageBox(page).fill('file_write {"path":"no.txt","content":"no"}');
    await messageBox(page).press('Enter');
    await page.locator('.call[data-state=declined]').waitFor();
    expect(existsSync(join(served.project, 'no.txt'))).toBe(false);
    await page.reload();
    await page.getByRole('button', { name: 'Mode: plan' }).waitFor();
  });
});
