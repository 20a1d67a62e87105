// The views of a session next to its conversation: the files that it changed, its course in time, two of them side by
// side, a year; and the palette that leads to all of it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { outOfReach, outOfView } from '../support/out-of-view.ts';
import {
  comesTrue,
  inBrowser,
  type OpenedPage,
  overflowOf,
  type ServedPage,
  servePage,
  violationsOf,
} from '../support/page-in-browser.ts';
import { atRest } from '../support/served.ts';

const HOURS = 'export const hours = 6;\nexport const days = 7;\n';
/** Nine days ago: a year has them. */
const BEGUN = Date.now() - 9 * 86_400_000;

inBrowser('the views next to a conversation', () => {
  let served: ServedPage;
  let opened: OpenedPage;
  let page: Page;
  beforeAll(async () => {
    served = await servePage({
      prepare: (_, project) => writeFileSync(join(project, 'hours.ts'), HOURS),
    });
    const { project } = served;
    let ms = BEGUN;
    const at = (seconds: number): string => {
      ms += seconds * 1000;
      return new Date(ms).toISOString();
    };
    const call = (callId: string, name: string, args: object) => [
      { type: 'tool.requested', data: { callId, name, args, at: at(4) } },
      { type: 'tool.decided', data: { callId, decision: 'allow', by: 'policy', rule: `${name}(*)`, at: at(0) } },
      { type: 'tool.started', data: { callId, sandbox: 'none', envRemoved: [], cwd: project, at: at(0) } },
      {
        type: 'tool.finished',
        data: { callId, status: 'ok', result: { llmContent: 'Done.' }, trusted: false, at: at(2) },
      },
    ];
    const plan = (status: string) => ({ todos: [{ content: 'Water the roses', status }] });
    const usage = { inputTokens: 9000, outputTokens: 100, totalCost: 0.5, source: 'provider', model: 'maple-2' };
    const events = (last: string) => [
      {
        type: 'message.added',
        data: { role: 'user', parts: [{ type: 'text', text: 'Water twice a day' }], trusted: true, at: at(10) },
      },
      ...call('plan', 'todo_write', plan('in_progress')),
      { type: 'usage.reported', data: { ...usage, at: at(0) } },
      ...call('make', 'file_write', { path: 'roses.ts', content: HOURS }),
      ...call('edit', 'file_edit', { path: 'hours.ts', old_string: 'hours = 6', new_string: 'hours = 12' }),
      ...call('done', 'todo_write', plan('completed')),
      {
        type: 'message.added',
        data: { role: 'assistant', parts: [{ type: 'text', text: last }], trusted: true, at: at(4) },
      },
    ];
    await served.append('roses', events('They are watered every twelve hours.'));
    await served.append('roses-again', events('They are watered at noon.').slice(0, -9));
    await served.sync();
    opened = await served.open('/');
    ({ page } = opened);
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await served?.close();
  });

  const goTo = (path: string) => page.goto(served.server.address + path);
  const isRight = async (): Promise<void> => {
    for (const width of [320, 768, 1440]) {
      await page.setViewportSize({ width, height: 700 });
      expect([width, await overflowOf(page), await outOfReach(page)]).toEqual([width, 0, []]);
    }
    expect(await violationsOf(page)).toEqual([]);
    expect(opened.faults).toEqual([]);
  };

  it('show the files of a session with the call of each line, and restore one as shown', async () => {
    await goTo('/s/roses?tab=changes');
    const file = (name: string) => page.getByRole('region', { name });
    await file('roses.ts').locator('.added', { hasText: 'days = 7' }).waitFor();
    await file('hours.ts').locator('.added', { hasText: 'hours = 12' }).waitFor();
    await file('hours.ts').getByText('As the calls of the session say').waitFor();
    await file('hours.ts')
      .getByRole('button', { name: /^Call \d+: file_edit$/ })
      .click();
    const { seq } = (await served.server.data('/api/llm/sessions/roses/changes')).calls.find(
      ({ tool }: { tool: string }) => tool === 'file_edit',
    );
    await file('hours.ts').getByText('Allowed by the rule “file_edit(*)”').waitFor();
    expect(
      await file('hours.ts')
        .getByRole('link', { name: `#${seq} file_edit` })
        .getAttribute('href'),
    ).toBe(`/s/roses#${seq}`);
    await file('hours.ts').getByRole('link', { name: '“Water twice a day”' }).waitFor();
    await isRight();
    const prompt = `file_write ${JSON.stringify({ path: 'made.ts', content: HOURS })}`;
    const body = { prompt, answerer: 'offline', toolMode: 'edits', name: 'made' };
    expect((await served.server.post('/api/llm/sessions', body)).status).toBeLessThan(300);
    const path = join(served.project, 'made.ts');
    await atRest(served.server, 'made');
    await goTo('/s/made?tab=changes');
    await page.getByRole('button', { name: 'Put back made.ts' }).waitFor();
    writeFileSync(path, `${HOURS}// mine\n`);
    await page.getByRole('button', { name: 'Put back made.ts' }).click();
    await page.getByText('made.ts has changed since it was shown.').waitFor();
    expect(readFileSync(path, 'utf8')).toContain('// mine');
    writeFileSync(path, HOURS);
    await page.reload();
    await page.getByRole('button', { name: 'Put back made.ts' }).click();
    await page.getByText('1 file put back.').waitFor();
    expect(existsSync(path)).toBe(false);
    await page.getByText('No changed files').waitFor();
  });

  it('play the course of a session: its plan, files and cost at each moment, and the spans of its turn', async () => {
    await goTo('/s/roses?tab=time');
    const moment = page.getByRole('slider', { name: 'Moment' });
    const section = (name: string) => page.getByRole('region', { name });
    await section('Plan').getByRole('img', { name: 'Done' }).waitFor();
    await section('Files').getByText('hours.ts').waitFor();
    await section('So far').getByText('$0.50').waitFor();
    await page.getByText('28 s, model 20 s, tools 8 s').waitFor();
    await moment.focus();
    await page.keyboard.press('Home');
    await section('Plan').getByText('No plan yet.').waitFor();
    await section('So far').getByText('no price').waitFor();
    await page.waitForURL(/\?tab=time&at=\d+$/);
    await page.reload();
    await section('Files').getByText('None yet.').waitFor();
    await page.getByRole('button', { name: '60×' }).click();
    await page.keyboard.press('p');
    await section('Plan').getByRole('img', { name: 'Done' }).waitFor();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await isRight();
  });

  it('show two sessions side by side, from the menu of one', async () => {
    await goTo('/s/roses');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Side by side with …' }).click();
    await page.locator('.choices a').first().waitFor();
    // Each row takes its own click.
    expect(await outOfView(page, '.choices a')).toEqual([]);
    await page.keyboard.press('j');
    await page.locator('.choices a:focus').waitFor();
    await page.locator('.choices a[href$="b=roses-again"]').press('Enter');
    await page.waitForURL(/\/compare\?a=roses&b=roses-again$/);
    await page.getByRole('row', { name: 'Files changed 2 1' }).waitFor();
    await page.getByText('They are watered every twelve hours.').waitFor();
    await isRight();
  });

  it('add up a year, and save it as a picture', async () => {
    await goTo('/cost');
    await page.getByRole('link', { name: 'A year with your agents' }).click();
    await page.locator('.figures', { hasText: '$1.00' }).waitFor();
    await page.getByText(/^\d days? with prompts; the most on .+: \d prompts?\.$/).waitFor();
    await isRight();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save picture' }).click();
    const picture = readFileSync(await (await saved).path());
    expect([picture.subarray(1, 4).toString(), picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([
      'PNG',
      2400,
      1350,
    ]);
  });

  it('find sessions, projects and commands by a few letters of their names', async () => {
    await goTo('/s/roses');
    await page.locator('article.prompt').waitFor();
    const find = async (letters: string) => {
      await page.locator('.palette').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      // At once, while the palette may still be on its way.
      await page.keyboard.type(letters);
      await comesTrue(page, `document.querySelector('.palette input')?.value === '${letters}'`);
      await page.getByRole('option', { selected: true }).waitFor();
    };
    await find('outl');
    await page.getByRole('option', { name: /Outline/ }).waitFor();
    await isRight();
    await page.keyboard.press('Escape');
    await find('sideby');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/compare$/);
    await find('nothing-like-this');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=nothing-like-this$/);
  });

  it('are in a page that can be installed as an app, whose icon, badge and one notification name each question out of view', async () => {
    const chromium = await page.context().newCDPSession(page);
    await goTo('/');
    const { errors } = (await chromium.send('Page.getAppManifest')) as { errors: unknown[] };
    const { installabilityErrors } = (await chromium.send('Page.getInstallabilityErrors')) as {
      installabilityErrors: { errorId: string }[];
    };
    // A context without a profile installs nothing.
    expect([errors, installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')]).toEqual([[], []]);
    await page.context().grantPermissions(['notifications'], { origin: served.server.address });
    await page.addInitScript(`
      globalThis.told = [];
      globalThis.badges = [];
      Navigator.prototype.setAppBadge = async (count) => { badges.push(count); };
      globalThis.Notification = class { static permission = 'granted'; constructor(title, { body }) { told.push([title, body]); } close() {} };
      Object.defineProperty(document, 'hidden', { get: () => true });
    `);
    let areAsking = true;
    await page.route('**/api/llm/session-changes', async (route) => {
      const activity = { kind: areAsking ? 'waiting' : 'free', promptId: 'p', question: 'q' };
      const ids = ['roses', 'tulips'];
      const sessions = ids.map((id) => ({
        ...{ address: `ollm:${id}`, agent: 'ollm', id, title: `The ${id}`, gone: false, locked: false },
        activity,
      }));
      const order = sessions.map(({ address }) => address);
      const changes = { sessions, order, counts: { total: 2, projects: [], agents: [] } };
      const body = `event: sessions\ndata: ${JSON.stringify(changes)}\n\n`;
      await route.fulfill({ contentType: 'text/event-stream', body });
    });
    await page.reload();
    await comesTrue(page, `document.title.startsWith('● Asks: The roses') && told.length > 0`);
    expect(await page.evaluate('told')).toEqual([['ollm asks', 'The roses\nThe tulips']]);
    const icon = `document.querySelector('link[rel=icon]').href`;
    expect([await page.evaluate(icon), await page.evaluate('badges')]).toEqual([
      `${served.server.address}/icon-asks.svg`,
      [2],
    ]);
    areAsking = false;
    await comesTrue(page, `${icon}.endsWith('/icon.svg') && badges.at(-1) === 0`);
  });
});
