// The agents that ollm can run: the command of each, its arguments, and the mode in which it asks before it does
// something. Figures and names are those of the programs themselves, tried offline.
export interface AgentProfile {
  readonly name: RunAgentName;
  /** The commands by which it may be installed, the best first. */
  readonly commands: readonly AgentCommand[];
  /** Patterns of names: variables that it gets in addition to those of tools, with its keys and its models. */
  readonly variables: readonly string[];
  /** Choices that it does not offer. */
  readonly lacks?: readonly ('models' | 'thinking')[] | undefined;
  /** It loses a session that it goes on with in the minute in which that began. */
  readonly resumesFromNextMinute?: true | undefined;
  /** It deletes a session that was resumed, when it is started the next time. */
  readonly deletesResumed?: true | undefined;
}

export interface AgentCommand {
  /** The protocol: the Agent Client Protocol, or lines of JSON that only this program has. */
  readonly family: 'acp' | 'cli';
  readonly program: string;
  readonly args: readonly string[];
  /** The package of npm that it is installed from; undefined where `installer` installs it. */
  readonly package?: string | undefined;
  /** The command line of its maker that installs it. */
  readonly installer?: string | undefined;
  /** The oldest version that it was tried with: an older one is refused. Undefined: it was never run. */
  readonly oldest?: string | undefined;
  /** The program that an adapter starts, with the variable that says where it is. */
  readonly behind?: StartedBehind | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** In the agent's words: the mode in which it asks. Undefined: it has none, or its only one asks. */
  readonly askMode?: string | undefined;
  /** Further modes that change nothing without a question. */
  readonly calmModes?: readonly string[] | undefined;
  /** It changes files without a question, also in `askMode`. */
  readonly asksNothing?: true | undefined;
  /** A prefix of the ids of calls that the agent's own file does not have. */
  readonly callIdPrefix?: RegExp | undefined;
  /** Options that let it do things without a question, with the value that they must have. */
  readonly mustBe?: Readonly<Record<string, string | boolean>> | undefined;
}

interface StartedBehind {
  readonly program: string;
  readonly variable: string;
  /** The package of npm that it is installed from. */
  readonly package: string;
  /** As that of an adapter. */
  readonly oldest: string;
}

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const CLAUDE_CODE = { program: 'claude', package: '@anthropic-ai/claude-code', oldest: '2.1.197' };
const COPILOT_MODES = 'https://agentclientprotocol.com/protocol/session-modes';

export type RunAgentName = 'claude' | 'codex' | 'copilot' | 'cursor' | 'gemini' | 'kimi' | 'opencode' | 'qwen';

const PROFILES: Readonly<Record<RunAgentName, AgentProfile>> = {
  claude: {
    name: 'claude',
    commands: [
      {
        family: 'acp',
        program: 'claude-agent-acp',
        args: [],
        package: '@agentclientprotocol/claude-agent-acp',
        oldest: '0.101.0',
        behind: { ...CLAUDE_CODE, variable: 'CLAUDE_CODE_EXECUTABLE' },
        askMode: 'default',
        calmModes: ['plan'],
      },
      {
        family: 'cli',
        ...CLAUDE_CODE,
        args: [
          ...['-p', '--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json'],
          ...['--include-partial-messages', '--replay-user-messages', '--permission-prompt-tool', 'stdio'],
        ],
        askMode: 'default',
        calmModes: ['plan'],
      },
    ],
    variables: ['ANTHROPIC_*', 'CLAUDE_*', 'DISABLE_*', 'IS_SANDBOX', ...PROXIES],
  },
  codex: {
    name: 'codex',
    commands: [
      {
        family: 'acp',
        program: 'codex-acp',
        args: [],
        package: '@agentclientprotocol/codex-acp',
        oldest: '2.6.0',
        behind: { program: 'codex', package: '@openai/codex', oldest: '0.169.0', variable: 'CODEX_PATH' },
        askMode: 'read-only',
      },
    ],
    variables: ['OPENAI_*', 'CODEX_*', ...PROXIES],
  },
  copilot: {
    name: 'copilot',
    commands: [
      {
        family: 'acp',
        program: 'copilot',
        args: ['--acp', '--no-auto-update'],
        package: '@github/copilot',
        oldest: '1.0.102',
        askMode: `${COPILOT_MODES}#agent`,
        calmModes: [`${COPILOT_MODES}#plan`],
        mustBe: { allow_all: 'off' },
      },
    ],
    variables: ['COPILOT_*', 'GH_*', 'GITHUB_*', ...PROXIES],
    lacks: ['models', 'thinking'],
  },
  // By its documentation: no test has run it.
  cursor: {
    name: 'cursor',
    commands: [
      {
        family: 'acp',
        program: 'cursor-agent',
        args: ['--trust', 'acp'],
        installer: 'curl https://cursor.com/install -fsS | bash',
        asksNothing: true,
        calmModes: ['ask', 'plan'],
      },
    ],
    variables: ['CURSOR_*', ...PROXIES],
    lacks: ['thinking'],
  },
  gemini: {
    name: 'gemini',
    commands: [
      {
        family: 'acp',
        ...{ program: 'gemini', args: ['--acp'], package: '@google/gemini-cli', oldest: '0.61.0' },
        askMode: 'default',
        calmModes: ['plan'],
      },
    ],
    variables: ['GEMINI_*', 'GOOGLE_*', ...PROXIES],
    lacks: ['thinking'],
    resumesFromNextMinute: true,
    deletesResumed: true,
  },
  kimi: {
    name: 'kimi',
    commands: [
      {
        family: 'acp',
        ...{ program: 'kimi', args: ['acp'], package: '@moonshot-ai/kimi-code', oldest: '2.1.0' },
        askMode: 'default',
        callIdPrefix: /^\d+:/,
        calmModes: ['plan'],
      },
    ],
    variables: ['KIMI_*', 'MOONSHOT_*', ...PROXIES],
    lacks: ['thinking'],
  },
  opencode: {
    name: 'opencode',
    commands: [
      {
        family: 'acp',
        program: 'opencode',
        args: ['acp'],
        package: 'opencode-ai',
        oldest: '1.18.33',
        env: { OPENCODE_PERMISSION: JSON.stringify({ '*': 'ask' }) },
        calmModes: ['build', 'plan'],
      },
    ],
    variables: ['OPENCODE_*', 'ANTHROPIC_*', 'OPENAI_*', 'GEMINI_*', ...PROXIES],
    lacks: ['thinking'],
  },
  qwen: {
    name: 'qwen',
    commands: [
      {
        family: 'acp',
        ...{ program: 'qwen', args: ['--acp'], package: '@qwen-code/qwen-code', oldest: '0.24.4' },
        askMode: 'default',
        calmModes: ['plan'],
      },
    ],
    variables: ['QWEN_*', 'OPENAI_*', 'DASHSCOPE_*', ...PROXIES],
    lacks: ['thinking'],
  },
};

/** The names of the agents that can be run. */
export const RUN_AGENTS = Object.keys(PROFILES) as readonly RunAgentName[];

export function profileOf(agent: string): AgentProfile | undefined {
  return Object.hasOwn(PROFILES, agent) ? PROFILES[agent as RunAgentName] : undefined;
}

/** The abilities of an agent, by the names of the routes of providers. */
export function capabilitiesOf({ lacks = [], commands }: AgentProfile) {
  return {
    supportsRuntimePermissionRequests: commands.some(({ asksNothing }) => asksNothing !== true),
    supportsThinkingModeControl: !lacks.includes('thinking'),
    supportsModelSwitching: !lacks.includes('models'),
    supportsSessionResume: true,
    supportsSessionStop: true,
  };
}
