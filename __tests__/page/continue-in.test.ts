// Continue in…: asks, writes, shows the command, in a browser.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inBrowser, type ServedPage, servePage, violationsOf } from '../support/page-in-browser.ts';

inBrowser('Continue in…, in the menu of a session', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
    mkdirSync(join(served.home.path, '.codex'));
  });
  afterAll(() => served?.close());

  it('writes the session for the chosen program, and shows the command to copy', async () => {
    await served.turn('boat', 'Where is the harbour?');
    await using opened = await served.open('/s/boat', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page, faults } = opened;
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /^Continue in…/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Continue in…' });
    await dialog.getByLabel('Program').selectOption('Qwen Code');
    await dialog.getByRole('button', { name: 'Write' }).click();
    await dialog.getByRole('alert').getByText('nothing was written').waitFor();
    await dialog.getByLabel('Program').selectOption('Codex');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Write' }).click();
    const command = dialog.locator('code');
    await command.waitFor();
    expect(await command.textContent()).toMatch(/^cd \S+ && codex resume [0-9a-f-]{36}$/);
    await dialog.getByText('Read back: equal.').waitFor();
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await dialog.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await command.textContent());
    expect(existsSync(join(served.home.path, '.codex/sessions'))).toBe(true);
    expect(readdirSync(join(served.home.path, '.codex'))).toEqual(['sessions']);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});
