import type { Program } from './program.ts';

export const kimi: Program = {
  agent: 'kimi',
  model: 'local-1',
  files: (url) => ({
    '.kimi-code/config.toml': [
      'default_model = "local/local-1"',
      '[providers.local]',
      'type = "openai"',
      `base_url = "${url}/v1"`,
      'api_key = "none"',
      '[models."local/local-1"]',
      'provider = "local"',
      'model = "local-1"',
      'max_context_size = 100000',
      '',
    ].join('\n'),
  }),
  env: () => ({ KIMI_CODE_NO_AUTO_UPDATE: '1' }),
  idMember: 'session_id',
  call: (command) => ({ name: 'Bash', args: { command } }),
  turn: (prompt, id) => [
    ...['--output-format', 'stream-json'],
    ...(id === undefined ? [] : ['--session', id]),
    ...['--prompt', prompt],
  ],
};
