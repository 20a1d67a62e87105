// An agent of another maker in the page: started, asked, answered for, queued, stopped, taken up by another server.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { outOfReach } from '../support/out-of-view.ts';
import { inBrowser, overflowOf, type ServedPage, servePage, violationsOf } from '../support/page-in-browser.ts';

const AGENT = join(import.meta.dirname, '..', 'runs', 'acp', 'writing-agent.ts');

inBrowser('an agent in the page', () => {
  let served: ServedPage;
  let programs: string;
  beforeAll(async () => {
    programs = mkdtempSync(join(tmpdir(), 'ollm-programs-'));
    writeFileSync(join(programs, 'qwen'), `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${AGENT}'\n`);
    chmodSync(join(programs, 'qwen'), 0o755);
    served = await servePage({
      env: { PATH: `${programs}:/usr/bin:/bin` },
      prepare(home, project) {
        const directory = join(home.path, 'ollm');
        mkdirSync(directory, { recursive: true });
        writeFileSync(join(directory, 'config.yaml'), JSON.stringify({ trustedDirectories: [project] }));
      },
    });
  });
  afterAll(async () => {
    await served?.close();
    rmSync(programs, { recursive: true, force: true });
  });

  const send = async (page: Page, text: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'Message' }).fill(text);
    await page.keyboard.press('Enter');
  };
  const replied = (page: Page, text: string) => page.locator('article.reply', { hasText: text }).waitFor();

  it('is used like ollm itself, from New to the next server', async () => {
    await using opened = await served.open('/new');
    const { page, faults } = opened;
    const agents = page.getByRole('combobox', { name: 'Agent' });
    // An agent that is not there says how to get it, and takes no prompt.
    await agents.selectOption('gemini');
    await page.getByText(/npm install .*gemini/).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill('Which port?');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await agents.selectOption('qwen');
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await outOfReach(page), await violationsOf(page)]).toEqual([width, [], []]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    }
    await page.getByRole('button', { name: 'Send' }).click();
    await page.waitForURL(/\/s\/qwen%3A/);
    await replied(page, 'You said: Which port?');
    await page.locator('article.prompt', { hasText: 'Which port?' }).waitFor();

    await send(page, 'make it');
    await page.getByRole('alertdialog').getByText('echo > made.txt').first().waitFor();
    await page.locator('.sidebar .nav-item', { hasText: 'Which port?' }).waitFor();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await replied(page, 'It is made.');

    await send(page, 'count');
    await page.locator('.streaming', { hasText: 'One, two,' }).waitFor();
    const waiting = page.locator('.queued', { hasText: 'After this turn:' });
    for (const [at, text] of ['never said', 'said next'].entries()) {
      await send(page, text);
      await waiting.nth(at).waitFor();
    }
    await waiting.first().getByRole('button', { name: 'Remove' }).click();
    await waiting.nth(1).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Stop' }).click();
    await replied(page, 'You said: said next');
    expect(await page.getByText('never said').count()).toBe(0);
    await page.locator('p.fact', { hasText: 'Stopped.' }).waitFor();

    await send(page, 'die');
    await page
      .locator('p.fact.danger', { hasText: 'exit code 9' })
      .getByText(/or go on with ollm/)
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);

    const address = decodeURIComponent(new URL(page.url()).pathname.slice('/s/'.length));
    await served.server.end('SIGKILL');
    await served.serveAgain();
    await page.goto(served.server.address);
    const row = page.locator('.session-row', { hasText: 'Which port?' });
    await row.getByText('Qwen Code').first().waitFor({ state: 'attached' });
    await row.getByRole('link').first().click();
    await replied(page, 'You said: said next');
    await page.getByRole('button', { name: /^Answered by/ }).click();
    await page.getByRole('menuitem', { name: /^Qwen Code/ }).click();
    await send(page, 'once more');
    await replied(page, 'You said: once more');
    expect(decodeURIComponent(new URL(page.url()).pathname)).toBe(`/s/${address}`);
    expect(faults).toEqual([]);
  });
});
