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
       * Tokens of context to ask the server for. Without it: what the model is set up for.
       */
      contextLength?: number;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds?: number;
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
       * `global`: in dataDir. `session`: in the project's `.ollm/session-data`. `ephemeral`: in memory only.
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
       * Whether the snapshot `<id>.json` is refreshed after turns. The journal is always written.
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
       * How many requests may follow each other without a message of yours.
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
  };
  /**
   * How long what was deleted is kept.
   */
  retention?: {
    /**
     * Days after which the trash is emptied of a session.
     */
    trashDays?: number;
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
       * Tokens of context to ask the server for. Without it: what the model is set up for.
       */
      contextLength?: number;
      /**
       * How long it may send nothing before the turn ends with an error.
       */
      timeoutSeconds: number;
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
       * `global`: in dataDir. `session`: in the project's `.ollm/session-data`. `ephemeral`: in memory only.
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
       * Whether the snapshot `<id>.json` is refreshed after turns. The journal is always written.
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
       * How many requests may follow each other without a message of yours.
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
  };
  /**
   * How long what was deleted is kept.
   */
  retention: {
    /**
     * Days after which the trash is emptied of a session.
     */
    trashDays: number;
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
