// Every state that a view may be in is said in words, with what can be done, and a screen reader finds no fault in it.
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  comesTrue,
  inBrowser,
  type OpenedPage,
  overflowOf,
  type ServedPage,
  servePage,
  violationsOf,
} from '../support/page-in-browser.ts';
import { said } from '../support/said.ts';
import { inTime } from '../support/until.ts';

const GONE = '5f9d0000-1111-4222-8333-444455556666';

inBrowser('states of the page', () => {
  let served: ServedPage;
  /** For what only looks: a new browser, with axe-core in it, takes longer than the look. */
  let looking: OpenedPage;
  beforeAll(async () => {
    served = await servePage();
    looking = await served.open('/new', { viewport: { width: 320, height: 640 } });
    await served.append('plain', [said('user', 'hello'), said('assistant', 'Hello.')]);
  });
  afterAll(() => served?.close());

  /** The texts, also for a screen reader, and nothing wider than the smallest window. */
  const expectWords = async (path: string, words: readonly (string | RegExp)[]): Promise<void> => {
    const { page, faults } = looking;
    await page.goto(served.server.address + path);
    for (const each of words) await page.getByText(each).first().waitFor();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  };

  it('without any session', async () => {
    await using empty = { served: await servePage(), [Symbol.asyncDispose]: () => empty.served.close() };
    await using opened = await empty.served.open('/');
    await opened.page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
    await opened.page.getByRole('heading', { name: 'No model answers yet' }).waitFor();
    expect(await violationsOf(opened.page)).toEqual([]);
    await opened.page.getByRole('link', { name: 'New session' }).click();
    await opened.page.getByRole('heading', { name: 'New session' }).waitFor();
  });

  it('with a used link', async () => {
    await using opened = await served.openStranger('/join#used-before');
    await opened.page.getByRole('heading', { name: 'This page needs a new link' }).waitFor();
    expect(await violationsOf(opened.page)).toEqual([]);
  });

  it('with a link of `ollm open`, which lets a browser in and shows its session', async () => {
    const { stdout } = await served.home.run(['open', 'plain'], {
      cwd: served.project,
      env: { OLLM_HOME: join(served.home.path, 'ollm'), DISPLAY: '', BROWSER: '' },
    });
    const link = new URL(/http\S+/.exec(stdout)![0]);
    await using opened = await served.openStranger(link.pathname + link.hash);
    await opened.page.waitForURL(`${served.server.address}/s/plain`);
    await opened.page.locator('article.reply', { hasText: 'Hello.' }).waitFor();
    expect(opened.faults).toEqual([]);
  });

  it('in a browser without access', async () => {
    await using opened = await served.openStranger('/s/plain');
    await opened.page.getByRole('heading', { name: 'This page needs a new link' }).first().waitFor();
  });

  it('at a session that does not exist', async () => {
    await expectWords('/s/never-was', ['This session is not here']);
  });

  it('at a session that a key file opens', async () => {
    const keyFile = join(served.home.path, 'key');
    writeFileSync(keyFile, 'a key file that is for the tests', { mode: 0o600 });
    const { exitCode } = await served.home.run(['append', 'diary', '--create'], {
      cwd: served.project,
      env: {
        OLLM_HOME: join(served.home.path, 'ollm'),
        OLLM_RETENTION__ENCRYPT_AT_REST: 'true',
        OLLM_RETENTION__KEY_FILE: keyFile,
      },
      input: `${JSON.stringify(said('user', 'a secret walnut'))}\n`,
    });
    expect(exitCode).toBe(0);
    await expectWords('/s/diary', ['This session is encrypted', 'A key file opens it, and this server has none.']);
    await expectWords('/', ['encrypted']);
    await using opened = await served.open('/s/diary');
    await opened.page.getByText('This session is encrypted').waitFor();
    expect(await opened.page.getByLabel('Passphrase').count()).toBe(0);
    expect(await opened.page.content()).not.toContain('walnut');
  });

  it('at a session that a different program writes, until it is closed there', async () => {
    await served.append('held', [said('user', 'mine')]);
    const holder = served.home.start(['append', 'held'], {
      cwd: served.project,
      env: { OLLM_HOME: join(served.home.path, 'ollm') },
    });
    holder.stdin!.write(`${JSON.stringify(said('user', 'from elsewhere'))}\n`);
    await inTime(once(holder.stdout!, 'data'), 'The number of the event');
    await expectWords('/s/held', ['Open elsewhere: ollm append', 'You can read along.']);
    await using opened = await served.open('/s/held');
    const { page } = opened;
    await page.getByText('from elsewhere').first().waitFor();
    await page.getByText('Open elsewhere').waitFor();
    expect(await page.getByRole('textbox', { name: 'Message' }).isDisabled()).toBe(true);
    // It is read along.
    holder.stdin!.write(`${JSON.stringify(said('user', 'and one more'))}\n`);
    await page.locator('.flow').getByText('and one more').waitFor();
    holder.stdin!.end();
    await page.getByText('Open elsewhere').waitFor({ state: 'detached' });
    await comesTrue(page, `document.getElementById('composer').disabled === false`);
  });

  it('at a session whose program deleted its file', async () => {
    const directory = join(served.home.path, '.claude/projects/-garden');
    const file = join(directory, `${GONE}.jsonl`);
    const { mkdirSync } = await import('node:fs');
    mkdirSync(directory, { recursive: true });
    const message = { role: 'user', content: 'Paint the bench' };
    const record = { type: 'user', uuid: 'a1', parentUuid: null, timestamp: '2026-01-01T10:00:00.000Z', message };
    writeFileSync(file, `${JSON.stringify({ ...record, sessionId: GONE, cwd: '/garden', version: '2.1.0' })}\n`);
    await served.run('import', `claude:${GONE}`);
    await served.sync();
    rmSync(file);
    await served.sync();
    await expectWords(`/s/${encodeURIComponent(`claude:${GONE}`)}`, [
      'Claude Code deleted its file.',
      /The copy here is whole: \d+ events/,
      'Paint the bench',
    ]);
    await expectWords('/', ['kept here only']);
  });

  it('at a damaged journal, with the skipped parts and their places', async () => {
    const texts = Array.from({ length: 300 }, (_, at) => said(at % 2 ? 'assistant' : 'user', `sentence ${at}`));
    await served.append('damaged', texts);
    const journal = join(served.home.path, 'ollm/session-data/damaged.jsonl');
    const lines = readFileSync(journal, 'utf8')
      .replace('"sentence 20"', '"sentence 2O"')
      .replace('"sentence 250"', '"sentence 25O"');
    writeFileSync(journal, `${lines}{"seq":9`);
    await expectWords('/s/damaged', ['This journal is damaged in 3 places.', 'Everything else is as it was written.']);
    await using opened = await served.open('/s/damaged');
    const { page } = opened;
    await page.getByText('a write did not finish').waitFor();
    // The bytes, and whether anything is missing.
    const torn = page.locator('.damage').last();
    await torn.getByText('Nothing that was acknowledged is missing').waitFor();
    await torn.locator('.dump', { hasText: '7b 22 73 65 71 22 3a 39' }).waitFor();
    expect(await torn.locator('.dump b').textContent()).toBe('{"seq":9');
    await page.getByRole('button', { name: 'Go there' }).click();
    await page.locator('.flow').getByText('sentence 19', { exact: true }).waitFor();
    const first = page.locator('.damage', { hasText: 'checksum' }).first();
    await first.getByText('Event 21, which was acknowledged, cannot be read.').waitFor();
    await first.locator('.dump b', { hasText: '{"seq":21' }).waitFor();
    expect(await first.locator('.dump span').count()).toBe(4);
    await first.getByText('Details').click();
    await first.getByText('ollm repair damaged', { exact: true }).waitFor();
    await first.locator('.dump span').nth(8).waitFor();
    expect((await first.locator('.dump b').allTextContents()).join('')).toContain('sentence 2O');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('.flow').getByText('sentence 249', { exact: true }).waitFor();
    expect(await page.locator('article.event', { hasText: /sentence 25?O/ }).count()).toBe(0);
  });

  it('at an empty session', async () => {
    await served.append('empty', [{ type: 'session.titled', data: { title: 'Nothing yet', by: 'user' } }]);
    await expectWords('/s/empty', ['Nothing was said here yet.']);
  });

  it('at a view that is loading, and one that failed', async () => {
    await using opened = await served.open('/new');
    const { page } = opened;
    const answers = Promise.withResolvers<void>();
    await page.route('**/api/llm/stats?*', async (route) => {
      await answers.promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Cost' }).first().click();
    await page.locator('.skeleton').first().waitFor();
    await page.getByRole('heading', { level: 1, name: 'Cost' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    answers.resolve();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    await page.unroute('**/api/llm/stats?*');
    const error = { code: 'INTERNAL', message: 'A fault in ollm itself.' };
    await page.route('**/api/llm/stats?*', (route) => route.fulfill({ status: 500, json: { success: false, error } }));
    await page.getByRole('button', { name: '90 days' }).click();
    await page.getByRole('heading', { name: 'This could not be shown' }).waitFor();
    await page.getByText('A fault in ollm itself. (INTERNAL)').waitFor();
    await page.unroute('**/api/llm/stats?*');
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cost' }).waitFor();
  });

  it('at an earlier point of a session', async () => {
    await expectWords('/s/plain?at=2', ['As it was after event 2.', 'Fork from here']);
  });

  it('at a malformed address', async () => {
    await expectWords('/s/%ZZ', ['There is nothing at this address']);
  });

  it('at a view that breaks, while the rest of the page works', async () => {
    await using opened = await served.open('/');
    const { page } = opened;
    // An answer that no server of our own gives.
    const data = { prompts: 5 };
    await page.route('**/plain/outline', (route) => route.fulfill({ json: { success: true, data } }));
    await page.goto(`${served.server.address}/s/plain`);
    await page.getByRole('heading', { name: 'This could not be shown' }).waitFor();
    await page.getByText('This view of the page broke').waitFor();
    await page.getByRole('link', { name: 'Sessions' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor();
    await page.locator('.session-row').first().waitFor();
  });

  it('at a view whose part is no longer on the server', async () => {
    await using opened = await served.open('/');
    const { page } = opened;
    await page.locator('.session-row').first().waitFor();
    await page.route('**/part-*.js', (route) => route.abort());
    await page.getByRole('link', { name: 'Cost', exact: true }).first().click();
    await page.getByText(/or was updated since/).waitFor();
    await page.unroute('**/part-*.js');
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Cost' }).waitFor();
  });

  it('at a search without hits', async () => {
    await expectWords('/search?q=zeppelin', [/Nothing matches .zeppelin./]);
    await expectWords('/search?q=agent:zeppelin', [/is not an agent\. There are: ollm, aider/]);
  });
});
