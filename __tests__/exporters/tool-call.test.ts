import type { NewOllmEvent } from '../../lib/events/index.ts';
import { exportHtml } from '../../lib/exporters/html.ts';
import { exportMarkdown } from '../../lib/exporters/markdown.ts';
import { decisionText, isDiff, placeText, subjectOf } from '../../lib/exporters/tool-call.ts';
import { batched, created, eventItems, headOf, joined, toolAnswered, toolAsked, turnStarted } from './items.ts';

const DIFF = '--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n # Notes\n-the <b>wheel</b>\n+the hinge\n';

function decided(data: object): NewOllmEvent {
  return { type: 'tool.decided', turn: 1, data: { callId: 'c1', decision: 'allow', by: 'user', ...data } };
}

function started(data: object): NewOllmEvent {
  return { type: 'tool.started', turn: 1, data: { callId: 'c1', sandbox: 'bubblewrap', envRemoved: [], ...data } };
}

function answeredWithDiff(): NewOllmEvent {
  const answered = toolAnswered('c1', 'Edited notes.md.') as NewOllmEvent & { data: { result: object } };
  return {
    ...answered,
    data: { ...answered.data, result: { llmContent: 'Edited.', returnDisplay: DIFF } },
  } as NewOllmEvent;
}

async function exported(
  ...events: readonly NewOllmEvent[]
): Promise<{ readonly markdown: string; readonly html: string }> {
  const items = eventItems(created, turnStarted(1), ...events);
  return {
    markdown: await joined(exportMarkdown(batched(items), headOf(items))),
    html: await joined(exportHtml(batched(items), headOf(items))),
  };
}

describe('the summary of a call', () => {
  it.each([
    [{ command: 'npm test' }, 'npm test'],
    [{ content: 'long', path: 'a.md' }, 'a.md'],
    [{ args: ['log', '-n', '3'] }, 'log -n 3'],
    [{ query: '  wheel ' }, 'wheel'],
    [{ cmd: ['bash', '-lc', 'ls'], workdir: '/p' }, 'bash -lc ls'],
    [{ limit: 5, file_path: '/p/a.md' }, '/p/a.md'],
    [{ depth: 2, subject: 'the hinge\nand the wheel', reason: 'why' }, 'the hinge'],
    [{ command: '', other: 1 }, undefined],
    ['no JSON', undefined],
    [null, undefined],
  ])('of %j is %j', (args, subject) => expect(subjectOf(args)).toBe(subject));

  it('is cut if it is long, between characters', () => {
    expect(subjectOf({ command: '🛠'.repeat(500) })).toBe(`${'🛠'.repeat(79)}…`);
  });

  it('follows the name, on one line, as plain text', async () => {
    const { markdown, html } = await exported(
      toolAsked('c1', 'bash', { command: 'echo "<b>"\nls' }),
      toolAnswered('c1', ''),
    );
    expect(markdown).toMatch(
      /<summary>Tool <code>bash<\/code> <code>echo &quot;&lt;b&gt;&quot;.ls<\/code> — ok, 12 ms/,
    );
    expect(html).toMatch(/<code>bash<\/code> <code>echo &quot;&lt;b&gt;&quot;.ls<\/code> — ok, 12 ms/);
  });
});

describe('the decision and the place of a call', () => {
  it('are shown for an allowed call', async () => {
    const said =
      'Allowed by the user (default:dangerous). Dangerous: removes files. Ran in bubblewrap, without network, in /p.';
    const { html } = await exported(
      toolAsked('c1', 'bash', { command: 'rm -r x' }),
      decided({ rule: 'default:dangerous', dangerous: 'removes files' }),
      started({ command: 'rm -r x', network: false, cwd: '/p' }),
      toolAnswered('c1', ''),
    );
    expect(html).toContain(`<p>${said}</p>`);
  });

  it('are shown for a denied call, also without an end', async () => {
    const { markdown } = await exported(toolAsked('c1', 'bash', {}), decided({ decision: 'deny', by: 'policy' }));
    expect(markdown).toContain('Denied by the policy.');
  });

  it('name a program without a sandbox, and nothing if no program is started', () => {
    const run = { callId: 'c1', sandbox: 'none', envRemoved: [] };
    expect(placeText({ ...run, argv: ['git', 'log'] })).toBe('Ran without a sandbox.');
    expect(placeText({ ...run, cwd: '/p' })).toBeUndefined();
    expect(decisionText({ callId: 'c1', decision: 'allow', by: 'grant', rule: 'grant:1' })).toBe(
      'Allowed by a grant (grant:1).',
    );
  });
});

it('a call that the user changed shows the run arguments, and the requested ones', async () => {
  const { markdown, html } = await exported(
    toolAsked('c1', 'bash', { command: 'touch a' }),
    decided({ args: { command: 'touch b' } }),
    toolAnswered('c1', ''),
  );
  expect(markdown).toContain('<code>touch b</code>');
  expect(markdown).toMatch(/Arguments:[\s\S]*touch a[\s\S]*Changed by the user to:[\s\S]*touch b/);
  expect(html).toMatch(/Arguments[\s\S]*touch a[\s\S]*Changed by the user to[\s\S]*touch b/);
});

describe('a diff', () => {
  const events = [toolAsked('c1', 'file_edit', { path: 'notes.md' }), answeredWithDiff()];

  it('is marked as a diff in Markdown', async () =>
    expect((await exported(...events)).markdown).toContain(`\`\`\`diff\n${DIFF}\`\`\``));

  it('has marked lines in HTML, and no markup of its own', async () => {
    const { html } = await exported(...events);
    expect(html).toContain('<del>-the &lt;b&gt;wheel&lt;/b&gt;</del>\n<ins>+the hinge</ins>');
    expect(html).toContain('\n # Notes\n');
  });

  it('is distinguished from text that only has dashes', () => {
    expect(isDiff(DIFF)).toBe(true);
    expect(isDiff('--- a\n- list\n')).toBe(false);
  });
});
