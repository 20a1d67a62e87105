import type { Program } from './program.ts';

export const qwen: Program = {
  agent: 'qwen',
  model: 'local-1',
  files: () => ({
    '.qwen/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
    }),
  }),
  env: (url) => ({
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: 'local-1',
    // It would start a second process of itself, with more memory.
    QWEN_CODE_NO_RELAUNCH: 'true',
  }),
  idMember: 'session_id',
  call: (command) => ({ name: 'run_shell_command', args: { command, is_background: false } }),
  turn: (prompt, id) => [
    ...['-y', '-o', 'stream-json'],
    ...(id === undefined ? [] : ['--resume', id]),
    ...['-p', prompt],
  ],
};
