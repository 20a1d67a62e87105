// Generated from schemas/ by "npm run generate". Change the schema, not this file.
/**
 * Settings of ollm. Every key is optional in a file.
 */
export interface Config {
  /**
   * Provider for new sessions. Without one: an Ollama that answers, else offline.
   */
  provider?: string;
  /**
   * Model for new sessions. Without one: the first that the provider has.
   */
  model?: string;
  /**
   * File with the system prompt for new sessions.
   */
  promptFile?: string;
  /**
   * Tokens that one answer may have at most. Without it: what the provider sets.
   */
  maxOutputTokens?: number;
  /**
   * Projects whose own configuration counts like yours.
   */
  trustedDirectories?: string[];
  /**
   * How each provider is reached.
   */
  providers?: {
    /**
     * An Ollama server.
     */
    ollama?: {
      /**
       * Where it listens. The variable OLLAMA_HOST sets it too.
       */
      host?: string;
      /**
       * Tokens of context to ask the server for. Without it: what the model is set up with (`num_ctx`), else 16384 or the most that it can.
       */
      contextLength?: number;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds?: number;
    };
    /**
     * OpenAI, or a server that speaks its protocol, at `baseUrl`.
     */
    openai?: {
      /**
       * Where its API is, if not where the vendor has it. https, or this machine.
       */
      baseUrl?: string;
      /**
       * Name of the variable that holds the key. The key itself never stands in a configuration.
       */
      apiKeyEnv?: string;
      /**
       * File that holds the key and nothing else, for whoever keeps it there. The variable wins.
       */
      apiKeyFile?: string;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds?: number;
    };
    /**
     * Anthropic.
     */
    anthropic?: {
      /**
       * Where its API is, if not where the vendor has it. https, or this machine.
       */
      baseUrl?: string;
      /**
       * Name of the variable that holds the key. The key itself never stands in a configuration.
       */
      apiKeyEnv?: string;
      /**
       * File that holds the key and nothing else, for whoever keeps it there. The variable wins.
       */
      apiKeyFile?: string;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds?: number;
      /**
       * Tokens that a model may think before it answers. Without it: no extended thinking.
       */
      thinkingTokens?: number;
    };
    /**
     * Google Gemini.
     */
    gemini?: {
      /**
       * Where its API is, if not where the vendor has it. https, or this machine.
       */
      baseUrl?: string;
      /**
       * Name of the variable that holds the key. The key itself never stands in a configuration.
       */
      apiKeyEnv?: string;
      /**
       * File that holds the key and nothing else, for whoever keeps it there. The variable wins.
       */
      apiKeyFile?: string;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds?: number;
    };
    /**
     * Amazon Bedrock. Without an API key the usual AWS variables are used: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
     */
    bedrock?: {
      /**
       * Where its API is, if not where the vendor has it. https, or this machine.
       */
      baseUrl?: string;
      /**
       * Name of the variable that holds the key. The key itself never stands in a configuration.
       */
      apiKeyEnv?: string;
      /**
       * File that holds the key and nothing else, for whoever keeps it there. The variable wins.
       */
      apiKeyFile?: string;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds?: number;
      /**
       * The region. Without it: AWS_REGION.
       */
      region?: string;
    };
    /**
     * The built-in provider, which searches the project and the session and is no language model.
     */
    offline?: {
      /**
       * How many passages an answer quotes at most.
       */
      maxPassages?: number;
    };
    /**
     * Further servers that speak OpenAI's protocol, each a provider under the name that it has here: llama.cpp, vLLM, LM Studio, OpenRouter.
     */
    compatible?: {
      [k: string]: {
        /**
         * Where its API is: `http://127.0.0.1:8080/v1`.
         */
        baseUrl: string;
        /**
         * Name of the variable that holds the key, if it wants one.
         */
        apiKeyEnv?: string;
        /**
         * File that holds the key.
         */
        apiKeyFile?: string;
        /**
         * Model for new sessions with this provider.
         */
        model?: string;
        /**
         * Tokens that its model takes in, which such servers rarely tell.
         */
        contextWindow?: number;
        /**
         * How long it may send nothing. Default: 120.
         */
        timeoutSeconds?: number;
      };
    };
  };
  /**
   * What models cost, in US dollars for a million tokens, by a pattern of the model's name. Wins over the built-in table.
   */
  prices?: {
    [k: string]: {
      input: number;
      output: number;
      cachedInput?: number;
      cacheWrite?: number;
    };
  };
  /**
   * How the services behave.
   */
  services?: {
    /**
     * Where and how sessions are kept.
     */
    session?: {
      /**
       * `global`: in dataDir. `session`: in the project's `.ollm/session-data`, which Git is told to leave out. `ephemeral`: in memory only.
       */
      mode?: 'global' | 'session' | 'ephemeral';
      /**
       * Directory of the journals.
       */
      dataDir?: string;
      /**
       * How many sessions are kept; older ones go to the trash when a new one is made.
       */
      maxSessions?: number;
      /**
       * Sessions without activity for longer go to the trash when a new one is made: a number of hours, days or weeks, such as `90d`.
       */
      maxAge?: string;
      /**
       * Whether the snapshot `<id>.json` is refreshed after turns: when the turn ends while the journal is short, else once the session is idle or has grown by a quarter. The journal is always written, and closing a session writes the snapshot in either case.
       */
      autoSave?: boolean;
      /**
       * When what was written is synced to the disk: at each event, before and after what matters, or never.
       */
      durability?: 'always' | 'barrier' | 'process';
      /**
       * Whether sessions are also written on network file systems (NFS, SMB, 9p), where neither locks nor syncs can be relied on.
       */
      allowNetworkFileSystem?: boolean;
    };
    /**
     * What happens when the context window fills up. Nothing ever leaves the journal.
     */
    compression?: {
      /**
       * Whether older messages are compressed by themselves.
       */
      enabled?: boolean;
      /**
       * Share of the window at which it happens.
       */
      threshold?: number;
      /**
       * `summarize` older messages, `truncate` them away, or `hybrid`: summarize the old, keep the recent.
       */
      strategy?: 'summarize' | 'truncate' | 'hybrid';
      /**
       * Tokens of recent messages that stay as they are.
       */
      preserveRecent?: number;
      /**
       * Provider that writes the summaries, where it is not that of the session.
       */
      summaryProvider?: string;
      /**
       * Model that writes the summaries, where it is not that of the session.
       */
      summaryModel?: string;
    };
    /**
     * How the window of the model is shared out. What is not set follows from the model.
     */
    budget?: {
      /**
       * Tokens that a request and its answer may take, where that shall be less than the window of the model.
       */
      maxTotal?: number;
      /**
       * Tokens that are kept free for the answer. Without it: a quarter of the window, at most 4096.
       */
      reserveForOutput?: number;
      /**
       * Tokens of recent messages that a request holds at most.
       */
      historyWindow?: number;
      /**
       * Tokens that a summary of older messages may take.
       */
      summaryBudget?: number;
      /**
       * Tokens that retrieved text may take in a request.
       */
      retrievalBudget?: number;
    };
    /**
     * When a model that repeats itself is stopped.
     */
    loopDetection?: {
      /**
       * Whether it is looked for.
       */
      enabled?: boolean;
      /**
       * After how many requests without a message of yours it asks whether to go on. Where nothing can be asked, the turn stops if you set this, and goes on otherwise.
       */
      maxTurns?: number;
      /**
       * How often the same call or output in a row counts as a loop.
       */
      repeatThreshold?: number;
    };
    /**
     * Which files of a project are found.
     */
    fileDiscovery?: {
      /**
       * How many directories deep.
       */
      maxDepth?: number;
      /**
       * Whether symbolic links are followed to where they lead inside the root.
       */
      followSymlinks?: boolean;
      /**
       * Names of directories that are left out without an ignore file.
       */
      builtinIgnores?: string[];
    };
    /**
     * Which environment variables a tool may see.
     */
    environment?: {
      /**
       * Names, or patterns of names, that are let through in addition to the built-in ones. They win over denyPatterns.
       */
      allowList?: string[];
      /**
       * Patterns of names that are kept back in addition to the built-in ones.
       */
      denyPatterns?: string[];
    };
    /**
     * Keeping secrets out of what is stored.
     */
    redaction?: {
      /**
       * Whether keys, tokens and passwords are taken out of what is stored, logged, shown in errors and exported. What was stored once cannot be taken out.
       */
      enabled?: boolean;
    };
  };
  /**
   * What a model may do on this machine. A rule is the name of a tool, alone or with a pattern in brackets: `file_write(src/**)` by path, `bash(npm test)` by parsed command, in which `*` stands for any further words.
   */
  tools?: {
    /**
     * Whether models are offered tools at all.
     */
    enabled?: boolean;
    /**
     * Names of tools that are not offered.
     */
    disabled?: string[];
    /**
     * What runs without being asked.
     */
    allow?: string[];
    /**
     * What is asked about, also where `allow` or a default would let it run.
     */
    ask?: string[];
    /**
     * What never runs. Wins over everything.
     */
    deny?: string[];
    /**
     * Whether programs that tools start are confined by the operating system. `required`: nothing runs without. `preferred`: without, nothing runs unasked. `off`: not confined, and each is asked about.
     */
    sandbox?: 'required' | 'preferred' | 'off';
    /**
     * Whether confined programs may use the network.
     */
    network?: boolean;
    /**
     * Directories outside the project that tools may write, after being asked.
     */
    writable?: string[];
    /**
     * Directories outside the project that tools may read. A file that is named here by itself may be read also where its name is that of a file with keys, such as `.env.test`.
     */
    readable?: string[];
    /**
     * Files and directories that no tool gets to see, besides the built-in ones such as `~/.ssh`.
     */
    hidden?: string[];
    /**
     * How long one call may take before it is ended with all that it started.
     */
    timeoutSeconds?: number;
    /**
     * Bytes that a program may print before it is ended.
     */
    maxOutputBytes?: number;
    /**
     * Tokens of an output that the model is given. Of a longer one head and tail are; the whole is kept with the session.
     */
    maxOutputTokens?: number;
  };
  /**
   * Servers of the Model Context Protocol, whose tools are offered to models.
   */
  mcp?: {
    /**
     * Each server under the name that its tools carry: `{command: [program, argument], env: [NAMES], cwd}` for a program, `{url, tokenEnv}` for an address; `tools: [names]` takes only those. See docs/mcp.md.
     */
    servers?: {
      [k: string]: {
        /**
         * Program and arguments.
         *
         * @minItems 1
         */
        command?: [string, ...string[]];
        cwd?: string;
        /**
         * Names of variables that it gets besides the harmless ones.
         */
        env?: string[];
        url?: string;
        /**
         * Name of the variable that holds its bearer token.
         */
        tokenEnv?: string;
        /**
         * Only these tools of it.
         */
        tools?: string[];
        disabled?: boolean;
      };
    };
    /**
     * How long a server may take to start, or to answer a call.
     */
    timeoutSeconds?: number;
  };
  /**
   * Programs of yours that are called with JSON on standard input and may answer with context or a veto. Each is a line of a program and its arguments; no shell reads it. See docs/hooks.md.
   */
  hooks?: {
    /**
     * When a session is opened.
     */
    sessionStart?: string[];
    /**
     * Before a message goes to the model.
     */
    beforeTurn?: string[];
    /**
     * Before a tool runs. May veto it.
     */
    beforeTool?: string[];
    /**
     * After a tool ran.
     */
    afterTool?: string[];
    /**
     * How long one may take.
     */
    timeoutSeconds?: number;
  };
  /**
   * How long things are kept, and how.
   */
  retention?: {
    /**
     * Days after which the trash is emptied of a session.
     */
    trashDays?: number;
    /**
     * Messages and calls that a session may have. The next turn begins a new session, with the newest half of them and a summary of the others. Nothing is taken away from the old one.
     */
    maxItems?: number;
    /**
     * Whether what tools print is kept. If not, the journal keeps status and size, and the model has it only while the turn runs. An answer that quotes an output is stored with the quotation.
     */
    storeToolOutputs?: boolean;
    /**
     * Whether new sessions are encrypted.
     */
    encryptAtRest?: boolean;
    /**
     * File whose content unlocks encrypted sessions, in place of a passphrase.
     */
    keyFile?: string;
  };
  /**
   * How the REPL looks.
   */
  repl?: {
    /**
     * How many typed lines are remembered across runs.
     */
    historySize?: number;
    /**
     * Whether answers are rendered as Markdown on a terminal.
     */
    markdown?: boolean;
    /**
     * Whether a line shows model and tokens on a terminal.
     */
    statusLine?: boolean;
    /**
     * A turn that takes longer ends with the bell of the terminal. 0: never.
     */
    bellAfterSeconds?: number;
  };
  /**
   * What is written down about runs, for whoever looks later.
   */
  log?: {
    /**
     * The least serious that is written.
     */
    level?: 'error' | 'warn' | 'info' | 'debug';
    /**
     * File of JSON lines. At 5 MiB it becomes `<file>.old`, and a new one begins.
     */
    file?: string;
  };
}
/**
 * All settings, once every layer is in: what has a default is there.
 */
export interface ResolvedConfig {
  /**
   * Provider for new sessions. Without one: an Ollama that answers, else offline.
   */
  provider?: string;
  /**
   * Model for new sessions. Without one: the first that the provider has.
   */
  model?: string;
  /**
   * File with the system prompt for new sessions.
   */
  promptFile?: string;
  /**
   * Tokens that one answer may have at most. Without it: what the provider sets.
   */
  maxOutputTokens?: number;
  /**
   * Projects whose own configuration counts like yours.
   */
  trustedDirectories: string[];
  /**
   * How each provider is reached.
   */
  providers: {
    /**
     * An Ollama server.
     */
    ollama: {
      /**
       * Where it listens. The variable OLLAMA_HOST sets it too.
       */
      host: string;
      /**
       * Tokens of context to ask the server for. Without it: what the model is set up with (`num_ctx`), else 16384 or the most that it can.
       */
      contextLength?: number;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds: number;
    };
    /**
     * OpenAI, or a server that speaks its protocol, at `baseUrl`.
     */
    openai: {
      /**
       * Where its API is, if not where the vendor has it. https, or this machine.
       */
      baseUrl?: string;
      /**
       * Name of the variable that holds the key. The key itself never stands in a configuration.
       */
      apiKeyEnv: string;
      /**
       * File that holds the key and nothing else, for whoever keeps it there. The variable wins.
       */
      apiKeyFile?: string;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds: number;
    };
    /**
     * Anthropic.
     */
    anthropic: {
      /**
       * Where its API is, if not where the vendor has it. https, or this machine.
       */
      baseUrl?: string;
      /**
       * Name of the variable that holds the key. The key itself never stands in a configuration.
       */
      apiKeyEnv: string;
      /**
       * File that holds the key and nothing else, for whoever keeps it there. The variable wins.
       */
      apiKeyFile?: string;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds: number;
      /**
       * Tokens that a model may think before it answers. Without it: no extended thinking.
       */
      thinkingTokens?: number;
    };
    /**
     * Google Gemini.
     */
    gemini: {
      /**
       * Where its API is, if not where the vendor has it. https, or this machine.
       */
      baseUrl?: string;
      /**
       * Name of the variable that holds the key. The key itself never stands in a configuration.
       */
      apiKeyEnv: string;
      /**
       * File that holds the key and nothing else, for whoever keeps it there. The variable wins.
       */
      apiKeyFile?: string;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds: number;
    };
    /**
     * Amazon Bedrock. Without an API key the usual AWS variables are used: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
     */
    bedrock: {
      /**
       * Where its API is, if not where the vendor has it. https, or this machine.
       */
      baseUrl?: string;
      /**
       * Name of the variable that holds the key. The key itself never stands in a configuration.
       */
      apiKeyEnv: string;
      /**
       * File that holds the key and nothing else, for whoever keeps it there. The variable wins.
       */
      apiKeyFile?: string;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds: number;
      /**
       * The region. Without it: AWS_REGION.
       */
      region?: string;
    };
    /**
     * The built-in provider, which searches the project and the session and is no language model.
     */
    offline: {
      /**
       * How many passages an answer quotes at most.
       */
      maxPassages: number;
    };
    /**
     * Further servers that speak OpenAI's protocol, each a provider under the name that it has here: llama.cpp, vLLM, LM Studio, OpenRouter.
     */
    compatible?: {
      [k: string]: {
        /**
         * Where its API is: `http://127.0.0.1:8080/v1`.
         */
        baseUrl: string;
        /**
         * Name of the variable that holds the key, if it wants one.
         */
        apiKeyEnv?: string;
        /**
         * File that holds the key.
         */
        apiKeyFile?: string;
        /**
         * Model for new sessions with this provider.
         */
        model?: string;
        /**
         * Tokens that its model takes in, which such servers rarely tell.
         */
        contextWindow?: number;
        /**
         * How long it may send nothing. Default: 120.
         */
        timeoutSeconds?: number;
      };
    };
  };
  /**
   * What models cost, in US dollars for a million tokens, by a pattern of the model's name. Wins over the built-in table.
   */
  prices?: {
    [k: string]: {
      input: number;
      output: number;
      cachedInput?: number;
      cacheWrite?: number;
    };
  };
  /**
   * How the services behave.
   */
  services: {
    /**
     * Where and how sessions are kept.
     */
    session: {
      /**
       * `global`: in dataDir. `session`: in the project's `.ollm/session-data`, which Git is told to leave out. `ephemeral`: in memory only.
       */
      mode: 'global' | 'session' | 'ephemeral';
      /**
       * Directory of the journals.
       */
      dataDir: string;
      /**
       * How many sessions are kept; older ones go to the trash when a new one is made.
       */
      maxSessions: number;
      /**
       * Sessions without activity for longer go to the trash when a new one is made: a number of hours, days or weeks, such as `90d`.
       */
      maxAge?: string;
      /**
       * Whether the snapshot `<id>.json` is refreshed after turns: when the turn ends while the journal is short, else once the session is idle or has grown by a quarter. The journal is always written, and closing a session writes the snapshot in either case.
       */
      autoSave: boolean;
      /**
       * When what was written is synced to the disk: at each event, before and after what matters, or never.
       */
      durability: 'always' | 'barrier' | 'process';
      /**
       * Whether sessions are also written on network file systems (NFS, SMB, 9p), where neither locks nor syncs can be relied on.
       */
      allowNetworkFileSystem: boolean;
    };
    /**
     * What happens when the context window fills up. Nothing ever leaves the journal.
     */
    compression: {
      /**
       * Whether older messages are compressed by themselves.
       */
      enabled: boolean;
      /**
       * Share of the window at which it happens.
       */
      threshold: number;
      /**
       * `summarize` older messages, `truncate` them away, or `hybrid`: summarize the old, keep the recent.
       */
      strategy: 'summarize' | 'truncate' | 'hybrid';
      /**
       * Tokens of recent messages that stay as they are.
       */
      preserveRecent: number;
      /**
       * Provider that writes the summaries, where it is not that of the session.
       */
      summaryProvider?: string;
      /**
       * Model that writes the summaries, where it is not that of the session.
       */
      summaryModel?: string;
    };
    /**
     * How the window of the model is shared out. What is not set follows from the model.
     */
    budget: {
      /**
       * Tokens that a request and its answer may take, where that shall be less than the window of the model.
       */
      maxTotal?: number;
      /**
       * Tokens that are kept free for the answer. Without it: a quarter of the window, at most 4096.
       */
      reserveForOutput?: number;
      /**
       * Tokens of recent messages that a request holds at most.
       */
      historyWindow?: number;
      /**
       * Tokens that a summary of older messages may take.
       */
      summaryBudget?: number;
      /**
       * Tokens that retrieved text may take in a request.
       */
      retrievalBudget?: number;
    };
    /**
     * When a model that repeats itself is stopped.
     */
    loopDetection: {
      /**
       * Whether it is looked for.
       */
      enabled: boolean;
      /**
       * After how many requests without a message of yours it asks whether to go on. Where nothing can be asked, the turn stops if you set this, and goes on otherwise.
       */
      maxTurns: number;
      /**
       * How often the same call or output in a row counts as a loop.
       */
      repeatThreshold: number;
    };
    /**
     * Which files of a project are found.
     */
    fileDiscovery: {
      /**
       * How many directories deep.
       */
      maxDepth: number;
      /**
       * Whether symbolic links are followed to where they lead inside the root.
       */
      followSymlinks: boolean;
      /**
       * Names of directories that are left out without an ignore file.
       */
      builtinIgnores: string[];
    };
    /**
     * Which environment variables a tool may see.
     */
    environment: {
      /**
       * Names, or patterns of names, that are let through in addition to the built-in ones. They win over denyPatterns.
       */
      allowList: string[];
      /**
       * Patterns of names that are kept back in addition to the built-in ones.
       */
      denyPatterns: string[];
    };
    /**
     * Keeping secrets out of what is stored.
     */
    redaction: {
      /**
       * Whether keys, tokens and passwords are taken out of what is stored, logged, shown in errors and exported. What was stored once cannot be taken out.
       */
      enabled: boolean;
    };
  };
  /**
   * What a model may do on this machine. A rule is the name of a tool, alone or with a pattern in brackets: `file_write(src/**)` by path, `bash(npm test)` by parsed command, in which `*` stands for any further words.
   */
  tools: {
    /**
     * Whether models are offered tools at all.
     */
    enabled: boolean;
    /**
     * Names of tools that are not offered.
     */
    disabled: string[];
    /**
     * What runs without being asked.
     */
    allow: string[];
    /**
     * What is asked about, also where `allow` or a default would let it run.
     */
    ask: string[];
    /**
     * What never runs. Wins over everything.
     */
    deny: string[];
    /**
     * Whether programs that tools start are confined by the operating system. `required`: nothing runs without. `preferred`: without, nothing runs unasked. `off`: not confined, and each is asked about.
     */
    sandbox: 'required' | 'preferred' | 'off';
    /**
     * Whether confined programs may use the network.
     */
    network: boolean;
    /**
     * Directories outside the project that tools may write, after being asked.
     */
    writable: string[];
    /**
     * Directories outside the project that tools may read. A file that is named here by itself may be read also where its name is that of a file with keys, such as `.env.test`.
     */
    readable: string[];
    /**
     * Files and directories that no tool gets to see, besides the built-in ones such as `~/.ssh`.
     */
    hidden: string[];
    /**
     * How long one call may take before it is ended with all that it started.
     */
    timeoutSeconds: number;
    /**
     * Bytes that a program may print before it is ended.
     */
    maxOutputBytes: number;
    /**
     * Tokens of an output that the model is given. Of a longer one head and tail are; the whole is kept with the session.
     */
    maxOutputTokens: number;
  };
  /**
   * Servers of the Model Context Protocol, whose tools are offered to models.
   */
  mcp: {
    /**
     * Each server under the name that its tools carry: `{command: [program, argument], env: [NAMES], cwd}` for a program, `{url, tokenEnv}` for an address; `tools: [names]` takes only those. See docs/mcp.md.
     */
    servers?: {
      [k: string]: {
        /**
         * Program and arguments.
         *
         * @minItems 1
         */
        command?: [string, ...string[]];
        cwd?: string;
        /**
         * Names of variables that it gets besides the harmless ones.
         */
        env?: string[];
        url?: string;
        /**
         * Name of the variable that holds its bearer token.
         */
        tokenEnv?: string;
        /**
         * Only these tools of it.
         */
        tools?: string[];
        disabled?: boolean;
      };
    };
    /**
     * How long a server may take to start, or to answer a call.
     */
    timeoutSeconds: number;
  };
  /**
   * Programs of yours that are called with JSON on standard input and may answer with context or a veto. Each is a line of a program and its arguments; no shell reads it. See docs/hooks.md.
   */
  hooks: {
    /**
     * When a session is opened.
     */
    sessionStart: string[];
    /**
     * Before a message goes to the model.
     */
    beforeTurn: string[];
    /**
     * Before a tool runs. May veto it.
     */
    beforeTool: string[];
    /**
     * After a tool ran.
     */
    afterTool: string[];
    /**
     * How long one may take.
     */
    timeoutSeconds: number;
  };
  /**
   * How long things are kept, and how.
   */
  retention: {
    /**
     * Days after which the trash is emptied of a session.
     */
    trashDays: number;
    /**
     * Messages and calls that a session may have. The next turn begins a new session, with the newest half of them and a summary of the others. Nothing is taken away from the old one.
     */
    maxItems?: number;
    /**
     * Whether what tools print is kept. If not, the journal keeps status and size, and the model has it only while the turn runs. An answer that quotes an output is stored with the quotation.
     */
    storeToolOutputs: boolean;
    /**
     * Whether new sessions are encrypted.
     */
    encryptAtRest: boolean;
    /**
     * File whose content unlocks encrypted sessions, in place of a passphrase.
     */
    keyFile?: string;
  };
  /**
   * How the REPL looks.
   */
  repl: {
    /**
     * How many typed lines are remembered across runs.
     */
    historySize: number;
    /**
     * Whether answers are rendered as Markdown on a terminal.
     */
    markdown: boolean;
    /**
     * Whether a line shows model and tokens on a terminal.
     */
    statusLine: boolean;
    /**
     * A turn that takes longer ends with the bell of the terminal. 0: never.
     */
    bellAfterSeconds: number;
  };
  /**
   * What is written down about runs, for whoever looks later.
   */
  log: {
    /**
     * The least serious that is written.
     */
    level: 'error' | 'warn' | 'info' | 'debug';
    /**
     * File of JSON lines. At 5 MiB it becomes `<file>.old`, and a new one begins.
     */
    file: string;
  };
}
