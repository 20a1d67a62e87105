// Two short sessions of other programs in a home, as the README shows them: one of Claude Code, one of Codex.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const CLAUDE = '5f3c0a52-6d0e-4a2e-8b63-0a9d7a2a0001';
const CODEX = '01a205f2-5f59-7ee2-bcf7-73d0a53775da';
const CWD = '/home/me/garden';
const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 8, 0, seconds)).toISOString();

export function writeSessionsOfOthers(home: string): void {
  const envelope = { isSidechain: false, sessionId: CLAUDE, cwd: CWD, version: '2.1.330', gitBranch: 'main' };
  const answer = 'Both take the table lock first, then the row lock, but in a different order.';
  write(join(home, '.claude', 'projects', '-home-me-garden', `${CLAUDE}.jsonl`), [
    {
      ...envelope,
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      timestamp: at(0),
      message: { role: 'user', content: 'Why do two writers deadlock?' },
    },
    {
      ...envelope,
      type: 'assistant',
      uuid: 'a1',
      parentUuid: 'u1',
      timestamp: at(9),
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [{ type: 'text', text: answer }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 120, output_tokens: 20 },
      },
    },
  ]);
  const message = (role: string, type: string, text: string) => ({ type: 'message', role, content: [{ type, text }] });
  write(join(home, '.codex', 'sessions', '2026', '11', '21', `rollout-2026-11-21T10-00-00-${CODEX}.jsonl`), [
    {
      timestamp: at(20),
      type: 'session_meta',
      payload: { id: CODEX, timestamp: at(20), cwd: CWD, cli_version: '0.169.0' },
    },
    { timestamp: at(21), type: 'turn_context', payload: { cwd: CWD, model: 'gpt-5.5' } },
    {
      timestamp: at(22),
      type: 'response_item',
      payload: message('user', 'input_text', 'Write a test for the deadlock of two writers.'),
    },
    { timestamp: at(30), type: 'response_item', payload: message('assistant', 'output_text', 'Here it is.') },
  ]);
}

function write(path: string, records: readonly object[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
}
