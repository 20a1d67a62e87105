// An answer while it comes: it is followed to its end, unless the reader looks further up.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  comesTrue,
  framesDrawn,
  inBrowser,
  type ServedPage,
  servePage,
  violationsOf,
  watchShifts,
} from '../support/page-in-browser.ts';
import { type SpokenModel, startSpokenModel } from '../support/spoken-model.ts';

const IS_AT_END = `(() => {
  const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.flow');
  return scrollHeight > 2 * clientHeight && scrollHeight - scrollTop - clientHeight < 2;
})()`;
const LEFT = `(() => {
  const { scrollHeight, scrollTop, clientHeight } = document.querySelector('.flow');
  return scrollHeight - scrollTop - clientHeight;
})()`;

/** As if the page is not in view: drawing waits. */
const HIDE = `(() => {
  const held = new Map();
  const { requestAnimationFrame, cancelAnimationFrame } = window;
  let last = 0;
  window.heldFrames = held;
  window.requestAnimationFrame = (draw) => { held.set(last += 1, draw); return last; };
  window.cancelAnimationFrame = (id) => { held.delete(id); };
  window.showAgain = () => Object.assign(window, { requestAnimationFrame, cancelAnimationFrame });
})()`;
const SHOW = `(() => {
  window.showAgain();
  for (const draw of window.heldFrames.values()) requestAnimationFrame(draw);
})()`;

inBrowser('an answer that streams', () => {
  let model: SpokenModel;
  let served: ServedPage;
  beforeAll(async () => {
    model = await startSpokenModel();
    served = await servePage({
      prepare(home) {
        const directory = join(home.path, 'ollm');
        mkdirSync(directory, { recursive: true });
        const box = `{baseUrl: "${model.url}/v1", contextWindow: 100000}`;
        writeFileSync(join(directory, 'config.yaml'), `providers:\n  compatible:\n    box: ${box}\n`);
      },
    });
  });
  afterAll(async () => {
    await served?.close();
    await model?.[Symbol.asyncDispose]();
  });

  const begin = async (name: string): Promise<void> => {
    const body = { prompt: 'Tell of walnuts', answerer: 'box', model: 'gpt-4o', name };
    const { status, text } = await served.server.post('/api/llm/sessions', body);
    if (status >= 300) throw new Error(`The session was answered with ${status}: ${text}`);
  };
  const says = async (page: Page, from: number, to: number): Promise<void> => {
    for (let at = from; at <= to; at += 1) await model.say(`Walnut number ${at} fell.\n\n`);
    await page.locator('.streaming').getByText(`Walnut number ${to} fell.`).waitFor({ state: 'attached' });
  };

  it('is followed to its end while it grows, and when it is stored', async () => {
    await begin('followed');
    await using opened = await served.open('/s/followed');
    const { page, faults } = opened;
    await page.locator('article.prompt').waitFor();
    await says(page, 1, 60);
    await comesTrue(page, IS_AT_END);
    await says(page, 61, 90);
    await comesTrue(page, IS_AT_END);
    await model.say('See [the docs](https://example.org/walnuts):\n\n| tree | falls |\n|---|---:|\n| old | 12 |\n\n');
    await page.locator('.streaming').getByRole('link', { name: 'the docs', includeHidden: true }).waitFor();
    await model.say('```sh\nls walnuts\n');
    await page.locator('.streaming figure.code').waitFor({ state: 'attached' });
    expect(await violationsOf(page)).toEqual([]);
    await model.say('```\n\n');
    // A draft of several lines takes room from the conversation.
    await page.getByRole('textbox', { name: 'Message' }).fill('one\ntwo\nthree\nfour\nfive');
    await comesTrue(page, IS_AT_END);
    await model.finish();
    await page.locator('article.reply', { hasText: 'Walnut number 90 fell.' }).waitFor();
    await page.locator('.streaming').waitFor({ state: 'detached' });
    await comesTrue(page, IS_AT_END);
    expect(faults).toEqual([]);
  });

  it('does not shift the text in view, while it grows and when it is stored', async () => {
    await begin('still');
    await using opened = await served.open('/s/still');
    const { page } = opened;
    await page.locator('article.prompt').waitFor();
    await says(page, 1, 60);
    await comesTrue(page, IS_AT_END);
    // The reader looks at the middle of it; after the last line there is a table, code and a list.
    await page.evaluate(`document.querySelector('.flow').scrollBy(0, -400)`);
    await comesTrue(page, `${LEFT} >= 399`);
    const shifts = await watchShifts(page);
    await model.say('| a | b |\n|---|---|\n');
    for (let at = 1; at <= 20; at += 1) await model.say(`| ${at} | ${'wide '.repeat(at)} |\n`);
    await model.say('\n```ts\n');
    for (let at = 1; at <= 20; at += 1) await model.say(`const a${at} = ${at};\n`);
    await model.say('```\n\n- one\n- two\n\n');
    await says(page, 61, 90);
    await model.finish();
    await page.locator('article.reply', { hasText: 'Walnut number 90 fell.' }).waitFor();
    await page.locator('.streaming').waitFor({ state: 'detached' });
    // The tokens up to now, next to the text box, may have a digit more.
    expect((await shifts()).filter((shift) => !shift.endsWith(' meter'))).toEqual([]);
    // The browser would have said so.
    await page.evaluate(`document.querySelector('.flow-inner').prepend(document.createElement('hr'))`);
    expect(await shifts()).not.toEqual([]);
  });

  it('is not followed once the reader has scrolled up by a few pixels', async () => {
    await begin('left');
    await using opened = await served.open('/s/left');
    const { page } = opened;
    await page.locator('article.prompt').waitFor();
    await says(page, 1, 60);
    await comesTrue(page, IS_AT_END);
    await page.evaluate(`document.querySelector('.flow').scrollBy(0, -40)`);
    await comesTrue(page, `${LEFT} >= 39`);
    await says(page, 61, 90);
    // Thirty paragraphs came below.
    await comesTrue(page, `${LEFT} > 400`);
    await page.evaluate(`document.querySelector('.flow').scrollTo(0, 1e9)`);
    await comesTrue(page, IS_AT_END);
    await says(page, 91, 120);
    await comesTrue(page, IS_AT_END);
    await model.finish();
    await page.locator('article.reply', { hasText: 'Walnut number 120 fell.' }).waitFor();
  });

  it('has the caret after its last character, in any kind of element', async () => {
    await begin('caret');
    await using opened = await served.open('/s/caret');
    const { page } = opened;
    await page.locator('article.prompt').waitFor();
    const caretIn = (selector: string) => page.locator(`.streaming ${selector}[data-caret]`).waitFor();
    await model.say('One **two');
    await caretIn('.prose > p');
    await model.say('** three\n\n- four');
    await caretIn('li:last-child > span');
    await model.say('\n\n```ts\nconst five = 5;');
    await caretIn('pre > code');
    expect(await page.locator('.streaming [data-caret]').count()).toBe(1);
    // The text is not in the element: a copy has only the answer.
    expect(await page.locator('.streaming [data-caret]').textContent()).toBe('const five = 5;');
    await model.say('\n```\n');
    await model.finish();
    await page.locator('article.reply .syn-key').waitFor();
  });

  it('is marked as unfinished if ollm ended during it', async () => {
    await begin('cut');
    await using opened = await served.open('/s/cut');
    const { page, faults } = opened;
    await page.locator('article.prompt').waitFor();
    await model.say('Half of an answer');
    await page.locator('.streaming').getByText('Half of an answer').waitFor();
    await page.evaluate(HIDE);
    await model.say(' and more of it');
    await comesTrue(page, 'window.heldFrames.size > 0');
    await served.server.end('SIGKILL');
    model.forget();
    await served.serveAgain();
    await page.locator('.flow').getByText('The end of this answer was not stored.').waitFor();
    // In view again, it draws the postponed part, and still says so.
    await page.evaluate(SHOW);
    await framesDrawn(page, 6);
    expect(await page.locator('.flow .cut-off').count()).toBe(1);
    expect(await page.locator('.streaming').count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
