// The one table of what a project's own file may set. A repository that was cloned is not trusted: it may choose among
// what stays on this machine, and narrow; it may not send anything elsewhere, reach outside itself, spare itself a guard,
// or touch sessions that are not its own. What is not in the table is ignored there, with a warning.

export interface ProjectRule {
  /** For the reference page. */
  readonly words: string;
  /** Whether this value is allowed. `below`: what the user's own layers say. */
  allows(value: unknown, circumstances: { readonly below: unknown; isInside(path: string): boolean }): boolean;
}

const yes: ProjectRule = { words: 'yes', allows: () => true };
const inside: ProjectRule = {
  words: 'inside the project',
  allows: (value, { isInside }) => typeof value === 'string' && isInside(value),
};
const notMore: ProjectRule = {
  words: 'not higher than yours',
  allows: (value, { below }) => typeof value === 'number' && typeof below === 'number' && value <= below,
};
const only = (...values: (string | boolean)[]): ProjectRule => ({
  words: values.map((value) => `\`${value}\``).join(' or '),
  allows: (value) => values.some((allowed) => allowed === value),
});

export const PROJECT_RULES: Readonly<Record<string, ProjectRule>> = {
  provider: only('offline', 'ollama'),
  model: yes,
  promptFile: inside,
  'providers.ollama.contextLength': yes,
  'providers.offline.maxPassages': yes,
  'services.session.mode': only('global', 'session'),
  'services.session.dataDir': inside,
  'services.compression.threshold': yes,
  'services.compression.strategy': yes,
  'services.compression.preserveRecent': yes,
  'services.loopDetection.enabled': only(true),
  'services.loopDetection.maxTurns': notMore,
  'services.loopDetection.repeatThreshold': notMore,
  'services.fileDiscovery.maxDepth': notMore,
  'services.fileDiscovery.followSymlinks': only(false),
  'services.environment.denyPatterns': yes,
};
