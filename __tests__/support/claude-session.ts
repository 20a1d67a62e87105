// Sessions of Claude Code, as it keeps them: long ones, and many.
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PROJECT = '/home/me/project';

/**
 * Writes records as a session, a line each: those before `bytes` are reached. Returns the bytes that were written.
 */
export function writeClaude(
  path: string,
  records: Iterable<object>,
  { bytes = Number.POSITIVE_INFINITY, cwd = PROJECT, startedMs = Date.UTC(2026, 0, 1), id = 'talk' } = {},
): number {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'w');
  let [written, count] = [0, 0];
  let parentUuid: string | null = null;
  const context = { userType: 'external', cwd, sessionId: id, version: '2.1.330', gitBranch: 'main' };
  for (const record of records) {
    if (written >= bytes) break;
    const uuid: string = `${id}-${++count}`;
    const timestamp = new Date(startedMs + count * 1000).toISOString();
    const whole = { parentUuid, isSidechain: false, ...record, uuid, timestamp, ...context };
    written += writeSync(file, `${JSON.stringify(whole)}\n`);
    parentUuid = uuid;
  }
  closeSync(file);
  return written;
}

/** Where Claude Code keeps the session with this number. */
export function claudePath(home: string, number: number, folder = `project-${number % 200}`): string {
  return join(home, '.claude/projects', folder, `${numberedId(number)}.jsonl`);
}

export function numberedId(number: number): string {
  return `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

/** Turns without end: a prompt, two calls with results of a few kB, and an answer. `textOf`: replaces their words. */
export function* claudeTalk(textOf = (text: string) => text): Generator<object> {
  for (let turn = 1; ; turn++) {
    yield promptOf(textOf(`Look at part ${turn} and say what it does.`));
    for (const call of [1, 2]) {
      const id = `toolu_${turn}_${call}`;
      const file_path = `${PROJECT}/part-${turn}-${call}.ts`;
      const content = textOf('export const value = 1; // one line of a file\n'.repeat(60));
      yield answerOf(`msg_${turn}_${call}`, { type: 'tool_use', id, name: 'Read', input: { file_path } });
      const toolUseResult = { type: 'text', file: { filePath: file_path, content, numLines: 60 } };
      yield { ...resultOf(id, content), toolUseResult };
    }
    yield answerOf(`msg_${turn}_3`, { type: 'text', text: textOf('It exports a value. '.repeat(20)) });
  }
}

export function promptOf(content: string | readonly object[]): object {
  return { type: 'user', message: { role: 'user', content } };
}

export function resultOf(id: string, content: string): object {
  return promptOf([{ tool_use_id: id, type: 'tool_result', content }]);
}

export function answerOf(id: string, block: { readonly type: string; readonly [member: string]: unknown }): object {
  const stop_reason = block.type === 'tool_use' ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 12, cache_read_input_tokens: 9000, cache_creation_input_tokens: 40, output_tokens: 90 };
  const message = { id, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content: [block], stop_reason };
  return { type: 'assistant', requestId: `req_${id}`, message: { ...message, usage } };
}
