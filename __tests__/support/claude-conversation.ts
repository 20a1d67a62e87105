// A conversation of Claude Code with everything in it that is not a plain text.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLAUDE_ID, claudePrompt, lines, TOKEN } from './agent-homes.ts';
import { PNG } from './conversations-in-forms.ts';

/** Writes it into the folder of a project. `cwd`: where it says that it took place. */
export function claudeConversation(folder: string, cwd: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${CLAUDE_ID}.jsonl`), lines(claudeRecords().map((record) => ({ ...record, cwd }))));
}

/** Questions, parallel calls, a failure, a denial, a call without a result, a picture, reasoning and a secret. */
export function claudeRecords(): readonly object[] {
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
  const records: object[] = [];
  let parentUuid: string | null = null;
  const add = (record: object) => {
    const uuid = `u${records.length}`;
    const timestamp = `2026-01-02T10:00:${String(records.length).padStart(2, '0')}.000Z`;
    records.push({ ...claudePrompt(uuid, '', timestamp), parentUuid, ...record });
    parentUuid = uuid;
  };
  const user = (content: unknown, more: object = {}) => add({ message: { role: 'user', content }, ...more });
  const assistant = (id: string, ...content: object[]) =>
    add({ type: 'assistant', message: { id, type: 'message', role: 'assistant', model: 'm', content, usage: {} } });
  const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
  const result = (id: string, content: unknown, more: object = {}, aside: object = {}) =>
    user([{ type: 'tool_result', tool_use_id: id, content, ...more }], aside);
  user([{ type: 'text', text: 'first question' }, picture]);
  user('<system-reminder>of the program</system-reminder>');
  assistant('m1', { type: 'thinking', thinking: 'hm', signature: 's' });
  assistant('m1', { type: 'text', text: `both at once, with ${TOKEN}` });
  assistant('m1', call('a', 'Read', { file_path: 'a.md', deep: { list: [1, null, 'x'] } }));
  assistant('m1', call('b', 'mcp__other server__run', { command: 'false' }));
  result('b', 'the exit code is 1', { is_error: true });
  result('a', '{"output": "looks like JSON", "metadata": {"exit_code": 0}}');
  assistant('m2', call('c', 'Bash', { command: 'rm x' }));
  result('c', "The user doesn't want to proceed", { is_error: true }, { toolDenialKind: 'user-rejected' });
  assistant('m3', call('d', 'Screenshot', {}));
  result('d', [{ type: 'text', text: 'here' }, picture]);
  assistant('m4', call('e', 'Never', { answered: false }));
  user('second question');
  assistant('m5', { type: 'text', text: 'the last answer' });
  return records;
}
