// What can be done next to talking: stop, queue, attach, allow, take out, copy, choose; by its button, in a browser.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comesTrue, inBrowser, messageBox, PIXEL, type ServedPage, violationsOf } from '../support/page-in-browser.ts';
import type { SpokenModel } from '../support/spoken-model.ts';
import { type SpokenPage, serveSpokenPage } from '../support/spoken-page.ts';
import { until } from '../support/until.ts';

const prompted = (text: string): object => ({
  type: 'message.added',
  data: { role: 'user', parts: [{ type: 'text', text }], trusted: true },
});

inBrowser('actions in the page', () => {
  let spoken: SpokenPage;
  let model: SpokenModel;
  let served: ServedPage;
  beforeAll(async () => {
    spoken = await serveSpokenPage();
    ({ model, served } = spoken);
  });
  afterAll(() => spoken?.[Symbol.asyncDispose]());

  const begin = (name: string) => spoken.begin(name, 'Tell of walnuts');

  it('allow a command once, allow its kind always, and deny one with words', async () => {
    await served.turn('allow', 'hello');
    await using opened = await served.open('/s/allow');
    const { page, faults } = opened;
    const question = page.getByRole('alertdialog');
    const asks = async (name: string): Promise<void> => {
      await messageBox(page).fill(`bash ${JSON.stringify({ command: `touch ${name}` })}`);
      await messageBox(page).press('Enter');
      await question.locator('.asked', { hasText: `touch ${name}` }).waitFor();
    };
    const ran = (name: string) =>
      page.locator('.call[data-state=ok], .call[data-state=failed]', { hasText: name }).waitFor();
    await asks('once.txt');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow once' }).click();
    await ran('once.txt');
    await question.waitFor({ state: 'detached' });
    expect(existsSync(join(served.project, 'once.txt'))).toBe(true);
    await asks('denied.txt');
    await messageBox(page).fill('Call it walnut instead');
    await messageBox(page).press('Enter');
    await page.locator('.declined', { hasText: 'Call it walnut instead' }).waitFor();
    expect(existsSync(join(served.project, 'denied.txt'))).toBe(false);
    expect(await messageBox(page).inputValue()).toBe('');
    await asks('always.txt');
    await page.getByRole('button', { name: /^Always allow/ }).click();
    await ran('always.txt');
    await messageBox(page).fill('bash {"command":"touch always.txt"}');
    await messageBox(page).press('Enter');
    // It is not asked about again.
    await page.locator('article.prompt').nth(4).waitFor();
    await page.locator('.call[data-state=ok]').nth(2).waitFor();
    expect(await question.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('stop a turn by its button and by its keys, and the page says that it was stopped', async () => {
    await begin('stopped');
    await using opened = await served.open('/s/stopped');
    const { page, faults } = opened;
    await model.say('Walnuts fall');
    await page.locator('.streaming').getByText('Walnuts fall').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    // The text until then is kept.
    await page.locator('article.reply', { hasText: 'Walnuts fall' }).waitFor();
    model.forget();
    await messageBox(page).fill('And then?');
    await messageBox(page).press('Enter');
    await model.say('Squirrels come');
    await page.locator('.streaming').getByText('Squirrels come').waitFor();
    await page.locator('.flow').focus();
    await page.keyboard.press('Control+.');
    await page.getByText('Stopped.', { exact: true }).nth(1).waitFor();
    model.forget();
    expect(faults).toEqual([]);
  });

  it('queue messages while a turn runs, which can be changed, removed, and are sent after it', async () => {
    await begin('queued');
    await using opened = await served.open('/s/queued');
    const { page, faults } = opened;
    await model.say('One');
    await page.locator('.streaming').waitFor();
    for (const text of ['first', 'second', 'third']) {
      await messageBox(page).fill(text);
      await messageBox(page).press('Enter');
      await page.locator('.queued', { hasText: text }).waitFor();
    }
    const inQueue = async () => (await served.server.data('/api/llm/sessions/queued/activity')).queue.length;
    await page.locator('.queued', { hasText: 'first' }).getByRole('button', { name: 'Remove' }).click();
    await page.locator('.queued', { hasText: 'first' }).waitFor({ state: 'detached' });
    await page.locator('.queued', { hasText: 'second' }).getByRole('button', { name: 'Edit' }).click();
    await page.locator('.queued', { hasText: 'second' }).waitFor({ state: 'detached' });
    await comesTrue(page, `document.getElementById('composer').value === 'second'`);
    expect(await inQueue()).toBe(1);
    await model.finish();
    await page.locator('article.prompt', { hasText: 'third' }).waitFor();
    await page.locator('.queued').waitFor({ state: 'detached' });
    await model.finish();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await page.locator('article.prompt', { hasText: 'first' }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('attach images that are chosen, pasted and dropped, refuse other files, and show them in the prompt', async () => {
    await begin('images');
    await model.finish();
    await using opened = await served.open('/s/images');
    const { page, faults } = opened;
    /** As the browser gives files of a clipboard, or of another window. */
    const give = (how: 'paste' | 'drop', name: string, type: string, size?: number) =>
      page.evaluate(
        `(() => {
          const bytes = ${size === undefined ? `Uint8Array.from(atob('${PIXEL.toString('base64')}'), (each) => each.charCodeAt(0))` : `new Uint8Array(${size})`};
          const files = new DataTransfer();
          files.items.add(new File([bytes], '${name}', { type: '${type}' }));
          const event = '${how}' === 'paste'
            ? new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true })
            : new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true });
          document.getElementById('composer').dispatchEvent(event);
        })()`,
      );
    const attached = (name: string) => page.getByRole('button', { name: `Remove ${name}` });
    await page.locator('article.prompt').waitFor();
    await page.locator('.composer input[type=file]').setInputFiles({
      name: 'chosen.png',
      mimeType: 'image/png',
      buffer: PIXEL,
    });
    await attached('chosen.png').waitFor();
    await give('paste', 'pasted.png', 'image/png');
    await attached('pasted.png').waitFor();
    await give('drop', 'dropped.png', 'image/png');
    await attached('dropped.png').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await give('drop', 'photo.tiff', 'image/tiff');
    await page.getByText('photo.tiff is not a PNG, JPEG, GIF or WebP.').waitFor();
    await give('drop', 'huge.png', 'image/png', 20 * 1024 * 1024 + 1);
    await page.getByText('huge.png is over 20 MB.').waitFor();
    await attached('pasted.png').click();
    await attached('pasted.png').waitFor({ state: 'detached' });
    await messageBox(page).fill('What is on these?');
    await messageBox(page).press('Enter');
    const prompt = page.locator('article.prompt', { hasText: 'What is on these?' });
    await prompt.locator('img').nth(1).waitFor();
    expect(await prompt.locator('img').count()).toBe(2);
    await comesTrue(
      page,
      // A small image takes no more room than it has.
      `[...document.querySelectorAll('article.prompt img')].every(({ naturalWidth, clientWidth, clientHeight }) => [naturalWidth, clientWidth, clientHeight].every((each) => each === 1))`,
    );
    expect(await attached('chosen.png').count()).toBe(0);
    await model.finish();
    expect(faults).toEqual([]);
  });

  it('choose the model for the next turns', async () => {
    await served.turn('model', 'hello');
    await using opened = await served.open('/s/model');
    const { page } = opened;
    await page.locator('article.reply').waitFor();
    await page.getByRole('button', { name: /^Model:/ }).click();
    await page.getByRole('menuitem', { name: /gpt-4o/ }).click();
    await page.getByRole('button', { name: /^Model: .*gpt-4o/i }).waitFor();
    await messageBox(page).fill('Now you');
    await messageBox(page).press('Enter');
    await model.say('It is me.');
    await model.finish();
    await page.locator('article.reply', { hasText: 'It is me.' }).waitFor();
  });

  it('download a session, and copy its address, a link to an event, a command and code', async () => {
    await served.append('copied', [
      prompted('Where is the rake?'),
      { type: 'tool.requested', data: { callId: 'c', name: 'bash', args: { command: 'ls shed' } } },
      { type: 'tool.finished', data: { callId: 'c', status: 'error', result: { llmContent: 'no' }, trusted: false } },
      {
        type: 'message.added',
        data: { role: 'assistant', parts: [{ type: 'text', text: '```sh\nls house\n```' }], trusted: true },
      },
    ]);
    await using opened = await served.open('/s/copied', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page, faults } = opened;
    const clipboardIs = (text: string) =>
      until(async () => (await page.evaluate('navigator.clipboard.readText()')) === text);
    await page.locator('article.prompt').waitFor();
    for (const [name, ending, holds] of [
      ['Export as Markdown', 'md', 'Where is the rake?'],
      ['Export as JSON', 'json', '"ls shed"'],
    ] as const) {
      await page.getByRole('button', { name: 'More' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`copied.${ending}`);
      expect(readFileSync(await download.path(), 'utf8')).toContain(holds);
    }
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Copy address' }).click();
    await clipboardIs('copied');
    await page.locator('article.prompt .gutter').click();
    const seq = await page.locator('.gutter.target').textContent();
    await page.getByRole('button', { name: `Event ${seq}` }).click();
    await page.getByRole('menuitem', { name: 'Copy link' }).click();
    await clipboardIs(`${served.server.address}/s/copied#${seq}`);
    await page.locator('.command').getByRole('button', { name: 'Copy' }).click();
    await clipboardIs('ls shed');
    await page.locator('.prose').getByRole('button', { name: 'Copy' }).click();
    await clipboardIs('ls house');
    expect(faults).toEqual([]);
  });

  it('switch between light and dark, and the choice stays', async () => {
    await using opened = await served.open('/', { colorScheme: 'light' });
    const { page } = opened;
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.getByRole('button', { name: 'Dark' }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('button', { name: 'Light' }).waitFor();
    expect(await ground()).toBe(dark);
  });

  it('unfold the messages that a compaction covers, in place, and lead to each of them', async () => {
    const covered = Array.from({ length: 150 }, (_, at) => prompted(`covered ${at}`));
    const data = {
      ...{ strategy: 'summarize', summaryTokens: { count: 4, method: 'unknown' } },
      ...{ covers: { from: 1, to: 150 }, keptFrom: 151, tokensBefore: 155_000, tokensAfter: 61_000 },
      ...{ summary: 'Much was said of **walnuts**.', by: 'user' },
    };
    await served.append('compacted', [
      ...covered,
      prompted('kept'),
      { type: 'compaction.completed', data },
      prompted('after it'),
    ]);
    await using opened = await served.open('/s/compacted');
    const { page, faults } = opened;
    await page.getByRole('button', { name: /Compacted.*150 events became a summary/ }).click();
    await page.locator('.compaction-body strong', { hasText: 'walnuts' }).waitFor();
    const rows = page.locator('.covered a');
    await rows.filter({ hasText: 'covered 0' }).first().waitFor();
    const before = await rows.count();
    expect(before).toBeLessThan(150);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: /Show \d+ more/ }).click();
    await rows.filter({ hasText: 'covered 149' }).waitFor();
    expect(await rows.count()).toBe(150);
    await rows.filter({ hasText: 'covered 3' }).first().click();
    await page.locator('#event-4 .gutter.target').waitFor();
    expect(faults).toEqual([]);
  });

  it('show how many messages are new below the viewport, and lead there', async () => {
    await served.append(
      'below',
      Array.from({ length: 60 }, (_, at) => prompted(`row ${at}`)),
    );
    await using opened = await served.open('/s/below');
    const { page } = opened;
    await page.locator('.flow').getByText('row 59', { exact: true }).waitFor();
    await page.keyboard.press('Home');
    await comesTrue(page, `document.querySelector('.flow').scrollTop < 80`);
    await served.turn('below', 'When do walnuts ripen?');
    await page.getByRole('button', { name: /\d+ new/ }).click();
    await page.locator('article.reply', { hasText: 'October' }).waitFor();
    await comesTrue(
      page,
      `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 2)(document.querySelector('.flow'))`,
    );
    await page.getByRole('button', { name: /\d+ new/ }).waitFor({ state: 'detached' });
  });
});
