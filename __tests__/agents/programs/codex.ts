import type { Program } from './program.ts';

export const codex: Program = {
  agent: 'codex',
  model: 'gpt-5.5',
  files: (url) => ({
    '.codex/config.toml': [
      'model = "gpt-5.5"',
      'model_provider = "local"',
      'check_for_update_on_startup = false',
      '[model_providers.local]',
      'name = "local"',
      `base_url = "${url}/v1"`,
      'env_key = "LOCAL_KEY"',
      'wire_api = "responses"',
      '[analytics]',
      'enabled = false',
    ].join('\n'),
  }),
  env: () => ({ LOCAL_KEY: 'none' }),
  idMember: 'thread_id',
  call: (command) => ({ name: 'exec_command', args: { cmd: command } }),
  turn: (prompt, id) => [
    ...['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
    ...(id === undefined ? [prompt] : ['resume', id, prompt]),
  ],
};
