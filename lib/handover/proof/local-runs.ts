// How the programs that take conversations over are asked one question of a model server on this machine, in place of
// their maker's: the settings, variables and arguments of each. None of them calls home, updates itself or asks for an
// account then.
import type { TargetName } from '../targets.ts';

export interface LocalRun {
  /** The package that its command is installed from. */
  readonly package: string;
  /** The name of the model that it asks for. */
  readonly model: string;
  /** The files with its settings, by paths below the home. */
  files(url: string): Readonly<Record<string, string>>;
  env(url: string): Readonly<Record<string, string>>;
  /** Arguments of a turn; `id` of the session that it continues with. */
  turn(prompt: string, id?: string): readonly string[];
  /** New names that it gives to calls of its own tools in an older session. */
  readonly newNames?: Readonly<Record<string, string>>;
}

/** A place in settings: one that takes no key, only sends it. */
const NO_KEY = 'none';
const QUIET = { privacy: { usageStatisticsEnabled: false }, telemetry: { enabled: false } };
const NO_UPDATE = { general: { enableAutoUpdate: false } };

const claude: LocalRun = {
  package: '@anthropic-ai/claude-code',
  model: 'claude-opus-5-5',
  files: () => ({}),
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: NO_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    // As root in a namespace, it would refuse to run without asking.
    IS_SANDBOX: '1',
  }),
  turn: (prompt, id) => [
    ...['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'bypassPermissions'],
    ...(id === undefined ? [] : ['--resume', id]),
    prompt,
  ],
  newNames: { Task: 'Agent' },
};

const codex: LocalRun = {
  package: '@openai/codex',
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
  env: () => ({ LOCAL_KEY: NO_KEY }),
  turn: (prompt, id) => [
    ...['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'],
    ...(id === undefined ? [prompt] : ['resume', id, prompt]),
  ],
};

const copilot: LocalRun = {
  package: '@github/copilot',
  model: 'local-1',
  files: () => ({}),
  env: (url) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_API_KEY: NO_KEY,
    COPILOT_MODEL: 'local-1',
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
  }),
  turn: (prompt, id) => [
    ...['--allow-all', '--no-auto-update', '--output-format', 'json'],
    ...(id === undefined ? [] : [`--resume=${id}`]),
    ...['-p', prompt],
  ],
};

const gemini: LocalRun = {
  package: '@google/gemini-cli',
  model: 'gemini-2.5-flash',
  files: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      // In its mode “auto” it would first ask which model is to answer.
      model: { name: 'gemini-2.5-flash' },
      ...QUIET,
      ...NO_UPDATE,
    }),
  }),
  env: (url) => ({
    GEMINI_API_KEY: NO_KEY,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_TELEMETRY_ENABLED: 'false',
    // It would start a second process of itself, with more memory.
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
  turn: (prompt, id) => [
    ...['-m', 'gemini-2.5-flash', '-y', '-o', 'stream-json', '-p', prompt],
    ...(id === undefined ? [] : ['--resume', id]),
  ],
};

const opencode: LocalRun = {
  package: 'opencode-ai',
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
          options: { baseURL: `${url}/v1`, apiKey: NO_KEY },
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
  // It asks the model of the last message again, and a session that was handed over names none that there is.
  turn: (prompt, id) => [
    ...['run', '--format', 'json'],
    ...(id === undefined ? [] : ['--session', id, '--model', 'local/local-1']),
    prompt,
  ],
};

const pi: LocalRun = {
  package: '@earendil-works/pi-coding-agent',
  model: 'local-1',
  files: (url) => ({
    '.pi/agent/models.json': JSON.stringify({
      providers: {
        local: {
          baseUrl: `${url}/v1`,
          api: 'openai-completions',
          apiKey: NO_KEY,
          models: [
            {
              ...{ id: 'local-1', name: 'local-1', reasoning: false, input: ['text'] },
              ...{ contextWindow: 100_000, maxTokens: 4096 },
              cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            },
          ],
        },
      },
    }),
  }),
  env: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' }),
  turn: (prompt, id) => [
    ...['--provider', 'local', '--model', 'local-1', '--mode', 'json'],
    ...(id === undefined ? [] : ['--session', id]),
    ...['-p', prompt],
  ],
};

const qwen: LocalRun = {
  package: '@qwen-code/qwen-code',
  model: 'local-1',
  files: () => ({
    '.qwen/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'openai' } },
      ...QUIET,
      ...NO_UPDATE,
    }),
  }),
  env: (url) => ({
    OPENAI_API_KEY: NO_KEY,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: 'local-1',
    // It would start a second process of itself, with more memory.
    QWEN_CODE_NO_RELAUNCH: 'true',
  }),
  turn: (prompt, id) => [
    ...['-y', '-o', 'stream-json'],
    ...(id === undefined ? [] : ['--resume', id]),
    ...['-p', prompt],
  ],
};

export const LOCAL_RUNS = { claude, codex, copilot, gemini, opencode, pi, qwen } as const satisfies Readonly<
  Record<TargetName, LocalRun>
>;
