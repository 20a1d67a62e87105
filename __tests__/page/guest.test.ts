// A guest in a browser: the link shows one session as it is and as it goes on, and nothing that the server refuses.
import { join } from 'node:path';
import { createApp } from '../../lib/app/compose.ts';
import { PNG } from '../support/conversations-in-forms.ts';
import { comesTrue, inBrowser, type ServedPage, servePage } from '../support/page-in-browser.ts';

inBrowser('a guest', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage({ env: { OLLM_SERVER__GUESTS_MAY_WRITE: 'true' } });
  });
  afterAll(() => served?.close());

  const ollm = (args: readonly string[]) =>
    served.home.run(args, { env: { OLLM_HOME: join(served.home.path, 'ollm') } });

  it('reads the session of the link, sees new messages, and loses it when the link is revoked', async () => {
    await served.turn('boat', 'Where is the harbour?');
    const made = await ollm(['share', 'boat', '--expires', '1h']);
    expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('http') });
    const { stdout } = made;
    const [link] = /http\S+/.exec(stdout)!;
    await using opened = await served.openStranger(new URL(link).pathname + new URL(link).hash);
    const { page, faults } = opened;
    await page.getByText('Where is the harbour?').first().waitFor();
    expect(page.url()).toBe(`${served.server.address}/s/boat`);
    expect(await page.locator('.sidebar, .bottom-bar').count()).toBe(0);
    for (const hidden of ['.dock', '.back']) expect(await page.locator(hidden).first().isVisible()).toBe(false);
    await served.turn('boat', 'And the light?');
    await page.getByText('And the light?').first().waitFor();
    const name = JSON.parse((await ollm(['share', '--list', '--json'])).stdout).links[0].name;
    expect((await ollm(['share', '--revoke', name])).exitCode).toBe(0);
    await page.reload();
    expect(await page.getByText('Where is the harbour?').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('enters by a link from the menu of the session, until the link is revoked', async () => {
    await served.turn('pier', 'How long is the pier?');
    await using owner = await served.open('/s/pier', { permissions: ['clipboard-read', 'clipboard-write'] });
    await owner.page.getByRole('button', { name: 'More' }).click();
    await owner.page.getByRole('menuitem', { name: /^Share a link/ }).click();
    await owner.page.getByText('A link for guests is copied.').first().waitFor();
    const link = new URL((await owner.page.evaluate('navigator.clipboard.readText()')) as string);
    expect(link.origin).toBe(served.server.address);
    await using opened = await served.openStranger(link.pathname + link.hash);
    await opened.page.getByText('How long is the pier?').first().waitFor();
    await owner.page.getByRole('button', { name: 'Undo', exact: true }).click();
    await owner.page.getByText('The link has ended.').first().waitFor();
    await opened.page.reload();
    expect(await opened.page.getByText('How long is the pier?').count()).toBe(0);
    expect([...owner.faults, ...opened.faults]).toEqual([]);
  });

  it('sees an image and the whole of a kept output', async () => {
    const output = 'a line that was printed\n'.repeat(400);
    const env = { ...process.env, OLLM_HOME: join(served.home.path, 'ollm') };
    const app = await createApp({ env, cwd: served.project, command: 'test' });
    const [image, blob] = await Promise.all(
      [PNG, output].map((text, index) => app.store.putBlob(Buffer.from(text, index === 0 ? 'base64' : 'utf8'))),
    );
    await app.close();
    const cut = { originalBytes: output.length, keptBytes: 24 };
    await served.append('pictured', [
      {
        type: 'message.added',
        data: { role: 'user', parts: [{ type: 'image', blob: image, mediaType: 'image/png' }], trusted: true },
      },
      { type: 'tool.requested', data: { callId: 'c1', name: 'bash', args: { command: 'print' } } },
      {
        type: 'tool.finished',
        data: {
          callId: 'c1',
          status: 'ok',
          result: { llmContent: output.slice(0, 24) },
          truncated: cut,
          blob,
          trusted: false,
        },
      },
    ]);
    const { stdout } = await ollm(['share', 'pictured', '--expires', '1h']);
    const [link] = /http\S+/.exec(stdout)!;
    await using opened = await served.openStranger(new URL(link).pathname + new URL(link).hash);
    const { page, faults } = opened;
    await page.locator('img.blob').waitFor();
    await comesTrue(page, "document.querySelector('img.blob')?.naturalWidth > 0");
    await page.locator('.call-head').click();
    await page.getByRole('button', { name: /^Open all/ }).click();
    await page.locator('pre.whole', { hasText: output.trim().slice(-60) }).waitFor();
    expect(faults).toEqual([]);
  });

  it('takes part by a link that allows it, in a box for text only', async () => {
    await served.turn('lamp', 'Where is the lamp?');
    const made = await served.home.run(['share', 'lamp', '--take-part'], {
      env: { OLLM_HOME: join(served.home.path, 'ollm'), OLLM_SERVER__GUESTS_MAY_WRITE: 'true' },
    });
    const [link] = /http\S+/.exec(made.stdout)!;
    await using opened = await served.openStranger(new URL(link).pathname + new URL(link).hash);
    const { page, faults } = opened;
    const box = page.getByRole('textbox', { name: 'Your message' });
    await box.waitFor();
    expect(await page.locator('.sidebar, .bottom-bar, .dock select').count()).toBe(0);
    await box.fill('And the wick?');
    await box.press('Enter');
    await page.locator('.flow').getByText('And the wick?').first().waitFor();
    expect(await box.inputValue()).toBe('');
    expect(faults).toEqual([]);
  });
});
