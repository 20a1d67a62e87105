// What can be done with a prompt and its answer: sent and shown, copied, said in another way, asked again, continued.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { outOfReach } from '../support/out-of-view.ts';
import { comesTrue, inBrowser, messageBox, PIXEL, type ServedPage, violationsOf } from '../support/page-in-browser.ts';
import { said } from '../support/said.ts';
import { atRest } from '../support/served.ts';
import type { SpokenModel } from '../support/spoken-model.ts';
import { type SpokenPage, serveSpokenPage } from '../support/spoken-page.ts';
import { until } from '../support/until.ts';

inBrowser('the page after a prompt and after an answer', () => {
  let spoken: SpokenPage;
  let model: SpokenModel;
  let served: ServedPage;
  beforeAll(async () => {
    spoken = await serveSpokenPage(['gpt-4o', 'maple-2']);
    ({ model, served } = spoken);
  });
  afterAll(() => spoken?.[Symbol.asyncDispose]());

  const prompts = (page: Page) => page.locator('.page-of-events > article.prompt');
  const viewOf = async (id: string) =>
    JSON.stringify((await served.server.data(`/api/llm/sessions/${id}/state?state=view`)).states);

  it('shows a prompt as soon as it is sent, also to a reader further up, before the server has answered', async () => {
    await served.append(
      'sent',
      Array.from({ length: 60 }, (_, at) => said('user', `row ${at}`)),
    );
    await using opened = await served.open('/s/sent');
    const { page, faults } = opened;
    await page.locator('.flow').getByText('row 59', { exact: true }).waitFor();
    await page.keyboard.press('Home');
    await comesTrue(page, `document.querySelector('.flow').scrollTop < 80`);
    const { promise: mayGo, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/sent/turns', async (route) => {
      await mayGo;
      await route.continue();
    });
    await messageBox(page).fill('When do walnuts ripen?');
    await messageBox(page).press('Enter');
    const isInView = (selector: string) =>
      comesTrue(
        page,
        `(() => {
          const box = document.querySelector('${selector}')?.getBoundingClientRect();
          const flow = document.querySelector('.flow').getBoundingClientRect();
          return box && box.top >= flow.top - 1 && box.bottom <= flow.bottom + 1;
        })()`,
      );
    await isInView('.sending .prompt-box');
    expect(await page.locator('.sending').textContent()).toContain('When do walnuts ripen?');
    letGo();
    await page.locator('article.prompt', { hasText: 'When do walnuts ripen?' }).waitFor();
    await page.locator('.sending').waitFor({ state: 'detached' });
    await page.locator('article.reply', { hasText: 'October' }).waitFor();
    await isInView('article.reply');
    expect(faults).toEqual([]);
  });

  it('gives a prompt back that the server refuses', async () => {
    await served.turn('refused', 'hello');
    await using opened = await served.open('/s/refused');
    const { page } = opened;
    await page.locator('article.reply').waitFor();
    await page.route('**/refused/turns', (route) =>
      route.fulfill({
        status: 409,
        json: { success: false, error: { code: 'QUEUE_FULL', message: 'Too many wait.' } },
      }),
    );
    await messageBox(page).fill('One more');
    await messageBox(page).press('Enter');
    await page.getByText('Too many wait.').waitFor();
    expect(await messageBox(page).inputValue()).toBe('One more');
    expect(await page.locator('.sending').count()).toBe(0);
  });

  it('edits a prompt, and moves from one version to the other', async () => {
    await served.turn('versions', 'The first way');
    await served.turn('versions', 'And on');
    await using opened = await served.open('/s/versions');
    const { page, faults } = opened;
    await prompts(page).nth(1).waitFor();
    await messageBox(page).fill('typed before');
    const edit = async (text: string): Promise<void> => {
      await prompts(page).first().hover();
      await prompts(page).first().getByRole('button', { name: 'Edit prompt' }).click();
      await page.getByText('Instead of:').waitFor();
      await messageBox(page).fill(text);
      await messageBox(page).press('Enter');
      await prompts(page).filter({ hasText: text }).waitFor();
      await atRest(served.server, 'versions');
    };
    // The earlier draft stays for later, also if the change is given up.
    await prompts(page).first().hover();
    await prompts(page).first().getByRole('button', { name: 'Edit prompt' }).click();
    expect(await messageBox(page).inputValue()).toBe('The first way');
    await page.reload();
    await page.getByText('Instead of:').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await messageBox(page).inputValue()).toBe('typed before');
    await edit('The second way');
    await page.locator('.undone s', { hasText: 'The first way' }).waitFor();
    expect(await messageBox(page).inputValue()).toBe('typed before');
    expect(await prompts(page).count()).toBe(1);
    await page.getByText('2 / 2').waitFor();
    await edit('The third way');
    await page.getByText('3 / 3').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Previous version' }).click();
    await page.getByText('2 / 3').waitFor();
    await prompts(page).filter({ hasText: 'The second way' }).waitFor();
    await page.getByRole('button', { name: 'Previous version' }).click();
    await page.getByText('1 / 3').waitFor();
    // It comes with all that followed it.
    await prompts(page).filter({ hasText: 'And on' }).waitFor();
    const view = await viewOf('versions');
    expect(['first', 'And on', 'second', 'third'].map((word) => view.includes(word))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await page.getByRole('button', { name: 'Next version' }).click();
    await page.getByText('2 / 3').waitFor();
    for (const width of [320, 768, 1440]) {
      await page.setViewportSize({ width, height: 700 });
      expect([width, await outOfReach(page)]).toEqual([width, []]);
    }
    expect(faults).toEqual([]);
  });

  it('asks again, with the images of the prompt, and with a different model', async () => {
    await spoken.begin('again', 'Tell of walnuts');
    await using opened = await served.open('/s/again');
    const { page, faults } = opened;
    await model.say('First words.');
    await model.finish();
    await page.locator('article.reply', { hasText: 'First words.' }).waitFor();
    await page.locator('.composer input[type=file]').setInputFiles({
      ...{ name: 'dot.png', mimeType: 'image/png', buffer: PIXEL },
    });
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    await comesTrue(page, `document.querySelector('.attached img').naturalWidth === 1`);
    await messageBox(page).fill('And what is this?');
    await messageBox(page).press('Enter');
    await model.say('A dot.');
    await model.finish();
    await page.locator('article.reply', { hasText: 'A dot.' }).waitFor();
    await page.getByRole('button', { name: 'Try again', exact: true }).last().click();
    await model.say('One dot.');
    await model.finish();
    await page.locator('article.reply', { hasText: 'One dot.' }).waitFor();
    await page.getByText('2 / 2').waitFor();
    const last = prompts(page).last();
    expect(await last.locator('img').count()).toBe(1);
    await atRest(served.server, 'again');
    await page.getByRole('button', { name: 'Try again with another model' }).last().click();
    await page.getByRole('menuitem', { name: /maple-2/ }).click();
    await model.say('A pixel.');
    await model.finish();
    await page.getByText('3 / 3').waitFor();
    expect(model.asked.slice(-2)).toEqual(['gpt-4o', 'maple-2']);
    expect(faults).toEqual([]);
  });

  it('stores a key, tries again after a failure, and continues after a stop', async () => {
    model.refuse(401);
    await spoken.begin('failed', 'Tell of walnuts');
    await using opened = await served.open('/s/failed');
    const { page, faults } = opened;
    await page.getByText(/This turn failed/).waitFor();
    // Nothing was answered: there is nothing to go on with.
    expect(await page.getByRole('button', { name: 'Go on' }).count()).toBe(0);
    await page.getByText('Set the key').click();
    expect(await violationsOf(page)).toEqual([]);
    const [key, file] = ['sk-walnut-0123456789', join(served.home.path, 'ollm/keys/box.key')];
    const answers: string[] = [];
    page.on('response', async (response) => void answers.push(await response.text().catch(() => '')));
    // An invalid key is refused in its field, and is not sent.
    await page.getByLabel('Key for box').fill('no key at all');
    await page.getByRole('button', { name: 'Store' }).click();
    await page.locator('input:invalid').waitFor();
    expect(await page.locator('.set-key [role=status]').textContent()).toMatch(/^It is stored in a file of yours/);
    await page.getByLabel('Key for box').fill(` ${key}\n`);
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByText(`Stored in ${file}. Try again has it.`).waitFor();
    expect(await page.getByLabel('Key for box').inputValue()).toBe('');
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([`${key}\n`, 0o600]);
    model.refuse();
    await page.locator('.answers').getByRole('button', { name: 'Try again' }).click();
    await model.say('Walnuts');
    await page.locator('.streaming', { hasText: 'Walnuts' }).waitFor();
    expect(model.authorization).toBe(`Bearer ${key}`);
    expect(answers.filter((each) => each.includes(key))).toEqual([]);
    expect(await page.getByRole('button', { name: 'Edit prompt' }).first().isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.', { exact: true }).waitFor();
    model.forget();
    await page.getByRole('button', { name: 'Go on' }).click();
    await model.say('ripen in October.');
    await model.finish();
    await page.locator('article.reply', { hasText: 'ripen in October.' }).waitFor();
    await page.getByRole('button', { name: 'Go on' }).waitFor({ state: 'detached' });
    expect(await prompts(page).allTextContents()).toEqual([
      expect.stringContaining('Tell of walnuts'),
      expect.stringContaining('Go on where you stopped.'),
    ]);
    expect(faults).toEqual([]);
  });

  it('copies an answer as text and as Markdown, and a prompt', async () => {
    const answer = 'Some **bold** words &amp; a [link](https://example.com/a).\n\n- one\n- two\n\n```sh\nls | wc\n```';
    await served.append('copies', [
      { type: 'turn.started', turn: 1, data: { input: 'user' } },
      said('user', 'What is *this*?'),
      said('assistant', answer),
      { type: 'turn.ended', turn: 1, data: { status: 'completed', steps: 1 } },
    ]);
    await using opened = await served.open('/s/copies', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page, faults } = opened;
    const clipboardIs = (text: string) =>
      until(async () => (await page.evaluate('navigator.clipboard.readText()')) === text);
    await page.locator('article.reply').waitFor();
    for (const [name, text] of [
      ['As Markdown', answer],
      ['As text', 'Some bold words & a link (https://example.com/a).\n\n- one\n- two\n\nls | wc'],
    ] as const) {
      await page.getByRole('button', { name: 'Copy answer' }).click();
      await page.getByRole('menuitem', { name }).click();
      await clipboardIs(text);
    }
    await page.getByRole('button', { name: 'Copy prompt' }).focus();
    await page.keyboard.press('Enter');
    await clipboardIs('What is *this*?');
    expect(faults).toEqual([]);
  });

  it('offers the actions of an event number on a phone', async () => {
    await served.turn('phone', 'hello');
    await using opened = await served.open('/s/phone', { viewport: { width: 360, height: 700 }, hasTouch: true });
    const { page, faults } = opened;
    await page.locator('article.reply').waitFor();
    await page.getByRole('button', { name: 'Link, as it was, fork' }).first().click();
    await page.getByRole('menuitem', { name: 'As it was here' }).click();
    await page.getByText(/As it was after event/).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
