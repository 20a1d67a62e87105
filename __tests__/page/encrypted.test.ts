// An encrypted session is opened by its passphrase, read, continued and locked, in the page.
import { join } from 'node:path';
import { inBrowser, overflowOf, type ServedPage, servePage, violationsOf } from '../support/page-in-browser.ts';
import { makeSealedSession } from '../support/sealed-session.ts';
import { until } from '../support/until.ts';

const PASSPHRASE = 'walnut tree in the garden';

inBrowser('an encrypted session in the page', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
    const { home, project: cwd } = served;
    const env = { HOME: home.path, PATH: process.env.PATH!, OLLM_HOME: join(home.path, 'ollm') };
    const parts = [{ type: 'text', text: 'A secret acorn' }];
    const line = { type: 'message.added', data: { role: 'user', parts, trusted: true } };
    await makeSealedSession({ env, cwd, id: 'diary', passphrase: PASSPHRASE, lines: [line] });
  });
  afterAll(() => served?.close());

  it('is opened by its passphrase, and locked again in every window', async () => {
    await using one = await served.open('/s/diary', { viewport: { width: 320, height: 640 } });
    await using other = await served.open('/s/diary');
    const { page, faults } = one;
    const field = page.getByLabel('Passphrase', { exact: true });
    await field.waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    // What needs the content is not offered.
    await page.getByRole('button', { name: 'More' }).click();
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Copy address', 'Move to trash']);
    await page.keyboard.press('Escape');

    await field.fill('oak tree elsewhere');
    await field.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'This passphrase does not open it.' }).waitFor();
    expect(await page.getByText('acorn').count()).toBe(0);
    await field.fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.locator('article.prompt', { hasText: 'A secret acorn' }).waitFor();

    // A draft in it is not stored in the open, and neither is the passphrase.
    const message = page.getByRole('textbox', { name: 'Message' });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Lock' }).waitFor();
    await page.keyboard.press('Escape');
    await message.fill('a draft about beeches');
    const stored = String(
      await page.evaluate('JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })'),
    );
    expect(stored).not.toContain('beeches');
    expect(stored).not.toContain('walnut');
    await message.fill('And a beech');
    await message.press('Enter');
    await page.locator('article.prompt', { hasText: 'And a beech' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();

    // The other window asks for it still; asked again, it shows it too.
    await other.page.getByLabel('Passphrase', { exact: true }).waitFor();
    await other.page.reload();
    await other.page.locator('article.prompt', { hasText: 'A secret acorn' }).waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Lock' }).click();
    for (const each of [page, other.page]) {
      await each.getByLabel('Passphrase', { exact: true }).waitFor();
      // The list of running sessions is loaded every few seconds: a turn that has just ended may still be in it.
      await until(async () => (await each.getByText(/acorn|beech/).count()) === 0);
    }
    expect(await page.getByText('Reconnecting').count()).toBe(0);
    expect([...faults, ...other.faults]).toEqual([]);
  });
});
