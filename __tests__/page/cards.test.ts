// What calls look like in addition to their line: plans, agents of their own, edits of any form, output that runs and
// output that is long.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inBrowser, overflowOf, type ServedPage, servePage, violationsOf } from '../support/page-in-browser.ts';
import { said } from '../support/said.ts';
import { until } from '../support/until.ts';

let calls = 0;
const call = (name: string, args: object, { status = 'ok', llmContent = 'done', ...more } = {}): object[] => {
  calls += 1;
  const callId = `c${calls}`;
  const end = { callId, status, result: { llmContent }, trusted: false, ...more };
  return [
    { type: 'tool.requested', data: { callId, name, args } },
    { type: 'tool.finished', data: end },
  ];
};
const todos = (...statuses: string[]) => ({
  todos: statuses.map((status, at) => ({ content: `Step ${at + 1}`, status })),
});
const PATCH = [
  '*** Begin Patch',
  '*** Update File: src/bed.ts',
  '@@',
  '-const hours = 6;',
  '+const hours = 12;',
  '*** Add File: src/greenhouse.ts',
  '+export {};',
  '*** End Patch',
].join('\n');

inBrowser('the cards of calls', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
    await served.append('cards', [
      said('user', 'Water the beds'),
      ...call('TodoWrite', todos('in_progress', 'pending')),
      ...call('bash', { command: 'ls' }),
      ...call('todo_write', todos('completed', 'in_progress', 'pending')),
      said('assistant', 'The first step is done.'),
      said('user', 'And the greenhouse'),
      ...call('update_plan', { plan: [{ step: 'Open the window', status: 'completed' }] }),
      ...call('Task', { description: 'Look at the roof', prompt: 'Is the **roof** whole?', subagent_type: 'general' }, {
        llmContent: 'It has *two* holes.',
        subagent: 'roof',
      } as object),
      ...call('apply_patch', { input: PATCH }),
      ...call('MultiEdit', {
        file_path: 'a.ts',
        edits: [
          { old_string: 'one', new_string: 'uno' },
          { old_string: 'two', new_string: 'due' },
        ],
      }),
      ...call('Write', { file_path: 'b.ts', content: 'first\nsecond\n' }),
      ...call('bash', { command: 'cat bundle.js' }, { llmContent: `BEGIN${'x'.repeat(20_000)}END` }),
    ]);
    await served.append('roof', [said('user', 'Is the roof whole?')]);
  });
  afterAll(() => served?.close());

  it('show a plan once in a turn, as its last call left it', async () => {
    await using opened = await served.open('/s/cards');
    const { page, faults } = opened;
    const first = page.locator('.plan-card').first();
    await first.locator('li').nth(2).waitFor();
    expect(await page.locator('.plan-card').count()).toBe(2);
    expect(await first.locator('li').allTextContents()).toEqual([
      'Done: Step 1',
      'In progress: Step 2',
      'Open: Step 3',
    ]);
    await first.getByText('1 of 3 done').waitFor();
    await first.getByText('Changed 1 time in this turn').waitFor();
    // A finished one is a line, which opens.
    const second = page.locator('.plan-card').nth(1);
    await second.getByText('1 of 1 done').waitFor();
    expect(await second.locator('li').count()).toBe(0);
    await second.getByRole('button').click();
    await second.getByText('Open the window').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('show the task of a subagent and its result, and lead to its session', async () => {
    await using opened = await served.open('/s/cards');
    const { page } = opened;
    const card = page.locator('.call', { hasText: 'Look at the roof' });
    await card.locator('.call-head').click();
    await card.locator('strong', { hasText: 'roof' }).waitFor();
    await card.locator('em', { hasText: 'two' }).waitFor();
    await card.getByRole('link', { name: 'Its own session' }).click();
    await page.waitForURL(/\/s\/roof$/);
    await page.locator('article.prompt', { hasText: 'Is the roof whole?' }).waitFor();
  });

  it('show edits of any form as changes, at any width', async () => {
    await using opened = await served.open('/s/cards', { viewport: { width: 320, height: 640 } });
    const { page } = opened;
    const patch = page.locator('.call', { hasText: 'apply_patch' });
    // Short changes are open. How they look is loaded later than the conversation.
    await page.locator('.call', { hasText: 'Write' }).last().locator('.diff .added .text').nth(1).waitFor();
    await patch.locator('.diff .added .text').nth(1).waitFor();
    await page.locator('.call', { hasText: 'MultiEdit' }).locator('.diff').nth(1).waitFor();
    expect(await patch.locator('.changed-file').allTextContents()).toEqual(['src/bed.ts', 'src/greenhouse.ts']);
    expect(await patch.locator('.diff .removed .text').allTextContents()).toEqual(['const hours = 6;']);
    expect(await patch.locator('.diff .added .text').allTextContents()).toEqual(['const hours = 12;', 'export {};']);
    await patch.locator('.call-head', { hasText: '+2' }).waitFor();
    expect(await page.locator('.call', { hasText: 'MultiEdit' }).locator('.diff').count()).toBe(2);
    const write = page.locator('.call', { hasText: 'Write' }).last();
    expect(await write.locator('.diff .added .text').allTextContents()).toEqual(['first', 'second']);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  it('show both ends of a long output, and all of it on request', async () => {
    await using opened = await served.open('/s/cards');
    const { page } = opened;
    const card = page.locator('.call', { hasText: 'cat bundle.js' });
    await card.locator('.call-head').click();
    const length = async () => (await card.locator('.output').textContent())!.length;
    expect(await card.locator('.output').textContent()).toMatch(/^BEGINx+\n…\nx+END$/);
    expect(await length()).toBeLessThan(8200);
    await card.getByRole('button', { name: 'Show all 20 kB' }).click();
    await until(async () => (await length()) === 20_008);
  });

  it('stay open while the reader visits a different part of the session', async () => {
    const rows = Array.from({ length: 1500 }, (_, at) => said(at % 2 ? 'assistant' : 'user', `row ${at}`));
    const parts = [
      { type: 'reasoning', text: 'Walnuts are heavy.' },
      { type: 'text', text: 'Yes.' },
    ];
    const reasoned = { type: 'message.added', data: { role: 'assistant', parts, trusted: true } };
    await served.append('far', [said('user', 'Are they heavy?'), reasoned, ...rows]);
    await using opened = await served.open('/s/far#2');
    const { page } = opened;
    await page.getByRole('button', { name: /^Reasoning/ }).click();
    await page.getByText('Walnuts are heavy.').waitFor();
    await page.locator('.flow').focus();
    await page.keyboard.press('End');
    await page.locator('.flow').getByText('row 1499', { exact: true }).waitFor();
    await page.locator('#event-2').waitFor({ state: 'detached' });
    await page.keyboard.press('Home');
    await page.getByText('Walnuts are heavy.').waitFor();
  });

  it('show the last lines of a running call in a box of constant height, and open the cut part', async () => {
    await served.turn('runs', 'hello');
    await using opened = await served.open('/s/runs');
    const { page, faults } = opened;
    const message = page.getByRole('textbox', { name: 'Message' });
    const command = 'seq 1 30000; until [ -e go.txt ]; do sleep 0.1; done; echo over';
    await message.fill(`bash ${JSON.stringify({ command })}`);
    await message.press('Enter');
    await page.getByRole('button', { name: 'Allow once' }).click();
    const box = page.locator('.call[data-state=running] .running-output');
    await box.getByText(/29996\n29997\n29998\n29999\n30000$/).waitFor();
    expect(await page.evaluate(`document.querySelector('.running-output').offsetHeight`)).toBe(130);
    expect(await violationsOf(page)).toEqual([]);
    writeFileSync(join(served.project, 'go.txt'), '');
    const card = page.locator('.call', { hasText: 'go.txt' });
    await card.getByRole('button', { name: /^Open all/ }).click();
    await card.getByRole('button', { name: /^Load .* more$/ }).click();
    await card.getByRole('button', { name: /^Load .* more$/ }).click();
    await card.locator('.output', { hasText: /\n15000\n.*\n30000\nover/s }).waitFor();
    await card.getByRole('button', { name: /^Load .* more$/ }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });
});
