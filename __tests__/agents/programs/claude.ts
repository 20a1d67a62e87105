import type { Program } from './program.ts';

export const claude: Program = {
  agent: 'claude',
  model: 'claude-opus-5-5',
  files: () => ({}),
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    // As root in a namespace, it would refuse to run without asking.
    IS_SANDBOX: '1',
  }),
  idMember: 'session_id',
  call: (command) => ({ name: 'Bash', args: { command, description: 'Reads the notes' } }),
  turn: (prompt, id) => [
    ...['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'bypassPermissions'],
    ...(id === undefined ? [] : ['--resume', id]),
    prompt,
  ],
};
