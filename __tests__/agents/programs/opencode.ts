import type { Program } from './program.ts';

export const opencode: Program = {
  agent: 'opencode',
  model: 'local-1',
  files: (url) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      model: 'local/local-1',
      small_model: 'local/local-1',
      permission: { '*': 'allow' },
      provider: {
        local: {
          npm: '@ai-sdk/openai-compatible',
          name: 'local',
          options: { baseURL: `${url}/v1`, apiKey: 'none' },
          models: { 'local-1': { name: 'local-1' } },
        },
      },
    }),
  }),
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  idMember: 'sessionID',
  call: (command) => ({ name: 'bash', args: { command, description: 'Reads the notes' } }),
  kept: (prompt) => `"${prompt}"`,
  oracle: {
    asks: (id) => ['export', id],
    says({ output }) {
      const { info, messages } = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as Exported;
      const texts = messages.flatMap(({ info: { role }, parts }) =>
        parts.flatMap(({ type, text = '' }) => (type === 'text' && text !== '' ? [`${role}: ${text}`] : [])),
      );
      return { id: info.id, title: info.title, texts };
    },
  },
  turn: (prompt, id) => ['run', '--format', 'json', ...(id === undefined ? [] : ['--session', id]), prompt],
};

interface Exported {
  readonly info: { readonly id: string; readonly title: string };
  readonly messages: readonly {
    readonly info: { readonly role: string };
    readonly parts: readonly { readonly type: string; readonly text?: string }[];
  }[];
}
