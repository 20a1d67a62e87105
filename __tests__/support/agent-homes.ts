// Homes of other agents, as the programs themselves would have left them: small sessions that were made up.
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

export const CLAUDE_ID = '5f3c0000-1111-4222-8333-444455556666';
export const CLAUDE_OTHER_ID = '5f9d0000-1111-4222-8333-444455556666';
export const CODEX_ID = '019b7e26-5500-7000-8000-000000000001';
/** Directory that the sessions worked in. */
export const PROJECT = '/home/ada/boat';
export const CLAUDE_FILE = `.claude/projects/-home-ada-boat/${CLAUDE_ID}.jsonl`;

const base = {
  isSidechain: false,
  userType: 'external',
  cwd: PROJECT,
  sessionId: CLAUDE_ID,
  version: '2.1.0',
  gitBranch: 'main',
};
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** The hostile parts of a session: a control sequence, Markdown that would break out, HTML, and a token. */
export const TOKEN = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

export function claudePrompt(uuid: string, text: string, timestamp: string): object {
  return { ...base, type: 'user', uuid, parentUuid: null, timestamp, message: { role: 'user', content: text } };
}

const CLAUDE = [
  {
    ...claudePrompt('9a01', '', '2026-01-02T10:00:00.000Z'),
    message: {
      role: 'user',
      content: [
        { type: 'text', text: 'Where is the \u001b[2J<script>alert(1)</script> mast?' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } },
      ],
    },
  },
  {
    ...base,
    type: 'assistant',
    uuid: '9a02',
    parentUuid: '9a01',
    timestamp: '2026-01-02T10:00:02.000Z',
    requestId: 'r1',
    message: {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'claude-test-1',
      content: [
        { type: 'text', text: `On deck; the key is ${TOKEN}.` },
        { type: 'tool_use', id: 'call_1', name: 'Bash', input: { command: 'ls deck' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 10, output_tokens: 5 },
    },
  },
  {
    ...base,
    type: 'user',
    uuid: '9a03',
    parentUuid: '9a02',
    timestamp: '2026-01-02T10:00:03.000Z',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'mast\nsail' }] },
  },
  { type: 'custom-title', customTitle: 'The mast of the boat', sessionId: CLAUDE_ID },
];

const CLAUDE_OTHER = [
  {
    ...claudePrompt('8b01', 'Paint the hull\nblue', '2026-01-03T09:00:00.000Z'),
    sessionId: CLAUDE_OTHER_ID,
    cwd: '/home/ada/paint',
  },
];

const CODEX = [
  {
    timestamp: '2026-01-04T10:00:00.000Z',
    type: 'session_meta',
    payload: { id: CODEX_ID, timestamp: '2026-01-04T09:59:59.500Z', cwd: PROJECT, cli_version: '0.130.0' },
  },
  {
    timestamp: '2026-01-04T10:00:04.000Z',
    type: 'turn_context',
    payload: { turn_id: 't1', cwd: PROJECT, model: 'gpt-5.4' },
  },
  {
    timestamp: '2026-01-04T10:00:05.000Z',
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'How long is the mast?' }] },
  },
  {
    timestamp: '2026-01-04T10:00:06.000Z',
    type: 'response_item',
    payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Nine metres.' }] },
  },
];

/** For `createTree` or to be written into a home: three sessions of two agents. */
export function agentFiles(): Record<string, string> {
  return {
    [CLAUDE_FILE]: lines(CLAUDE),
    [`.claude/projects/-home-ada-paint/${CLAUDE_OTHER_ID}.jsonl`]: lines(CLAUDE_OTHER),
    [`.codex/sessions/2026/01/04/rollout-2026-01-04T10-00-00-${CODEX_ID}.jsonl`]: lines(CODEX),
  };
}

export function lines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Everything below these directories: names, kinds, sizes, times of change, and the content of the files. */
export function listingOf(root: string, directories: readonly string[] = ['.claude', '.codex']): string[] {
  return directories.flatMap((directory) =>
    readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => {
        const path = join(root, directory, name);
        const stat = lstatSync(path);
        const content = stat.isFile() ? readFileSync(path) : stat.isSymbolicLink() ? readlinkSync(path) : '';
        const digest = createHash('sha256').update(content).digest('hex');
        return [path, stat.mode, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs, digest].join(' ');
      }),
  );
}
