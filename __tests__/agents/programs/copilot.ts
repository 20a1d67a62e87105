import type { Program } from './program.ts';

export const copilot: Program = {
  agent: 'copilot',
  model: 'local-1',
  files: () => ({}),
  env: (url) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: 'none',
    COPILOT_MODEL: 'local-1',
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  idMember: 'sessionId',
  call: (command) => ({ name: 'bash', args: { command, description: 'Reads the notes', mode: 'sync' } }),
  turn: (prompt, id) => [
    ...['--allow-all', '--no-auto-update', '--output-format', 'json'],
    ...(id === undefined ? [] : [`--resume=${id}`]),
    ...['-p', prompt],
  ],
};
