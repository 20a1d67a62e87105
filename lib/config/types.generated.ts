// Generated from schemas/ by "npm run generate". Change the schema, not this file.
/** All settings, once every layer is in: what has a default is there. */
export interface ResolvedConfig {
  /** Provider for new sessions. Without one: an Ollama that answers, else offline. */
  provider?: string;
  /** Model for new sessions. Without one: the first that the provider has. */
  model?: string;
  /** File with the system prompt for new sessions. */
  promptFile?: string;
  /**
   * Whether a new session without a prompt file begins with the built-in system prompt: where it works, on which day,
   * how to use tools and to answer.
   */
  defaultPrompt: boolean;
  /**
   * Whether the AGENTS.md files of a project instruct the model once you trust them: you are asked for each new text,
   * unless trustedDirectories names the project.
   */
  projectInstructions: boolean;
  /**
   * Which skills the model is told about, by name and description: `own` are those in the directories of ollm, `all`
   * also those of other programs.
   */
  skills: 'all' | 'own' | 'off';
  /** Maximum tokens of one answer. Without it: the provider's limit. */
  maxOutputTokens?: number;
  /**
   * How a model picks its words, whichever provider answers. What its wire does not have is not sent, and said once.
   */
  sampling: {
    /**
     * Randomness of the words, for whichever provider answers. 0: as little as possible. Wins over that of the
     * provider.
     */
    temperature?: number;
    /** Share of the likeliest words that are considered (`top_p`). */
    topP?: number;
    /** Number from which the randomness follows: the same question may get the same answer. */
    seed?: number;
    /** Texts at which an answer ends. */
    stop?: string[];
  };
  /** Projects whose own configuration counts like yours. */
  trustedDirectories: string[];
  /** How each provider is reached. */
  providers: {
    /** An Ollama server. */
    ollama: {
      /** Address of the server. The variable OLLAMA_HOST sets it too. */
      host: string;
      /**
       * Tokens of context to ask the server for. Without it: the model's own setting (`num_ctx`), else 16384 or the
       * model's maximum.
       */
      contextLength?: number;
      /** Seconds of silence after which the turn ends with an error. */
      timeoutSeconds: number;
      /** Whether text between <think> and </think> at the beginning of an answer is reasoning. */
      thinkTags: boolean;
      /** Randomness of the words; `sampling.temperature` wins. */
      temperature?: number;
      /** Share of the likeliest words that are considered; `sampling.topP` wins. */
      topP?: number;
      /** Number from which the randomness follows; `sampling.seed` wins. */
      seed?: number;
      /** Texts at which an answer ends; `sampling.stop` wins. */
      stop?: string[];
      /**
       * How long the server keeps the model in memory after an answer (`keep_alive`): `10m`, `0` to unload it, `-1` to
       * keep it.
       */
      keepAlive?: string;
    };
    /** OpenAI, or a server that speaks its protocol, at `baseUrl`. */
    openai: {
      /** Address of its API, if not the vendor's. https, or this machine. */
      baseUrl?: string;
      /** Name of the variable that holds the key. The key itself never belongs in a configuration. */
      apiKeyEnv: string;
      /** File that holds the key and nothing else. The variable wins. */
      apiKeyFile?: string;
      /** Seconds of silence after which the turn ends with an error. */
      timeoutSeconds: number;
      /**
       * With a `baseUrl` of another server: whether text between <think> and </think> at the beginning of an answer is
       * reasoning. Default: true for a server on this machine.
       */
      thinkTags?: boolean;
      /**
       * With a `baseUrl` of another server: whether `[DONE]` ends an answer for which the server gives no finish
       * reason. Default: false; such an answer then counts as cut off.
       */
      endsWithDone?: boolean;
      /** Randomness of the words; `sampling.temperature` wins. */
      temperature?: number;
      /** Share of the likeliest words that are considered; `sampling.topP` wins. */
      topP?: number;
      /** Number from which the randomness follows; `sampling.seed` wins. */
      seed?: number;
      /** Texts at which an answer ends; `sampling.stop` wins. */
      stop?: string[];
    };
    /** Anthropic. */
    anthropic: {
      /** Address of its API, if not the vendor's. https, or this machine. */
      baseUrl?: string;
      /** Name of the variable that holds the key. The key itself never belongs in a configuration. */
      apiKeyEnv: string;
      /** File that holds the key and nothing else. The variable wins. */
      apiKeyFile?: string;
      /** Seconds of silence after which the turn ends with an error. */
      timeoutSeconds: number;
      /** Tokens that a model may think before it answers. Without it: no extended thinking. */
      thinkingTokens?: number;
      /** Randomness of the words; `sampling.temperature` wins. */
      temperature?: number;
      /** Share of the likeliest words that are considered; `sampling.topP` wins. */
      topP?: number;
      /** Number from which the randomness follows; `sampling.seed` wins. */
      seed?: number;
      /** Texts at which an answer ends; `sampling.stop` wins. */
      stop?: string[];
    };
    /** Google Gemini. */
    gemini: {
      /** Address of its API, if not the vendor's. https, or this machine. */
      baseUrl?: string;
      /** Name of the variable that holds the key. The key itself never belongs in a configuration. */
      apiKeyEnv: string;
      /** File that holds the key and nothing else. The variable wins. */
      apiKeyFile?: string;
      /** Seconds of silence after which the turn ends with an error. */
      timeoutSeconds: number;
      /** Randomness of the words; `sampling.temperature` wins. */
      temperature?: number;
      /** Share of the likeliest words that are considered; `sampling.topP` wins. */
      topP?: number;
      /** Number from which the randomness follows; `sampling.seed` wins. */
      seed?: number;
      /** Texts at which an answer ends; `sampling.stop` wins. */
      stop?: string[];
    };
    /**
     * Amazon Bedrock. Without an API key the usual AWS variables are used: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
     * AWS_SESSION_TOKEN.
     */
    bedrock: {
      /** Address of its API, if not the vendor's. https, or this machine. */
      baseUrl?: string;
      /** Name of the variable that holds the key. The key itself never belongs in a configuration. */
      apiKeyEnv: string;
      /** File that holds the key and nothing else. The variable wins. */
      apiKeyFile?: string;
      /** Seconds of silence after which the turn ends with an error. */
      timeoutSeconds: number;
      /** The region. Without it: AWS_REGION. */
      region?: string;
      /** Randomness of the words; `sampling.temperature` wins. */
      temperature?: number;
      /** Share of the likeliest words that are considered; `sampling.topP` wins. */
      topP?: number;
      /** Number from which the randomness follows; `sampling.seed` wins. */
      seed?: number;
      /** Texts at which an answer ends; `sampling.stop` wins. */
      stop?: string[];
    };
    /** The built-in provider, which searches the project and the session. It is not a language model. */
    offline: {
      /** Maximum number of passages in an answer. */
      maxPassages: number;
    };
    /**
     * Further servers that speak OpenAI's protocol, each a provider under the name that it has here: llama.cpp, vLLM,
     * LM Studio, OpenRouter.
     */
    compatible?: {
      [k: string]: {
        /** Where its API is: `http://127.0.0.1:8080/v1`. */
        baseUrl: string;
        /** Name of the variable that holds the key, if the server wants one. */
        apiKeyEnv?: string;
        /** File that holds the key. */
        apiKeyFile?: string;
        /** Model for new sessions with this provider. */
        model?: string;
        /** Context window of its model in tokens; such servers rarely report it. */
        contextWindow?: number;
        /** Seconds of silence after which the turn ends with an error. Default: 120. */
        timeoutSeconds?: number;
        /**
         * Whether text between <think> and </think> at the beginning of an answer is reasoning. Default: true for a
         * server on this machine.
         */
        thinkTags?: boolean;
        /**
         * Whether `[DONE]` ends an answer for which the server gives no finish reason. Default: false; such an answer
         * then counts as cut off.
         */
        endsWithDone?: boolean;
        /** Randomness of the words; `sampling.temperature` wins. */
        temperature?: number;
        /** Share of the likeliest words that are considered; `sampling.topP` wins. */
        topP?: number;
        /** Number from which the randomness follows; `sampling.seed` wins. */
        seed?: number;
        /** Texts at which an answer ends; `sampling.stop` wins. */
        stop?: string[];
      };
    };
  };
  /**
   * Prices of models in US dollars for a million tokens, by a pattern of the model's name. They win over the built-in
   * table.
   */
  prices?: {
    [k: string]: {
      input: number;
      output: number;
      cachedInput?: number;
      cacheWrite?: number;
    };
  };
  /** How the services behave. */
  services: {
    /** Where and how sessions are kept. */
    session: {
      /**
       * `global`: in dataDir. `session`: in the project's `.ollm/session-data`, which Git ignores. `ephemeral`: in
       * memory only.
       */
      mode: 'global' | 'session' | 'ephemeral';
      /** Directory of the journals. */
      dataDir: string;
      /** Number of sessions to keep; older ones go to the trash when a new one is created. */
      maxSessions: number;
      /**
       * Sessions without activity for longer go to the trash when a new one is created: hours, days or weeks, such as
       * `90d`.
       */
      maxAge?: string;
      /**
       * Whether the snapshot `<id>.json` and the saved states are written when a session was idle for two seconds after
       * a turn. The journal is always written, and closing a session writes both in either case.
       */
      autoSave: boolean;
      /** When written events are synced to the disk: at each event, before and after important ones, or never. */
      durability: 'always' | 'barrier' | 'process';
      /**
       * Whether sessions are also written on network file systems (NFS, SMB, 9p), where locks and syncs are unreliable.
       */
      allowNetworkFileSystem: boolean;
    };
    /** What happens when the context window fills up. Nothing ever leaves the journal. */
    compression: {
      /** Whether ollm compresses older messages by itself. */
      enabled: boolean;
      /** Share of the window at which compression starts. */
      threshold: number;
      /** `summarize` older messages, `truncate` them away, or `hybrid`: summarize the old, keep the recent. */
      strategy: 'summarize' | 'truncate' | 'hybrid';
      /** Tokens of recent messages that stay as they are. */
      preserveRecent: number;
      /** Provider that writes the summaries, where it is not that of the session. */
      summaryProvider?: string;
      /** Model that writes the summaries, where it is not that of the session. */
      summaryModel?: string;
    };
    /** How the window of the model is divided. Unset values follow from the model. */
    budget: {
      /** Maximum tokens of a request with its answer, if less than the window of the model. */
      maxTotal?: number;
      /** Tokens reserved for the answer. Without it: a quarter of the window, at most 4096. */
      reserveForOutput?: number;
      /** Maximum tokens of recent messages in a request. */
      historyWindow?: number;
      /** Maximum tokens of a summary of older messages. */
      summaryBudget?: number;
      /**
       * Maximum tokens of retrieved text that a turn brings. All of it together takes at most a fifth of the window.
       */
      retrievalBudget: number;
    };
    /** When a model that repeats itself is stopped. */
    loopDetection: {
      /** Whether loops are detected. */
      enabled: boolean;
      /**
       * Requests without a message from you after which it asks whether to continue. If no user can be asked, the turn
       * stops if you set this, and continues otherwise.
       */
      maxTurns: number;
      /** How often the same call or output in a row counts as a loop. */
      repeatThreshold: number;
    };
    /** Which files of a project are found. */
    fileDiscovery: {
      /** Maximum depth of directories. */
      maxDepth: number;
      /** Whether symbolic links are followed to targets inside the root. */
      followSymlinks: boolean;
      /** Names of directories that are ignored without an ignore file. */
      builtinIgnores: string[];
    };
    /** Which environment variables a tool may see. */
    environment: {
      /** Names or patterns that tools may see, in addition to the built-in ones. They win over denyPatterns. */
      allowList: string[];
      /** Patterns of names that tools never see, in addition to the built-in ones. */
      denyPatterns: string[];
    };
    /** Removes secrets before anything is stored. */
    redaction: {
      /**
       * Whether keys, tokens and passwords are removed from everything stored, logged, shown in errors and exported. A
       * stored secret cannot be removed later.
       */
      enabled: boolean;
    };
  };
  /**
   * Servers of NATS that keep the sessions of the mode `global`, in place of dataDir: `nats://127.0.0.1:4222`, or
   * several of one cluster with commas between them, and a tenant after a slash (default: `default`). See [many
   * machines](many-machines.md).
   */
  store?: string;
  /** How the servers of `store` are reached. */
  nats: {
    /**
     * File with credentials: a `.creds` file, the seed of an nkey, one line `user:password`, or a token. No other user
     * may be able to read it.
     */
    credentialsFile?: string;
    /** Copies that the stream must have at least. Fewer are refused; `ollm store prepare` makes this many. */
    replicas: number;
    /** Certificates, as PEM, that the servers' own are checked with. */
    caFile?: string;
    /** Certificate, as PEM, that ollm shows to the servers. */
    certFile?: string;
    /** Its private key, as PEM. No other user may be able to read it. */
    keyFile?: string;
    /**
     * Addresses of the servers' monitoring ports, such as `http://127.0.0.1:8222`, with commas between them. With those
     * of all servers `ollm doctor` sees whether acknowledged events survive a power cut of all.
     */
    monitor?: string;
  };
  /**
   * The permissions of a model on this machine. A rule is the name of a tool, optionally with a pattern in brackets:
   * `file_write(src/**)` by path, `bash(npm test)` by parsed command, in which `*` matches any further words.
   */
  tools: {
    /** Whether models are offered tools at all. */
    enabled: boolean;
    /** Names of tools that are not offered. */
    disabled: string[];
    /** Calls that run without a question. */
    allow: string[];
    /** Calls that need your answer, even if `allow` or a default would let them run. */
    ask: string[];
    /** Calls that never run. Wins over all other rules. */
    deny: string[];
    /**
     * Calls that run without a question in new runs. `ask`: only reading. `plan`: only reading, and every change is
     * denied. `edits`: also writing files of the project. `auto`: everything that no rule denies, only in the sandbox.
     * A project's file cannot set it.
     */
    mode: 'ask' | 'plan' | 'edits' | 'auto';
    /**
     * Whether programs that tools start are confined by the operating system. `required`: nothing runs without.
     * `preferred`: without, nothing runs unasked. `off`: not confined, and each is asked about.
     */
    sandbox: 'required' | 'preferred' | 'off';
    /** Whether confined programs may use the network. */
    network: boolean;
    /** Directories outside the project that tools may write, after being asked. */
    writable: string[];
    /**
     * Directories outside the project that tools may read. A file that is named here by itself may be read also where
     * its name is that of a file with keys, such as `.env.test`.
     */
    readable: string[];
    /** Files and directories that tools never see, in addition to built-in ones such as `~/.ssh`. */
    hidden: string[];
    /** Seconds after which a call is ended with all programs that it started. */
    timeoutSeconds: number;
    /** Bytes that a program may print before it is ended. */
    maxOutputBytes: number;
    /**
     * Maximum tokens of an output in a request. The model gets head and tail of a longer one; the session keeps all of
     * it.
     */
    maxOutputTokens: number;
    /** Pages of the web, for models. */
    web: {
      /**
       * Address of a search that answers in the JSON of SearXNG, such as `https://searx.example.org/search`. With it
       * models are offered `web_search`.
       */
      search?: string;
      /**
       * Hosts on this machine or in a private network that pages may be fetched from, by name or address: `wiki.local`,
       * `127.0.0.1:8080`.
       */
      privateHosts: string[];
    };
  };
  /** Servers of the Model Context Protocol, whose tools are offered to models. */
  mcp: {
    /**
     * Each server under the name that its tools carry: `{command: [program, argument], env: [NAMES], cwd}` for a
     * program, `{url, tokenEnv}` for an address; `tools: [names]` takes only those. See docs/mcp.md.
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
        /** Names of variables that it gets in addition to harmless ones. */
        env?: string[];
        url?: string;
        /** Name of the variable that holds its bearer token. */
        tokenEnv?: string;
        /** Only these tools of it. */
        tools?: string[];
        disabled?: boolean;
      };
    };
    /** How long a server may take to start, or to answer a call. */
    timeoutSeconds: number;
  };
  /**
   * Your own programs that are called with JSON on standard input and may answer with context or a veto. Each is a line
   * of a program and its arguments; no shell reads it. See docs/hooks.md.
   */
  hooks: {
    /** When a session is opened. */
    sessionStart: string[];
    /** Before a message goes to the model. */
    beforeTurn: string[];
    /** Before a tool runs. May veto it. */
    beforeTool: string[];
    /** After a tool ran. */
    afterTool: string[];
    /** How long one may take. */
    timeoutSeconds: number;
  };
  /** How long and in which form data is kept. */
  retention: {
    /** Days after which a session leaves the trash. */
    trashDays: number;
    /**
     * Messages and calls that a session may have. The next turn begins a new session, with the newest half of them and
     * a summary of the others. Nothing is taken away from the old one.
     */
    maxItems?: number;
    /**
     * Whether the output of tools is stored. If not, the journal holds its status and size, and the model sees the
     * output only during the turn. An answer that quotes an output is stored with the quotation.
     */
    storeToolOutputs: boolean;
    /** Whether new sessions are encrypted. */
    encryptAtRest: boolean;
    /** File whose content unlocks encrypted sessions, in place of a passphrase. */
    keyFile?: string;
  };
  /** Sessions over HTTP: `ollm serve`. */
  server: {
    /** Address that it listens on. One that other machines reach needs a certificate, or a proxy that has one. */
    host: string;
    /** Port that it listens on. 0: any that is free. */
    port: number;
    /**
     * Further names, with their port if it is not the usual one, under which browsers reach it. A request that names
     * another host is refused.
     */
    hosts: string[];
    /**
     * File of the token that programs come in with. Default: `server-token` in the home of ollm; made at the first
     * start.
     */
    tokenFile?: string;
    /**
     * Directories in which, and below which, sessions may be started. None: directories in which ollm has a session,
     * and those that the owner opened.
     */
    workspaces: string[];
    /**
     * Whether a prompt may let calls that the policy asks about run without a question. Calls that the policy denies
     * stay denied, and dangerous ones are still asked about.
     */
    allowUnattended: boolean;
    /**
     * Whether links for guests may let them take part. Every call of a tool that a guest's prompt leads to is a
     * question to the owner.
     */
    guestsMayWrite: boolean;
  };
  /** Passages of sessions and files that are found for a question. */
  retrieval: {
    /**
     * Whether each turn begins with passages of this project and its sessions that answer the question, and models have
     * the tool `recall`. What is found goes to the provider.
     */
    enabled: boolean;
    /**
     * A model that makes vectors, so that passages are found by their meaning too. It gets the text of the passages and
     * each question.
     */
    embeddings: {
      /** The provider that has the model: ollama, openai, or one under `providers.compatible`. */
      provider: string;
      /** The model, such as `nomic-embed-text`. Without one passages are found only by words, and nothing is sent. */
      model?: string;
    };
  };
  /** What searches know of sessions. */
  catalog: {
    /**
     * Whether the text of encrypted sessions is indexed. It is then stored in the open, in the catalogue. If not, and
     * `retention.encryptAtRest` is on, the catalogue holds no text of any session.
     */
    indexEncrypted: boolean;
  };
  /** Sessions of other programs. */
  hub: {
    /**
     * Further home directories in which programs keep sessions: a mounted backup, or that of another user, as far as
     * you may read them. Their sessions are read like your own, also where their files belong to others.
     *
     * @maxItems 32
     */
    homes: string[];
    /**
     * How long imports stay: `all` keeps them, or hours, days or weeks, such as `365d`. With a duration, `ollm prune`
     * and the creation of a session move imports to the trash that had no activity and no import for longer. Imports
     * never count as sessions, and go by no other rule.
     */
    keep: string;
    /**
     * Whether an import keeps only its events, from which secrets are removed, and not the program's own bytes, which
     * may contain some. Without those bytes it cannot be translated again, nor be given back to the program. Bytes that
     * were kept before stay, until `ollm delete --purge` removes the import.
     */
    redact: boolean;
  };
  /** Runs of agents of other makers. */
  runs: {
    /** Runs of Claude Code. */
    claude: {
      /**
       * Absolute path of the program that a run starts: the adapter claude-agent-acp. Default: the program in the home
       * of ollm, else the one in PATH.
       */
      program?: string;
      /**
       * How ollm speaks to Claude Code: `acp` through its adapter claude-agent-acp, `cli` by the lines of its own
       * command. Default: `acp` if the adapter is installed. ollm speaks to each other agent in one way.
       */
      family?: 'acp' | 'cli';
      /** Model of a new session, in the agent's own words. Default: the model that the agent chooses. */
      model?: string;
      /**
       * Mode of permissions of the agent, in its own words. Default: the mode in which it asks. In a mode that does not
       * ask, it runs only in the sandbox.
       */
      mode?: string;
      /**
       * Variables of the environment for the agent, such as the address of a gateway, with their values. They win over
       * variables that ollm has itself. The values are not shown.
       */
      env?: {
        [k: string]: string;
      };
    };
    /** Runs of Codex. */
    codex: {
      /**
       * Absolute path of the program that a run starts: the adapter codex-acp. Default: the program in the home of
       * ollm, else the one in PATH.
       */
      program?: string;
      /** Model of a new session, in the agent's own words. Default: the model that the agent chooses. */
      model?: string;
      /**
       * Mode of permissions of the agent, in its own words. Default: the mode in which it asks. In a mode that does not
       * ask, it runs only in the sandbox.
       */
      mode?: string;
      /**
       * Variables of the environment for the agent, such as the address of a gateway, with their values. They win over
       * variables that ollm has itself. The values are not shown.
       */
      env?: {
        [k: string]: string;
      };
    };
    /** Runs of Copilot CLI. */
    copilot: {
      /**
       * Absolute path of the program that a run starts. Default: the program in the home of ollm, else the one in PATH.
       */
      program?: string;
      /** Model of a new session, in the agent's own words. Default: the model that the agent chooses. */
      model?: string;
      /**
       * Mode of permissions of the agent, in its own words. Default: the mode in which it asks. In a mode that does not
       * ask, it runs only in the sandbox.
       */
      mode?: string;
      /**
       * Variables of the environment for the agent, such as the address of a gateway, with their values. They win over
       * variables that ollm has itself. The values are not shown.
       */
      env?: {
        [k: string]: string;
      };
    };
    /** Runs of Cursor. */
    cursor: {
      /**
       * Absolute path of the program that a run starts. Default: the program in the home of ollm, else the one in PATH.
       */
      program?: string;
      /** Model of a new session, in the agent's own words. Default: the model that the agent chooses. */
      model?: string;
      /**
       * Mode of permissions of the agent, in its own words. Default: the mode in which it asks. In a mode that does not
       * ask, it runs only in the sandbox.
       */
      mode?: string;
      /**
       * Variables of the environment for the agent, such as the address of a gateway, with their values. They win over
       * variables that ollm has itself. The values are not shown.
       */
      env?: {
        [k: string]: string;
      };
    };
    /** Runs of Gemini CLI. */
    gemini: {
      /**
       * Absolute path of the program that a run starts. Default: the program in the home of ollm, else the one in PATH.
       */
      program?: string;
      /** Model of a new session, in the agent's own words. Default: the model that the agent chooses. */
      model?: string;
      /**
       * Mode of permissions of the agent, in its own words. Default: the mode in which it asks. In a mode that does not
       * ask, it runs only in the sandbox.
       */
      mode?: string;
      /**
       * Variables of the environment for the agent, such as the address of a gateway, with their values. They win over
       * variables that ollm has itself. The values are not shown.
       */
      env?: {
        [k: string]: string;
      };
    };
    /** Runs of Kimi Code CLI. */
    kimi: {
      /**
       * Absolute path of the program that a run starts. Default: the program in the home of ollm, else the one in PATH.
       */
      program?: string;
      /** Model of a new session, in the agent's own words. Default: the model that the agent chooses. */
      model?: string;
      /**
       * Mode of permissions of the agent, in its own words. Default: the mode in which it asks. In a mode that does not
       * ask, it runs only in the sandbox.
       */
      mode?: string;
      /**
       * Variables of the environment for the agent, such as the address of a gateway, with their values. They win over
       * variables that ollm has itself. The values are not shown.
       */
      env?: {
        [k: string]: string;
      };
    };
    /** Runs of opencode. */
    opencode: {
      /**
       * Absolute path of the program that a run starts. Default: the program in the home of ollm, else the one in PATH.
       */
      program?: string;
      /** Model of a new session, in the agent's own words. Default: the model that the agent chooses. */
      model?: string;
      /**
       * Mode of permissions of the agent, in its own words. Default: the mode in which it asks. In a mode that does not
       * ask, it runs only in the sandbox.
       */
      mode?: string;
      /**
       * Variables of the environment for the agent, such as the address of a gateway, with their values. They win over
       * variables that ollm has itself. The values are not shown.
       */
      env?: {
        [k: string]: string;
      };
    };
    /** Runs of Qwen Code. */
    qwen: {
      /**
       * Absolute path of the program that a run starts. Default: the program in the home of ollm, else the one in PATH.
       */
      program?: string;
      /** Model of a new session, in the agent's own words. Default: the model that the agent chooses. */
      model?: string;
      /**
       * Mode of permissions of the agent, in its own words. Default: the mode in which it asks. In a mode that does not
       * ask, it runs only in the sandbox.
       */
      mode?: string;
      /**
       * Variables of the environment for the agent, such as the address of a gateway, with their values. They win over
       * variables that ollm has itself. The values are not shown.
       */
      env?: {
        [k: string]: string;
      };
    };
    /**
     * Runs each agent in the sandbox of tools, with its network, and lets it write only in its workspace and in its own
     * state. Without it, only an agent that does not ask is confined.
     */
    confined: boolean;
    /** Seconds that a server keeps the program of an agent after its last turn. */
    idleSeconds: number;
    /** Programs of agents that a server keeps. Another one ends that which was used least lately, unless it works. */
    processes: number;
    /** Seconds in which an agent neither says, writes nor asks anything, after which its turn ends with an error. */
    silentSeconds: number;
  };
  /** Spans of turns, requests and calls for a collector of OpenTelemetry. */
  otel: {
    /**
     * Base address of a collector that takes OTLP/HTTP with JSON, such as `http://127.0.0.1:4318`. The spans of each
     * turn are sent to `/v1/traces` there. Without it nothing is sent. Headers come from `OTEL_EXPORTER_OTLP_HEADERS`.
     */
    endpoint?: string;
    /** Whether spans have the texts, arguments and results. */
    contents: boolean;
  };
  /** How a user is asked through a server. */
  approvals: {
    /** Seconds after which a question without an answer is denied. */
    timeoutSeconds: number;
  };
  /** How the REPL looks. */
  repl: {
    /** Number of typed lines to remember across runs. */
    historySize: number;
    /** Whether answers are rendered as Markdown on a terminal. */
    markdown: boolean;
    /** Whether a line shows model and tokens on a terminal. */
    statusLine: boolean;
    /** How a line is edited: with Ctrl and letters, or as in vi, where Escape leaves the typing of text. */
    keys: 'emacs' | 'vi';
    /** Colors for a dark or a light background. auto: as the terminal says when it is asked (OSC 11), else dark. */
    theme: 'auto' | 'dark' | 'light';
    /** A turn that takes longer ends with a notice of the terminal. 0: never. */
    bellAfterSeconds: number;
    /** How a long turn calls you when it ends or asks: the bell, a notice on the desktop (OSC 9), or not at all. */
    notify: 'bell' | 'osc9' | 'off';
  };
  /** The log of runs. */
  log: {
    /** Least serious level that is logged. */
    level: 'error' | 'warn' | 'info' | 'debug';
    /** File of JSON lines. At 5 MiB it is renamed to `<file>.old`, and a new one starts. */
    file: string;
  };
}
