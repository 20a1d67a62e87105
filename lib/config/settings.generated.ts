// Generated from schemas/ by "npm run generate". Change the schema, not this file.

export interface Setting {
  /** `services.session.maxSessions` */
  readonly key: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'strings';
  /** Whether it names a file or directory. */
  readonly isPath?: true;
  readonly default?: unknown;
}

/** Every setting there is, in the order of the schema. */
export const SETTINGS: readonly Setting[] = [
  {"key":"provider","type":"string"},
  {"key":"model","type":"string"},
  {"key":"promptFile","type":"string","isPath":true},
  {"key":"providers.ollama.host","type":"string","default":"http://127.0.0.1:11434"},
  {"key":"providers.ollama.contextLength","type":"integer"},
  {"key":"providers.ollama.timeoutSeconds","type":"integer","default":120},
  {"key":"providers.offline.maxPassages","type":"integer","default":5},
  {"key":"services.session.mode","type":"string","default":"global"},
  {"key":"services.session.dataDir","type":"string","isPath":true,"default":"session-data"},
  {"key":"services.session.maxSessions","type":"integer","default":100},
  {"key":"services.session.maxAge","type":"string"},
  {"key":"services.session.autoSave","type":"boolean","default":true},
  {"key":"services.session.durability","type":"string","default":"barrier"},
  {"key":"services.session.allowNetworkFileSystem","type":"boolean","default":false},
  {"key":"services.compression.enabled","type":"boolean","default":true},
  {"key":"services.compression.threshold","type":"number","default":0.8},
  {"key":"services.compression.strategy","type":"string","default":"hybrid"},
  {"key":"services.compression.preserveRecent","type":"integer","default":4096},
  {"key":"services.loopDetection.enabled","type":"boolean","default":true},
  {"key":"services.loopDetection.maxTurns","type":"integer","default":50},
  {"key":"services.loopDetection.repeatThreshold","type":"integer","default":3},
  {"key":"services.fileDiscovery.maxDepth","type":"integer","default":10},
  {"key":"services.fileDiscovery.followSymlinks","type":"boolean","default":false},
  {"key":"services.fileDiscovery.builtinIgnores","type":"strings","default":["node_modules",".git","dist","build",".next",".cache"]},
  {"key":"services.environment.allowList","type":"strings","default":[]},
  {"key":"services.environment.denyPatterns","type":"strings","default":[]},
  {"key":"retention.trashDays","type":"integer","default":30},
  {"key":"repl.historySize","type":"integer","default":1000},
  {"key":"repl.markdown","type":"boolean","default":true},
  {"key":"repl.statusLine","type":"boolean","default":true},
  {"key":"log.level","type":"string","default":"info"},
  {"key":"log.file","type":"string","isPath":true,"default":"ollm.log"},
];
