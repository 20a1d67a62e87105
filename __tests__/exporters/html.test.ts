import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { NewOllmEvent } from '../../lib/events/index.ts';
import { exportHtml } from '../../lib/exporters/html.ts';
import { htmlPieces } from '../../lib/exporters/html-markdown.ts';
import { hostileText } from './hostile-text.ts';
import { batched, created, eventItems, headOf, joined, said, toolAnswered, toolAsked, turnStarted } from './items.ts';

async function pageOf(...events: NewOllmEvent[]): Promise<string> {
  const items = eventItems(created, ...events);
  return await joined(exportHtml(batched(items), headOf(items)));
}

const markdownToHtml = (source: string) => [...htmlPieces(source)].join('');

describe('a session as an HTML page', () => {
  it('shows replies as formatted text and tool calls folded', async () => {
    const page = await pageOf(
      turnStarted(1),
      said('user', 'one\ntwo'),
      toolAsked('c1', 'read_file', { path: 'a.md' }),
      toolAnswered('c1', 'x < y'),
      said('assistant', '# Big\n\n- **bold** `a<b`\n\n| a |\n|--:|\n| 1 |\n\n[ok](https://a.example)'),
    );
    expect(page).toContain('<p>one<br>\ntwo</p>');
    expect(page).toContain('<h4>Big</h4>');
    expect(page).toContain('<strong>bold</strong> <code>a&lt;b</code>');
    expect(page).toContain('<td class="right">1</td>');
    expect(page).toContain('<a href="https://a.example" rel="noopener noreferrer nofollow">ok</a>');
    expect(page).toContain('<summary>Tool <code>read_file</code> <code>a.md</code> — ok, 12 ms');
    expect(page).toContain('<pre><code>x &lt; y</code></pre>');
  });

  it('shows a to-do list as a list', async () => {
    const todos = [
      { content: 'Read <it>', status: 'completed' },
      { content: 'Mend it', status: 'in_progress' },
    ];
    const page = await pageOf(toolAsked('c1', 'todo_write', { todos }), toolAnswered('c1', 'kept'));
    expect(page).toContain('<ul class="todos"><li>☑ Read &lt;it&gt;</li><li>▸ Mend it</li></ul>\n</details>');
    expect(page).toContain('<summary>Tool <code>todo_write</code> <code>1 of 2 done</code>');
  });

  it('marks the lines of a diff, wherever a piece ends', async () => {
    const diff = [
      '--- a',
      '+++ b',
      '@@ -1 +1 @@',
      ...Array.from({ length: 5000 }, (_, n) => ` -+`[n % 3] + '<'.repeat(n % 7)),
    ];
    const marked = diff.map((line) => {
      const escaped = line.replaceAll('<', '&lt;');
      return line.startsWith('+') ? `<ins>${escaped}</ins>` : line.startsWith('-') ? `<del>${escaped}</del>` : escaped;
    });
    const page = await pageOf(toolAsked('c1', 'edit', {}), toolAnswered('c1', diff.join('\n')));
    expect(page).toContain(`<pre><code>${marked.join('\n')}</code></pre>`);
  });

  it('keeps struck-out text in its sentence: the look of changed lines is only for diffs', async () => {
    const page = await pageOf(said('assistant', 'one ~~two~~ three'));
    expect(page).toContain('<p>one <del>two</del> three</p>');
    const rules = [...page.matchAll(/([^{}]*)\{[^{}]*display: inline-block[^{}]*\}/g)].map(
      ([, selectors]) => selectors!,
    );
    expect(rules.flatMap((selectors) => selectors.split(',')).filter((each) => /\bdel\b/.test(each))).toEqual([
      expect.stringContaining('pre del'),
    ]);
  });

  it('comes in small pieces, with texts of any length', async () => {
    const long = '<a> 語 b\n'.repeat(200_000);
    const items = eventItems(
      created,
      ...[said('user', long), said('assistant', long), said('system', long)],
      ...[toolAsked('c1', 'write_file', { content: long }), toolAnswered('c1', long)],
      ...[toolAsked('c2', 'edit', {}), toolAnswered('c2', `--- a\n+++ b\n@@ \n${long}`)],
    );
    let longest = 0;
    for await (const group of exportHtml(batched(items), headOf(items))) {
      for (const piece of group) longest = Math.max(longest, piece.length);
    }
    expect(longest).toBeLessThan(60_000);
  });

  it('allows only its own style', async () => {
    const page = await pageOf();
    const style = /<style>([^<]*)<\/style>/.exec(page)![1]!;
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page).toContain(
      `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
    );
    expect(style).toContain('prefers-color-scheme: dark');
    expect(style).toContain('@media print');
    expect(style).not.toMatch(/url\(|@import/);
  });

  it('keeps entities of the source as characters and never as markup', () => {
    expect(markdownToHtml('&lt;b&gt; &amp;amp; &nope &#60;i>')).toBe('<p>&lt;b&gt; &amp;amp; &amp;nope &#60;i&gt;</p>');
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//e.example',
    'x.html',
  ])('does not link to %s', (address) => {
    expect(markdownToHtml(`[text](${address})`)).not.toContain('<a');
    expect(markdownToHtml(`![text](${address})`)).not.toContain('<img');
  });

  it('shows a paste of twenty megabytes unformatted, without a delay', () => {
    const paste = '[('.repeat(10 * 1024 * 1024);
    expect(markdownToHtml(paste)).toBe(`<pre><code>${paste}</code></pre>`);
  });

  it('has no markup from its content, and closes every tag', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, hostileText, async (user, reply, output) => {
        const page = await pageOf(
          { type: 'session.titled', data: { title: output, by: 'user' } },
          turnStarted(1),
          said('user', user),
          toolAsked('c1', output, { [user]: output }),
          toolAnswered('c1', output),
          said('assistant', reply, { model: user }),
          {
            type: 'context.added',
            data: {
              key: reply,
              content: user,
              priority: 1,
              source: 'user',
              tokens: { count: 1, method: 'estimated' },
              trusted: true,
            },
          },
        );
        expect(faults(page)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

const VOID_TAGS = new Set(['meta', 'br', 'hr']);
const TAGS = new Set(
  'html head meta title style body h1 h2 h3 h4 h5 h6 table thead tbody tr th td main article header time span p div details summary pre code blockquote ul ol li strong em del a br hr'.split(
    ' ',
  ),
);
const ATTRIBUTES = new Set(
  'lang charset name content http-equiv id class href rel datetime start data-language'.split(' '),
);

/** What a strict reader of the page objects to: tags or attributes that are not ours, tags that are not closed. */
function faults(page: string): string[] {
  const found: string[] = [];
  const open: string[] = [];
  const body = page.replace(/^<!DOCTYPE html>\n/, '').replace(/<style>[^<]*<\/style>/, '');
  const tag = /<(\/?)([a-z][a-z0-9]*)((?: [a-z-]+="[^"<>]*")*)>/gy;
  for (let at = body.indexOf('<'); at >= 0; at = body.indexOf('<', tag.lastIndex)) {
    tag.lastIndex = at;
    const match = tag.exec(body);
    if (!match) return [...found, `not a tag of ours: ${body.slice(at, at + 40)}`];
    const [, slash, name, attributes] = match as unknown as [string, string, string, string];
    if (!TAGS.has(name)) found.push(`tag ${name}`);
    for (const [, attribute] of attributes.matchAll(/ ([a-z-]+)="/g)) {
      if (!ATTRIBUTES.has(attribute!)) found.push(`attribute ${attribute}`);
    }
    for (const [, address] of attributes.matchAll(/ href="([^"]*)"/g)) {
      if (!/^(https?:\/\/|mailto:)/i.test(address!)) found.push(`link to ${address}`);
    }
    if (slash) {
      if (open.pop() !== name) found.push(`</${name}> closes another tag`);
    } else if (!VOID_TAGS.has(name)) open.push(name);
  }
  if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/.test(body)) found.push('a control character');
  return [...found, ...open.map((name) => `<${name}> is never closed`)];
}
