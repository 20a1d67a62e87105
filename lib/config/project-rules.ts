// The only table of settings that a project's own file may set. A cloned repository is not trusted: it may choose among
// options that stay on this machine, and narrow; it may not send anything elsewhere, reach outside itself, switch off a
// guard, start a program, or touch sessions that are not its own. Settings outside the table are ignored there, with a
// warning, until the user has named the directory in trustedDirectories.

interface ProjectRule {
  /** For the reference page. */
  readonly words: string;
  /**
   * Whether a list is added to the user's in place of taking its place: one that narrows. Also in a trusted project.
   */
  readonly isAdded?: true;
  /** Whether this value is allowed. `below`: the value in the user's own layers. */
  allows(value: unknown, circumstances: { readonly below: unknown; isInside(path: string): boolean }): boolean;
}

const yes: ProjectRule = { words: 'yes', allows: () => true };
const added: ProjectRule = { words: 'yes, added to yours', isAdded: true, allows: () => true };
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
  promptFile: { ...inside, words: 'inside the project, once you trust its text' },
  projectInstructions: only(false),
  skills: only('off'),
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
  'services.environment.denyPatterns': added,
  'tools.enabled': only(false),
  'tools.disabled': added,
  'tools.ask': added,
  'tools.deny': added,
  'tools.hidden': added,
  'tools.sandbox': only('required'),
  'tools.network': only(false),
  'tools.timeoutSeconds': notMore,
  'tools.maxOutputBytes': notMore,
  'tools.maxOutputTokens': notMore,
};
