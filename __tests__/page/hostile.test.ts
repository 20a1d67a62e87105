// 300 hostile texts in every place where the page takes text from: nothing runs, nothing is asked for elsewhere. The
// policy of the server would forbid most of that too, so it is switched off here: the page has to hold by itself.
import type { Page } from 'playwright-core';
import { HOSTILE } from '../support/hostile-texts.ts';
import { framesDrawn, inBrowser, type OpenedPage, type ServedPage, servePage } from '../support/page-in-browser.ts';

/** Elements and attributes that no text may become. */
const MADE = `[...document.querySelectorAll('*')].flatMap((element) => [
  ...(/^(IFRAME|OBJECT|EMBED|BASE|FORM|VIDEO|ANIMATE|META|LINK|STYLE|SCRIPT|DETAILS)$/i.test(element.tagName) &&
  element.closest('main') && !element.matches('form.search-box, form[aria-label], details.as-table, details.damage-details') ? [element.outerHTML.slice(0, 120)] : []),
  ...[...element.attributes].filter(({ name }) => name.startsWith('on')).map(({ name }) => name),
  ...(element.tagName === 'A' && !/^(https?|mailto):/.test(element.href) ? [element.href] : []),
  ...(element.tagName === 'IMG' && new URL(element.src).origin !== location.origin ? [element.src] : []),
])`;

/** Calls that have cards of their own: plans and agents, or patches and edits, so that each code meets both pairs. */
function calls(at: number, text: string): readonly (readonly [name: string, args: object, end?: object])[] {
  const isFirst = (at + Math.floor(at / 30)) % 2 === 0;
  return isFirst
    ? [
        ['todo_write', { todos: [{ content: text, status: 'in_progress', activeForm: text }] }],
        ['Task', { description: text, prompt: text, subagent_type: text }, { subagent: text }],
      ]
    : [
        ['apply_patch', { input: `*** Begin Patch\n*** Add File: ${text}\n+${text}\n*** End Patch` }],
        ['MultiEdit', { file_path: text, edits: [{ old_string: text, new_string: `x ${text}` }] }],
      ];
}

inBrowser('hostile text in the page', () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
  });
  afterAll(() => served?.close());

  const openHostile = async (answers: Readonly<Record<string, unknown>> = {}): Promise<OpenedPage> => {
    const opened = await served.open('/new', { bypassCSP: true });
    await opened.page.exposeFunction('__ran', () => opened.faults.push('a script ran'));
    for (const [path, data] of Object.entries(answers)) {
      await opened.page.route(path, (route) => route.fulfill({ json: { success: true, data } }));
    }
    return opened;
  };
  const expectOnlyText = async (page: Page, faults: readonly string[]): Promise<void> => {
    // Anything that is loaded or run late would have been by then.
    await page.evaluate('new Promise((done) => requestIdleCallback(done, { timeout: 1000 }))');
    await framesDrawn(page);
    expect(await page.evaluate(MADE)).toEqual([]);
    expect(faults).toEqual([]);
  };

  it('stays text in all events of a journal', async () => {
    const parts = (text: string) => [{ type: 'text', text }];
    const events: readonly object[] = HOSTILE.flatMap((text, at): readonly object[] => {
      const [callId, edited] = [`c${at}`, `e${at}`];
      const turn = at + 1;
      const failed = { status: 'failed', steps: 1, durationMs: 1, error: { code: text, message: text } };
      const image = { type: 'image', mediaType: text, blob: text };
      const picture = { type: 'image', mediaType: 'image/png', blob: text };
      const file = { type: 'file', name: text, mediaType: text, blob: text };
      const result = { llmContent: text, images: [image] };
      return [
        { type: 'turn.started', turn, data: { input: text } },
        {
          type: 'message.added',
          data: { role: 'user', parts: [...parts(text), image, picture, file], trusted: true, author: text },
        },
        {
          type: 'message.added',
          data: {
            role: 'assistant',
            parts: [...parts(text), { type: 'reasoning', text }, { type: 'reasoning', provider: text }],
            trusted: true,
          },
        },
        { type: 'message.added', data: { role: 'system', parts: parts(text), trusted: true } },
        { type: 'tool.requested', data: { callId, name: text, args: { command: text, [text]: text } } },
        {
          type: 'tool.decided',
          data: { callId, decision: 'deny', by: 'user', rule: text, reason: text, author: text },
        },
        { type: 'tool.started', data: { callId, sandbox: text, envRemoved: [text], cwd: text, command: text } },
        { type: 'tool.finished', data: { callId, status: 'denied', result, trusted: false } },
        {
          type: 'tool.requested',
          data: { callId: edited, name: 'edit', args: { path: text, old_string: text, new_string: `x ${text}` } },
        },
        { type: 'tool.finished', data: { callId: edited, status: 'error', result, trusted: false } },
        ...calls(at, text).flatMap(([name, args, end], index) => {
          const id = `t${at}.${index}`;
          const data = { callId: id, status: 'ok', result: { llmContent: text }, trusted: false, ...end };
          return [
            { type: 'tool.requested', data: { callId: id, name, args } },
            { type: 'tool.finished', data },
          ];
        }),
        { type: 'turn.ended', turn, data: failed },
        { type: 'model.changed', data: { provider: text, model: text } },
        { type: 'loop.detected', data: { kind: 'repeated-call', details: text } },
        {
          type: 'compaction.completed',
          data: { covers: { from: 1, to: 0 }, summary: text, tokensBefore: 2, tokensAfter: 1 },
        },
        { type: 'compaction.failed', data: { error: { code: text, message: text } } },
        { type: 'retrieval.added', data: { chunks: [{ source: text, text }] } },
        { type: 'context.added', data: { key: text } },
        { type: 'secret.redacted', data: { count: 1, kind: text, where: text } },
        { type: 'journal.recovered', data: { length: 1, quarantine: text } },
      ];
    });
    const stored: object[] = [];
    let seq = 0;
    for (const event of events) {
      stored.push({ seq, ts: '2026-01-01T00:00:00.000Z', id: `e${seq}`, ...event });
      seq += 1;
    }
    const page_ = (from: number) => ({
      sessionId: 'x',
      provider: 'ollm',
      fileType: 'jsonl',
      entries: stored.slice(from, from + 100),
      messages: [],
      damage: [{ kind: HOSTILE[0], offset: 1, length: 2, reason: HOSTILE[1], before: from + 5 }],
      head: stored.length - 1,
    });
    const row = { address: 'x', agent: 'ollm', id: 'x', lastActivity: '2026-01-01T00:00:00Z', bytes: 1, gone: false };
    await using opened = await openHostile({
      '**/sessions/x': {
        ...row,
        locked: false,
        title: HOSTILE[2],
        project: HOSTILE[3],
        branch: HOSTILE[4],
        model: HOSTILE[5],
      },
      '**/sessions/x/outline': {
        head: stored.length - 1,
        prompts: HOSTILE.map((text, at) => ({ seq: at, ts: HOSTILE[at], text })),
        compactions: [],
        undone: [{ from: 10, to: 20 }],
        damage: [{ after: 4, kind: HOSTILE[0], offset: 1, length: 2, reason: HOSTILE[1] }],
        map: [{ kind: 'prompt', length: 1 }],
        perRow: 1000,
        window: { tokens: 1 },
      },
    });
    const { page, faults } = opened;
    await page.route('**/sessions/x/events?*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: 'event: hello\ndata: {}\n\n' }),
    );
    await page.route('**/sessions/x/history?*', (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get('from'));
      const data = page_(from < 0 ? Math.floor((stored.length - 1) / 100) * 100 : from);
      return route.fulfill({ json: { success: true, data } });
    });
    await page.evaluate(`history.pushState(undefined, '', '/s/x'); dispatchEvent(new PopStateEvent('popstate'))`);
    await page.locator('.flow article').first().waitFor();
    for (let at = 0; at < stored.length; at += 100) {
      await page.evaluate(`location.hash = '#${at}'`);
      await page
        .locator(`[data-page="${at / 100}"][data-loaded] article`)
        .first()
        .waitFor({ state: 'attached' });
      // All that is folded too.
      await page.evaluate(`document.querySelectorAll('.flow [aria-expanded=false]').forEach((each) => each.click())`);
      await expectOnlyText(page, faults);
    }
    // Each was drawn: the last of them is.
    await page.locator('.flow').getByText('torn bytes at the end').last().waitFor({ state: 'attached' });
    expect(await page.title()).toContain('<img src="https://evil.example/x.png">');
  });

  it('stays text in lists, hits, costs, choices, questions and errors', async () => {
    const at = '2026-01-01T00:00:00Z';
    const sessions = HOSTILE.map((text, index) => ({
      address: `ollm:s${index}`,
      agent: text,
      id: text,
      title: text,
      project: `/${text}`,
      branch: text,
      model: text,
      lastActivity: index % 2 ? text : at,
      messageCount: 1,
      bytes: 1,
      gone: index % 3 === 0,
      locked: false,
      problem: index % 5 === 0 ? text : undefined,
    }));
    const figures = {
      ...{ sessions: 300, turns: 1, failedTurns: 0, requests: 1, inputTokens: 1, outputTokens: 1 },
      ...{ cost: 1, withoutPrice: 0, calls: 1, failedCalls: 0 },
    };
    const counts = {
      total: sessions.length,
      projects: sessions.map(({ project }) => ({ project, sessions: 1 })),
      agents: HOSTILE.map((agent) => ({ agent, sessions: 1 })),
    };
    await using opened = await openHostile({
      '**/api/llm/session-counts*': { ...counts, days: [], unreadable: [] },
      '**/api/llm/sessions?*': { sessions, total: 300, unreadable: [{ path: HOSTILE[0], reason: HOSTILE[1] }] },
      '**/api/llm/search?*': {
        hits: HOSTILE.map((text, index) => ({
          ...{ address: `ollm:s${index}#k`, agent: text, id: text, key: text, seq: 1, title: text, project: text },
          ...{ role: text, kind: index % 2 ? 'output' : 'text', at, score: 1, live: true, gone: false },
          excerpt: { text, marks: [[0, 3]] },
        })),
        isCut: false,
        leftOut: [],
      },
      '**/api/llm/stats?*': {
        since: at,
        by: ['model'],
        rows: HOSTILE.map((text) => ({ ...figures, day: text, model: text, project: text, agent: text, tool: text })),
        total: figures,
        leftOut: HOSTILE,
      },
      '**/providers/ollm/models': {
        models: HOSTILE.map((text) => ({ value: text, displayName: text, answerer: text })),
      },
      '**/api/llm/workspaces': { workspaces: HOSTILE.map((text) => ({ path: text, because: 'session' })) },
    });
    const { page, faults } = opened;
    const changes = JSON.stringify({ sessions, order: sessions.map(({ address }) => address), counts });
    await page.route('**/api/llm/session-changes', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: `event: sessions\ndata: ${changes}\n\n` }),
    );
    await page.reload();
    for (const [name, shows] of [
      ['Sessions', '.session-row'],
      ['Cost', '.plain-table td'],
      ['New', '.new-form option:nth-child(300)'],
    ] as const) {
      await page.locator('.sidebar nav a', { hasText: name }).click();
      await page.locator(shows).first().waitFor({ state: 'attached' });
      await expectOnlyText(page, faults);
    }
    await page.locator('.sidebar nav a', { hasText: 'Sessions' }).click();
    await page.getByRole('button', { name: 'By time' }).click();
    await page.locator('.session-list').waitFor();
    for (const top of [0, 4000, 9000, 14000]) {
      await page.evaluate(`document.querySelector('.session-list').scrollTop = ${top}`);
      await expectOnlyText(page, faults);
    }
    await page.locator('.sidebar nav a', { hasText: 'Search' }).click();
    await page.getByRole('searchbox').fill('<script>');
    await page.locator('a.hit').nth(299).waitFor();
    await expectOnlyText(page, faults);
    // The reason of a refusal of the server is text as well.
    const error = { code: HOSTILE[0], message: HOSTILE.join('\n') };
    await page.unroute('**/api/llm/stats?*');
    await page.route('**/api/llm/stats?*', (route) => route.fulfill({ status: 500, json: { success: false, error } }));
    await page.locator('.sidebar nav a', { hasText: 'Cost' }).click();
    await page.getByRole('heading', { name: 'This could not be shown' }).waitFor();
    await expectOnlyText(page, faults);
  });

  it('stays text in live parts: streams, waiting prompts, questions, holders, retrieved passages, and costs', async () => {
    const at = '2026-01-01T00:00:00Z';
    const signal = (data: object): string => `event: signal\ndata: ${JSON.stringify(data)}\n\n`;
    const asked = (text: string, index: number) => ({
      ...{ id: `q${index}`, hash: text, summary: text, reason: text, askedAt: at },
      answers: ['once', 'always', 'never', 'no'],
      call: {
        ...{ tool: text, args: { [text]: text }, sandbox: text, dangerous: text, grant: text, denial: text },
        ...(index % 3 === 0
          ? { command: { kind: 'shell', line: text, cwd: text } }
          : index % 3 === 1
            ? { command: { kind: 'program', argv: [text, text], cwd: text } }
            : { preview: { kind: text, text } }),
      },
    });
    /** The page shows the first question: with a line for a shell, a program, or a preview. */
    const bodyOf = (kind: number) =>
      [
        'event: hello\ndata: {}\n\n',
        `event: partial\ndata: ${JSON.stringify({ text: HOSTILE.join('\n\n'), reasoning: HOSTILE[0] })}\n\n`,
        signal({ type: 'question', question: asked(HOSTILE.join('\n'), kind) }),
        signal({ type: 'queue', queue: HOSTILE.map((text, index) => ({ promptId: `p${index}`, text })) }),
        signal({ type: 'problem', message: HOSTILE.join('\n') }),
      ].join('');
    await using opened = await openHostile({
      '**/sessions/x': {
        address: 'x',
        agent: HOSTILE[6],
        id: 'x',
        lastActivity: at,
        bytes: 1,
        gone: true,
        locked: true,
      },
      '**/sessions/x/activity': {
        activity: { kind: 'not-held' },
        queue: [],
        holder: { command: HOSTILE.join(' '), since: HOSTILE[0] },
      },
      '**/sessions/x/outline': {
        ...{ head: 0, prompts: [], compactions: [], undone: [], damage: [], map: [], perRow: 1 },
        window: { tokens: 1 },
      },
      '**/sessions/x/history?*': {
        ...{ sessionId: 'x', provider: 'ollm', fileType: 'jsonl', messages: [], damage: [], head: 0 },
        entries: [{ seq: 0, ts: at, id: 'e', type: 'message.added', data: { role: 'user', parts: [], trusted: true } }],
      },
      '**/sessions/x/cost': {
        sessionId: HOSTILE[0],
        requests: HOSTILE.map((text, seq) => ({
          ...{ seq, at: seq % 2 ? text : at, model: text, provider: text, purpose: 'answer' },
          ...{ inputTokens: seq, outputTokens: 1, cost: 1 },
        })),
        marks: HOSTILE.map((text, seq) => ({ seq, at, kind: ['failed-turn', 'loop', 'model'][seq % 3], text })),
        total: { requests: 300, inputTokens: 1, outputTokens: 1, withoutPrice: 0, cost: 1 },
      },
    });
    const { page, faults } = opened;
    let kind = 0;
    await page.route('**/sessions/x/events?*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: bodyOf(kind) }),
    );
    const goes = (to: string) =>
      page.evaluate(`history.pushState(undefined, '', '${to}'); dispatchEvent(new PopStateEvent('popstate'))`);
    for (kind of [0, 1, 2]) {
      await goes('/search');
      await page.locator('.question').waitFor({ state: 'detached' });
      await goes('/s/x');
      await page.locator('.question').waitFor({ state: 'attached' });
      await page.locator('.queued').nth(300).waitFor({ state: 'attached' });
      await page.locator('.streaming .prose').waitFor({ state: 'attached' });
      await expectOnlyText(page, faults);
    }
    await goes('/s/x?tab=cost');
    await page.locator('svg.chart').waitFor();
    await page.locator('svg.chart').focus();
    for (let step = 0; step < 300; step += 1) await page.keyboard.press('ArrowRight');
    await expectOnlyText(page, faults);
  });

  it('stays text on its way through the real server: in a name, a prompt and a question', async () => {
    const all = HOSTILE.join('\n\n');
    await served.turn('real', all);
    for (const summary of HOSTILE.slice(0, 3)) {
      const { status } = await served.server.ask('/api/llm/sessions/real/rename', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ summary }),
      });
      expect(status).toBe(200);
    }
    await using opened = await served.open('/s/real', { bypassCSP: true });
    const { page, faults } = opened;
    await page.exposeFunction('__ran', () => faults.push('a script ran'));
    await page.locator('article.prompt').waitFor();
    await page.getByRole('heading', { level: 1, name: HOSTILE[2] }).waitFor();
    await page.getByRole('textbox', { name: 'Message' }).fill(`bash ${JSON.stringify({ command: `touch '${CODE}'` })}`);
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').waitFor();
    expect(await page.locator('.asked').textContent()).toContain(CODE);
    await expectOnlyText(page, faults);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await expectOnlyText(page, faults);
  });
});

const CODE = '<img src=https://evil.example/q.png onerror=__ran(1)>';
