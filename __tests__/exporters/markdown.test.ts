import fc from 'fast-check';
import { Marked, type Token, type Tokens } from 'marked';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { containedPieces } from '../../lib/exporters/contained-markdown.ts';
import type { ExportItem } from '../../lib/exporters/item.ts';
import { exportMarkdown } from '../../lib/exporters/markdown.ts';
import { hostileText } from './hostile-text.ts';
import {
  batched,
  created,
  eventItems,
  headOf,
  joined,
  said,
  toolAnswered,
  toolAsked,
  turnEnded,
  turnStarted,
} from './items.ts';

async function markdownOf(...events: NewOllmEvent[]): Promise<string> {
  const items = eventItems(created, ...events);
  return await joined(exportMarkdown(batched(items), headOf(items)));
}

describe('a session as Markdown', () => {
  it('quotes a paste of the user line by line, at any length', async () => {
    const lines = ['', '', 'a', 'b\u2028c\u2029', ''];
    for (const pasted of [`${'x'.repeat(50)}\n\n`.repeat(5000), Array(60_000).fill(lines.join('\n')).join('\r\n')]) {
      const quoted = [...containedPieces(pasted)]
        .join('')
        .replace(/^(?=.)/gm, '> ')
        .replace(/^$/gm, '>');
      expect(await markdownOf(said('user', pasted))).toContain(`event 1*\n\n${quoted}\n`);
    }
  });

  it('comes in small pieces, with texts of any length', async () => {
    const long = '`a` 語 b\n'.repeat(200_000);
    const items = eventItems(
      created,
      ...[said('user', long), said('assistant', long), said('system', long)],
      ...[toolAsked('c1', 'write_file', { content: long }), toolAnswered('c1', long)],
      {
        type: 'context.added',
        data: { id: 'a', key: 'b', type: 'file', content: long, tokens: { count: 1, method: 'estimated' } },
      } as unknown as NewOllmEvent,
    );
    let longest = 0;
    for await (const group of exportMarkdown(batched(items), headOf(items))) {
      for (const piece of group) longest = Math.max(longest, piece.length);
    }
    expect(longest).toBeLessThan(40_000);
  });

  it('shows a to-do list as a task list', async () => {
    const todos = [
      { content: 'Read *it*', status: 'completed' },
      { content: 'Mend it', status: 'in_progress' },
      { content: '</details>', status: 'pending' },
    ];
    const text = await markdownOf(toolAsked('c1', 'todo_write', { todos }), toolAnswered('c1', 'kept'));
    expect(text).toContain('<details open>\n<summary>Tool <code>todo_write</code> <code>1 of 3 done</code> — ok');
    expect(text).toMatch(/\n\n- \[x\] Read \\\*it\\\*\n- \[ \] Mend it \*\(in progress\)\*\n- \[ \] [^\n]*details/);
    expect(text.match(/<\/details>/g)).toHaveLength(1);
    expect(text).not.toContain('Arguments');
  });

  it('shows title, facts, turns, roles and times', async () => {
    const text = await markdownOf(
      { type: 'session.titled', data: { title: 'Trees & *leaves*', by: 'user' } },
      turnStarted(1),
      said('user', 'What grows?\nAnd why?'),
      said('assistant', 'Trees **grow**.', { model: 'tiny', finish: 'stop' }),
      turnEnded(1),
    );
    expect(text).toContain('# Trees \\& \\*leaves\\*\n');
    expect(text).toContain('| **Session** | walk |');
    expect(text).toContain('| **Model** | tiny (offline) |');
    expect(text).toContain('| **Contents** | 1 turn, 2 messages |');
    expect(text).toContain('## Turn 1\n');
    expect(text).toContain('### User\n\n*2026-11-21 20:49:03 UTC · event 3*\n\n> What grows?  \n> And why?\n');
    expect(text).toContain('### Assistant · tiny\n');
    expect(text).toContain('Trees **grow**.\n');
  });

  it('folds a tool call together with its result and keeps their code intact', async () => {
    const text = await markdownOf(
      turnStarted(1),
      toolAsked('c1', 'read_file', { path: 'a.md' }),
      toolAnswered('c1', 'before\n```js\ncode\n```\nafter'),
    );
    expect(text).toContain('<summary>Tool <code>read_file</code> <code>a.md</code> — ok, 12 ms</summary>');
    expect(text).toContain('```json\n{\n  "path": "a.md"\n}\n```');
    expect(text).toContain('````\nbefore\n```js\ncode\n```\nafter\n````');
  });

  it('keeps code blocks of an answer unchanged, and closes one that a cancelled answer left open', async () => {
    const text = await markdownOf(
      said('assistant', 'See:\n\n```ts\nconst a = `<b>`;\n\tb();\n', { finish: 'cancelled' }),
    );
    expect(text).toContain('See:\n\n```ts\nconst a = `<b>`;\n\tb();\n```\n');
    expect(text).toContain('*— cancelled: this is how far the reply had come —*');
  });

  it('names the images of a tool', async () => {
    const images = [{ type: 'image' as const, mediaType: 'image/png', blob: 'ab'.repeat(32) }];
    const answered = toolAnswered('c1', 'The page:');
    const data = { ...answered.data, result: { llmContent: 'The page:', images } } as typeof answered.data;
    const text = await markdownOf(turnStarted(1), toolAsked('c1', 'look', {}), {
      ...answered,
      data,
    } as typeof answered);
    expect(text).toContain(`The page:\n[image, image/png, blobs/${'ab'.repeat(32)}]`);
  });

  it('reports in its place damage, unknown events and missing results', async () => {
    const items: ExportItem[] = [
      ...eventItems(created, turnStarted(1), toolAsked('c1', 'sh', {})),
      {
        kind: 'damage',
        damage: { kind: 'nul-run', offset: 512, length: 40, reason: '40 NUL bytes.' },
      },
      { kind: 'unknown', envelope: { seq: 4, ts: '2026-11-21T20:49:09.000Z', type: 'garden.watered' } },
    ];
    const text = await joined(exportMarkdown(batched(items), headOf(items, { damaged: 1 })));
    expect(text).toContain('| **Damaged** | 1 place could not be read; each is marked below |');
    expect(text).toContain('> **Warning:** Damage in the journal (nul-run) at byte 512, 40 bytes: 40 NUL bytes.');
    expect(text).toContain('garden.watered');
    expect(text).toContain('Tool <code>sh</code> — no result');
  });

  it('marks undone messages and nothing else', async () => {
    const text = await markdownOf(
      turnStarted(1),
      said('user', 'first'),
      turnEnded(1),
      turnStarted(2),
      said('user', 'second'),
      turnEnded(2),
      { type: 'branch.moved', data: { head: 3, reason: 'undo' } },
      turnStarted(3),
      said('user', 'third'),
    );
    expect(text.match(/^#+ .*\(undone\)$/gm)).toEqual(['## Turn 2 (undone)', '### User (undone)']);
  });

  it('does not mark the context and the settings, which an undo keeps', async () => {
    const text = await markdownOf(
      created,
      { type: 'model.changed', data: { provider: 'p', model: 'other' } },
      { type: 'tools.changed', data: { name: 'bash', enabled: false } },
      { type: 'context.cleared', data: {} },
      said('user', 'taken back'),
      { type: 'branch.moved', data: { head: 0, reason: 'undo' } },
    );
    expect(text.match(/^.*\(undone\).*$/gm)).toEqual(['### User (undone)']);
  });

  it('shows each call, also if two open ones have the same id', async () => {
    const text = await markdownOf(toolAsked('c1', 'first', {}), toolAsked('c1', 'second', {}));
    expect(text.match(/<code>\w+<\/code> — no result/g)).toHaveLength(2);
  });

  it('distinguishes open calls from one whose id is used again', async () => {
    const text = await markdownOf(
      toolAsked('c1', 'first', {}),
      toolAsked('c2', 'other', {}),
      toolAsked('c1', 'second', {}),
      toolAnswered('c2', 'of the other'),
      toolAnswered('c1', 'of the second'),
    );
    expect(text.match(/<code>\w+<\/code> — [a-z ]+/g)).toEqual([
      '<code>first</code> — no result',
      '<code>other</code> — ok',
      '<code>second</code> — ok',
    ]);
  });

  it('shows parallel calls in the order of their requests', async () => {
    const text = await markdownOf(
      ...[toolAsked('c1', 'slow', {}), toolAsked('c2', 'fast', {})],
      ...[toolAnswered('c2', 'f'), toolAnswered('c1', 's')],
    );
    expect(text.match(/<code>\w+<\/code> — ok/g)).toEqual(['<code>slow</code> — ok', '<code>fast</code> — ok']);
  });

  it('has one heading for a message in pieces, and says where it continues after something else', async () => {
    const text = await markdownOf(
      said('assistant', 'one', { message: 'm' }),
      said('assistant', 'two', { message: 'm' }),
      ...[toolAsked('c1', 'sh', {}), toolAnswered('c1', '')],
      said('assistant', 'three', { message: 'm' }),
    );
    expect(text.match(/^###.*/gm)).toEqual(['### Assistant', '### Assistant (continued)']);
    expect(text).toContain('one\n\ntwo\n');
    expect(text).toContain('| **Contents** | 0 turns, 1 message, 1 tool call |');
  });

  it('names the call of a result that comes after the end of its turn', async () => {
    const text = await markdownOf(
      turnStarted(1),
      toolAsked('c1', 'slow', {}),
      turnEnded(1),
      toolAnswered('c1', 'late words'),
    );
    expect(text.match(/<code>slow<\/code> — [a-z ]+/g)).toEqual([
      '<code>slow</code> — no result',
      '<code>slow</code> — ok',
    ]);
    expect(text).toContain('late words');
  });

  it('treats raw HTML as text, images as links and dangerous links as text', async () => {
    const text = await markdownOf(
      said('assistant', 'a <b onclick=x>b</b> <!-- c\n\n![p](https://e.example/p.png) [x](javascript:alert(1))'),
    );
    expect(text).toContain('a &lt;b onclick=x>b&lt;/b> &lt;!-- c');
    expect(text).toContain('[image: p](<https://e.example/p.png>)');
    expect(text).not.toContain('](<javascript');
    expect(text).not.toContain('](javascript');
  });

  it('has a structure that no content of a message or a tool changes', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, hostileText, async (user, reply, output) => {
        const text = await markdownOf(
          turnStarted(1),
          said('user', user),
          toolAsked('c1', output, { [user]: output }),
          toolAnswered('c1', output),
          said('assistant', reply),
          turnEnded(1),
          turnStarted(2),
          said('user', 'the end'),
        );
        expect(skeleton(text)).toEqual(SKELETON);
      }),
      { numRuns: 300 },
    );
  });
});

const SKELETON = ['h1 Session walk', 'h2 Turn 1', 'h3 User', 'open', 'close', 'h3 Assistant', 'h2 Turn 2', 'h3 User'];

/** The headings and folds of the document as a reader of Markdown sees them, without what belongs to messages. */
function skeleton(markdown: string): string[] {
  const marks: string[] = [];
  for (const token of new Marked({ gfm: true }).lexer(markdown)) {
    if (token.type === 'heading' && token.depth <= 3) marks.push(`h${token.depth} ${(token as Tokens.Heading).text}`);
    marks.push(...htmlMarks(token));
  }
  return marks;
}

function htmlMarks(token: Token): string[] {
  if (token.type !== 'html') {
    const children = (token as { tokens?: Token[]; items?: Token[] }).tokens ?? (token as Tokens.List).items ?? [];
    return children.flatMap((child) => htmlMarks(child).map((mark) => `nested ${mark}`));
  }
  if (token.raw.startsWith('<details>\n<summary>')) return ['open'];
  if (token.raw.startsWith('</details>')) return ['close'];
  return [`html ${token.raw}`];
}
