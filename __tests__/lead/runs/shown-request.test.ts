import { existsSync } from 'node:fs';
import { shownRequest } from '../../../lib/lead/runs/shown-request.ts';
import { questionOf } from '../../../lib/runs/acp/agent-updates.ts';
import { RUN_AGENTS } from '../../../lib/runs/profiles.ts';
import { pathOf, recordingOf } from '../../runs/recorded/recording.ts';

const shown = (request: Record<string, unknown>, more: { title?: string; command?: string } = {}) =>
  shownRequest({ title: 'Do it', request, ...more }, '/project');

describe('what an agent asks for', () => {
  it('is shown once: no command, title, kind, file or directory a second time', async () => {
    const command = 'echo run >> made.txt';
    const input = { command, commands: [command], cwd: '/project', description: 'Writes a line', is_background: false };
    const text = { type: 'content', content: { type: 'text', text: 'Writes a line' } };
    const content = [text, { type: 'terminal', terminalId: 't-1' }];
    expect(await shown({ title: command, kind: 'execute', input, content, locations: [] }, { command })).toEqual({
      kind: 'text',
      text: 'description: Writes a line\nis_background: false',
    });
    expect(await shown({ title: command, kind: 'execute', input: { command } }, { command })).toBeUndefined();
  });

  it('is a diff where it changes a file', async () => {
    const change = { type: 'diff', path: '/project/a.ts', oldText: 'one\ntwo\n', newText: 'one\n2\n' };
    const input = { file_path: '/project/a.ts', old_string: 'two', new_string: '2', replace_all: false };
    const locations = [{ path: '/project/a.ts' }];
    const both = await shown({ title: 'Do it', kind: 'edit', input, content: [change], locations });
    expect(both).toMatchObject({ kind: 'diff', text: expect.stringContaining('-two\n+2') });
    const patch = '\ndiff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-two\n+2\n';
    expect(await shown({ kind: 'edit', input: { diff: patch } })).toEqual({ kind: 'diff', text: patch.trimStart() });
  });

  it('has each member of an input that the shown lines of a diff do not have', async () => {
    const far = Array.from({ length: 40 }, (_, line) => `line ${line} of the file`);
    const change = {
      type: 'diff',
      path: '/project/a.ts',
      oldText: [...far, 'two'].join('\n'),
      newText: far.join('\n'),
    };
    const input = { file_path: '/project/a.ts', old_string: 'two', mode: 'w', also_remove: 'line 1 of the file' };
    const { text } = (await shown({ title: 'Do it', kind: 'edit', input, content: [change] }))!;
    expect(text).toMatch(/^mode: w\nalso_remove: line 1 of the file\n/);
  });

  it('leaves no other text out, also if a part of it is in the title', async () => {
    const input = { old_string: 'it', new_string: 'line one\nline two', replace_all: true, more: { depth: 3 } };
    expect(await shown({ title: 'Do it', input })).toEqual({
      kind: 'text',
      text: 'old_string: it\nnew_string:\nline one\nline two\nreplace_all: true\ndepth: 3',
    });
  });

  it.each(RUN_AGENTS.filter((agent) => existsSync(pathOf(agent))))('is no JSON for %s', async (agent) => {
    const asked = recordingOf(agent)
      .flat()
      .flatMap(({ message: { method, params } }) => (method === 'session/request_permission' ? [params] : []))
      .map((params) => questionOf(params as Parameters<typeof questionOf>[0]));
    expect(asked.length).toBeGreaterThan(0);
    for (const question of asked) {
      const preview = await shownRequest(question, '/project');
      expect(preview?.text ?? '').not.toMatch(/[{}]|"|undefined|: null/);
    }
  });
});
