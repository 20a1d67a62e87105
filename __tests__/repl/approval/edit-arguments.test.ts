import { createArgumentEditor } from '../../../lib/repl/approval/edit-arguments.ts';
import type { LineRead } from '../../../lib/repl/input/line-editor.ts';
import type { ApprovalRequest } from '../../../lib/tools/decision.ts';

const request = (line?: string): ApprovalRequest => ({
  callId: 'c1',
  action: {
    tool: 'bash',
    summary: '',
    isReadOnly: false,
    accesses: [],
    ...(line === undefined ? {} : { command: { kind: 'shell', line, cwd: '/' } }),
  },
  decision: { kind: 'ask', rule: 'r', reason: 'x' },
  sandbox: '',
  args: {},
  actionHash: '0'.repeat(64),
});

function editing(answer: string | LineRead, external?: (text: string) => string) {
  const offered: string[] = [];
  let interrupts = 0;
  const edit = createArgumentEditor({
    editor: {
      async readAside(_prompt, { text = '' }) {
        offered.push(text);
        return typeof answer === 'string' ? { type: 'line', line: answer, text: answer } : answer;
      },
    },
    external: external && {
      async edit(text) {
        offered.push(text);
        return external(text);
      },
    },
    onInterrupt: () => {
      interrupts++;
    },
  });
  return { edit, offered, interrupts: () => interrupts };
}
const { signal } = new AbortController();

describe('editing the arguments of a call', () => {
  it('edits a command as one line, and keeps the other arguments', async () => {
    const { edit, offered } = editing('npm test');
    const args = { command: 'npm tset', timeout: 5 };
    expect(await edit({ request: request('npm tset'), args }, signal)).toEqual({ command: 'npm test', timeout: 5 });
    expect(offered).toEqual(['npm tset']);
  });

  it('edits all other arguments as JSON, with invisible characters as numbers', async () => {
    const { edit, offered } = editing('{"path":"b"}');
    expect(await edit({ request: request(), args: { path: 'a\u202e\u{e0041}' } }, signal)).toEqual({ path: 'b' });
    expect(offered).toEqual(['{"path":"a\\u202e\\udb40\\udc41"}']);
    expect(JSON.parse(offered[0]!)).toEqual({ path: 'a\u202e\u{e0041}' });
  });

  it('never puts a command with hidden characters into the line unescaped', async () => {
    const line = 'ls\x1b[2K\nid';
    const { edit, offered } = editing('{}');
    await edit({ request: request(line), args: { command: line } }, signal);
    expect(offered).toEqual([JSON.stringify({ command: line })]);
  });

  it('changes nothing if the text is unchanged or empty', async () => {
    for (const answer of ['{"a":1}', '', '  ']) {
      expect(await editing(answer).edit({ request: request(), args: { a: 1 } }, signal)).toBeUndefined();
    }
    expect(await editing({ type: 'end' }).edit({ request: request(), args: {} }, signal)).toBeUndefined();
  });

  it('reports a text that is not JSON', async () => {
    await expect(editing('{nope').edit({ request: request(), args: {} }, signal)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('That is not JSON'),
    });
  });

  it('opens an external editor for a text that is too long for a line', async () => {
    const { edit } = editing('unused', (text) => text.replaceAll('x', 'y'));
    const args = { content: 'x'.repeat(400) };
    expect(await edit({ request: request(), args }, signal)).toEqual({ content: 'y'.repeat(400) });
  });

  it('opens an external editor for only the text of a file, and keeps its last line end', async () => {
    for (const name of ['content', 'new_string']) {
      const { edit, offered } = editing('unused', (text) => `${text.replace('model', 'user')}\n`);
      const args = { path: 'src/a.ts', [name]: 'by the\nmodel' };
      expect(await edit({ request: request(), args }, signal)).toEqual({ path: 'src/a.ts', [name]: 'by the\nuser' });
      expect(offered).toEqual(['by the\nmodel']);
    }
  });

  it('shows the text of a file as JSON if it contains invisible characters', async () => {
    const { edit, offered } = editing('{"path":"a"}', (text) => text);
    await edit({ request: request(), args: { path: 'a', content: 'x\u202ey' } }, signal);
    expect(offered).toEqual(['{"path":"a","content":"x\\u202ey"}']);
  });

  it('passes Ctrl+C on', async () => {
    const { edit, interrupts } = editing({ type: 'interrupt', hadText: true });
    await expect(edit({ request: request(), args: {} }, signal)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(interrupts()).toBe(1);
  });
});
