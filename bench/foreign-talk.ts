// A session of another program, as long as it is wanted.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Turns as Claude Code writes them: a prompt, two calls with results of a few kB, and an answer, a line each. At least
 * `wanted` bytes. `textOf`: replaces the repeated words.
 */
export function writeTalk(path: string, wanted: number, textOf = (text: string) => text): number {
  const file = openSync(path, 'w');
  let bytes = 0;
  let count = 0;
  let parentUuid: string | null = null;
  const line = (record: object): void => {
    count += 1;
    const uuid: string = `${count.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const timestamp = new Date(Date.UTC(2026, 0, 1) + count * 1000).toISOString();
    const context = { userType: 'external', cwd: '/home/me/project', sessionId: 'talk', version: '2.1.330' };
    const whole = { parentUuid, isSidechain: false, ...record, uuid, timestamp, ...context, gitBranch: 'main' };
    bytes += writeSync(file, `${JSON.stringify(whole)}\n`);
    parentUuid = uuid;
  };
  for (let turn = 1; bytes < wanted; turn++) {
    line({ type: 'user', message: { role: 'user', content: textOf(`Look at part ${turn} and say what it does.`) } });
    for (const call of [1, 2]) {
      const id = `toolu_${turn}_${call}`;
      const input = { file_path: `/home/me/project/part-${turn}-${call}.ts` };
      const content = textOf('export const value = 1; // one line of a file\n'.repeat(60));
      line(answer(`msg_${turn}_${call}`, { type: 'tool_use', id, name: 'Read', input }, 'tool_use'));
      line({
        type: 'user',
        message: { role: 'user', content: [{ tool_use_id: id, type: 'tool_result', content }] },
        toolUseResult: { type: 'text', file: { filePath: input.file_path, content, numLines: 60 } },
      });
    }
    line(answer(`msg_${turn}_3`, { type: 'text', text: textOf('It exports a value. '.repeat(20)) }, 'end_turn'));
  }
  closeSync(file);
  return bytes;
}

function answer(id: string, block: object, stop_reason: string): object {
  const usage = { input_tokens: 12, cache_read_input_tokens: 9000, cache_creation_input_tokens: 40, output_tokens: 90 };
  const message = { id, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [block], stop_reason };
  return { type: 'assistant', requestId: `req_${id}`, message: { ...message, usage } };
}

/** Where Claude Code keeps the session with this number. */
export function talkPath(home: string, number: number): string {
  const folder = join(home, '.claude/projects', `project-${number % 200}`);
  mkdirSync(folder, { recursive: true });
  return join(folder, `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000.jsonl`);
}
