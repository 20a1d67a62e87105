// Work in the page: a session is begun, found, asked about, undone and continued, in one browser and two.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentFiles, CLAUDE_ID } from '../support/agent-homes.ts';
import { comesTrue, inBrowser, PIXEL, type ServedPage, servePage } from '../support/page-in-browser.ts';
import { atRest } from '../support/served.ts';
import { until } from '../support/until.ts';

inBrowser('a conversation in the page', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage({
      prepare(home, project) {
        writeFileSync(join(project, 'notes.md'), '# Notes\n\nWalnuts ripen in October.\n');
        for (const [path, content] of Object.entries(agentFiles())) {
          mkdirSync(dirname(join(home.path, path)), { recursive: true });
          writeFileSync(join(home.path, path), content);
        }
      },
    });
  });
  afterAll(() => served?.close());

  it('begins a session, shows the running turn, and is found again', async () => {
    await using opened = await served.open('/new');
    const { page, faults } = opened;
    await page.getByRole('textbox', { name: 'Message' }).fill('When do walnuts ripen?');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/s\//);
    await page.locator('article.reply').waitFor();
    expect(await page.locator('article.prompt').textContent()).toContain('When do walnuts ripen?');
    expect(await page.locator('article.reply').textContent()).toContain('October');
    await page.goto(`${served.server.address}/search?q=walnuts`);
    await page.locator('a.hit mark').first().waitFor();
    await page.locator('a.hit').first().click();
    await page.waitForURL(/#\d+$/);
    await page.locator('article .gutter.target').waitFor();
    expect(faults).toEqual([]);
  });

  it('asks in every browser and in the title of its window, and the first answer ends the question in all', async () => {
    await served.turn('ask', 'hello');
    await using one = await served.open('/s/ask');
    await using other = await served.open('/s/ask');
    await one.page.getByRole('textbox', { name: 'Message' }).fill('bash {"command":"touch walnut.txt"}');
    await one.page.keyboard.press('Enter');
    for (const { page } of [one, other]) {
      const question = page.getByRole('alertdialog');
      await question.waitFor();
      expect(await question.locator('.asked').textContent()).toBe('touch walnut.txt');
      await comesTrue(page, `document.title.startsWith('● Asks: ')`);
    }
    await other.page.getByRole('button', { name: 'Deny' }).click();
    for (const { page } of [one, other]) {
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await page.locator('.call[data-state=declined]').waitFor();
      await comesTrue(page, `!document.title.includes('Asks')`);
    }
    expect(existsSync(join(served.project, 'walnut.txt'))).toBe(false);
    expect([...one.faults, ...other.faults]).toEqual([]);
  });

  it('undoes a turn, and returns to it', async () => {
    await served.turn('branches', 'the first way');
    await served.turn('branches', 'the second way');
    await using opened = await served.open('/s/branches');
    const { page, faults } = opened;
    const message = page.getByRole('textbox', { name: 'Message' });
    await page.locator('article.prompt').nth(1).waitFor();
    await message.fill('/un');
    await page.getByRole('option', { name: /undo/ }).waitFor();
    await message.press('Enter');
    await page.locator('.undone').waitFor();
    // The text came back, to be edited.
    await comesTrue(page, `document.getElementById('composer').value === 'the second way'`);
    await message.fill('the third way');
    await message.press('Enter');
    await page.locator('article.prompt', { hasText: 'the third way' }).waitFor();
    await page.locator('article.reply').nth(1).waitFor();
    await page.locator('.undone .compaction-line').click();
    await page.getByRole('button', { name: 'Go back to this' }).click();
    await page.locator('article.prompt', { hasText: 'the second way' }).waitFor();
    await page.locator('.undone s', { hasText: 'the third way' }).waitFor();
    const { states } = await served.server.data('/api/llm/sessions/branches/state?state=view');
    expect(JSON.stringify(states)).toContain('the second way');
    expect(JSON.stringify(states)).not.toContain('the third way');
    expect(faults).toEqual([]);
  });

  it('finds a text anywhere in a session, opens the call with it, and marks it', async () => {
    const filler = Array.from({ length: 900 }, (_, at) => ({
      type: 'message.added',
      data: { role: at % 2 ? 'assistant' : 'user', parts: [{ type: 'text', text: `row ${at}` }], trusted: true },
    }));
    const call = [
      { type: 'tool.requested', data: { callId: 'c1', name: 'bash', args: { command: 'ls' } } },
      {
        type: 'tool.finished',
        data: { callId: 'c1', status: 'ok', result: { llmContent: 'a NEEDLE in it' }, trusted: false },
      },
    ];
    await served.append('haystack', [...filler.slice(0, 120), ...call, ...filler]);
    await using opened = await served.open('/s/haystack');
    const { page, faults } = opened;
    await page.locator('.flow').getByText('row 899', { exact: true }).waitFor();
    await page.keyboard.press('Control+f');
    const box = page.getByRole('searchbox', { name: 'Find in this session' });
    await box.fill('needle');
    await page.getByText('1 of 1').waitFor();
    await page.locator('.call .output', { hasText: 'NEEDLE' }).waitFor();
    expect(await page.evaluate(`[...CSS.highlights.get('found')].map(String)`)).toContain('NEEDLE');
    await box.fill('row 77');
    await page.getByText(/\d+ of \d+/).waitFor();
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    expect(await page.evaluate(`CSS.highlights.has('found')`)).toBe(false);
    expect(faults).toEqual([]);
  });

  it('offers commands after a slash, and sends an unknown one as text', async () => {
    await served.turn('slash', 'hello');
    await using opened = await served.open('/s/slash');
    const { page } = opened;
    const message = page.getByRole('textbox', { name: 'Message' });
    await page.locator('article.reply').first().waitFor();
    await message.fill('/');
    await page.getByRole('option', { name: /compact/ }).waitFor();
    await message.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await message.fill('/title ');
    await message.pressSequentially('Named here');
    await message.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Named here' }).waitFor();
    await message.fill('/usr/bin is a directory');
    await message.press('Enter');
    await page.locator('article.prompt', { hasText: '/usr/bin is a directory' }).waitFor();
    await message.fill('/cost');
    await message.press('Enter');
    await page.waitForURL(/tab=cost/);
  });

  it('keeps the draft, through a second Enter, an undone turn and a different view', async () => {
    await served.turn('typed', 'hello');
    await using opened = await served.open('/s/typed');
    const { page, faults } = opened;
    const message = page.getByRole('textbox', { name: 'Message' });
    const reads = (text: string) =>
      comesTrue(page, `document.getElementById('composer').value === ${JSON.stringify(text)}`);
    await page.locator('article.reply').waitFor();
    const goes: (() => void)[] = [];
    await page.route('**/typed/turns', (route) => void goes.push(() => void route.continue()));
    await message.fill('sent once');
    await message.press('Enter');
    await message.press('Enter');
    await message.press('End');
    await message.pressSequentially(' and typed meanwhile');
    await until(() => goes.length > 0);
    for (const each of goes) each();
    await reads('and typed meanwhile');
    await page.locator('article.prompt', { hasText: 'sent once' }).waitFor();
    expect(goes).toHaveLength(1);
    await atRest(served.server, 'typed');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Undo last turn' }).click();
    await reads('sent once\n\nand typed meanwhile');
    await page.locator('.composer input[type=file]').setInputFiles({
      name: 'dot.png',
      mimeType: 'image/png',
      buffer: PIXEL,
    });
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    await page.getByRole('link', { name: 'Cost', exact: true }).last().click();
    await page.waitForURL(/tab=cost/);
    await page.getByRole('link', { name: 'Conversation', exact: true }).click();
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();
    await reads('sent once\n\nand typed meanwhile');
    expect(faults).toEqual([]);
  });

  it('reports the result of an action of the menu, and reverses a removal', async () => {
    await served.turn('kept', 'hello');
    await using opened = await served.open('/s/kept');
    const { page, faults } = opened;
    const pick = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    const notice = page.locator('.notice');
    await page.locator('article.reply').waitFor();
    await pick('Move to trash');
    await notice.getByText('It is in the trash.').waitFor();
    expect((await served.server.ask('/api/llm/sessions/kept')).status).toBe(404);
    await notice.getByRole('button', { name: 'Undo' }).click();
    await notice.getByText('It is here again.').waitFor();
    expect((await served.server.ask('/api/llm/sessions/kept')).status).toBe(200);
    await notice.getByRole('button', { name: 'Close' }).click();
    await notice.getByText('It is here again.').waitFor({ state: 'detached' });
    for (const [name, rest] of [
      ['Fork', 'fork'],
      ['Undo last turn', 'undo'],
    ] as const) {
      const error = { code: 'SESSION_LOCKED', message: `Another program writes it: no ${rest}.` };
      await page.route(`**/kept/${rest}`, (route) => route.fulfill({ status: 409, json: { success: false, error } }));
      await pick(name);
      await notice.getByText(error.message).waitFor();
    }
    expect(faults).toEqual([]);
  });

  it('imports a session of a foreign program, and continues with it in a journal of its own', async () => {
    await using opened = await served.open(`/s/${encodeURIComponent(`claude:${CLAUDE_ID}`)}`);
    const { page, faults } = opened;
    await page.locator('article.prompt').first().waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: /Import/ }).click();
    await page.locator('.notice', { hasText: 'It is imported.' }).waitFor();
    expect(existsSync(join(served.home.path, 'ollm/session-data', `claude-${CLAUDE_ID}.jsonl`))).toBe(true);
    expect(faults).toEqual([]);
  });
});
