import type { Program } from './program.ts';

export const gemini: Program = {
  agent: 'gemini',
  model: 'gemini-2.5-flash',
  files: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
    }),
  }),
  env: (url) => ({
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_TELEMETRY_ENABLED: 'false',
    // It would start a second process of itself, with more memory.
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
  idMember: 'session_id',
  idCharacters: 8,
  losesSessions: true,
  call: (command) => ({ name: 'run_shell_command', args: { command, description: 'Reads the notes' } }),
  oracle: {
    asks: () => ['--list-sessions'],
    // 1. Title (Just now) [id]
    says: ({ output }) => {
      const [, title, id] = /^ *1\. (.*) \([^()]*\) \[([0-9a-f-]+)\]$/m.exec(output) ?? [];
      return { id, title };
    },
  },
  turn: (prompt, id) => [
    ...['-m', 'gemini-2.5-flash', '-y', '-o', 'stream-json', '-p', prompt],
    ...(id === undefined ? [] : ['--resume', id]),
  ],
};
