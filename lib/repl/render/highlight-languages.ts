// The languages whose code is coloured, by the names that highlight.js gives them, each with its other names after a
// fence.
const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  javascript: ['js', 'jsx', 'mjs', 'cjs', 'node'],
  typescript: ['ts', 'tsx', 'mts', 'cts'],
  python: ['py', 'python3'],
  bash: ['sh', 'shell', 'zsh', 'console', 'shell-session'],
  json: ['json5', 'jsonl', 'jsonc'],
  yaml: ['yml'],
  xml: ['html', 'svg', 'xhtml', 'vue'],
  css: ['less'],
  scss: [],
  markdown: ['md'],
  sql: ['postgres', 'sqlite', 'mysql'],
  go: ['golang'],
  rust: ['rs'],
  java: [],
  kotlin: ['kt'],
  c: ['h'],
  cpp: ['c++', 'cc', 'hpp'],
  csharp: ['cs', 'c#'],
  ruby: ['rb'],
  php: [],
  swift: [],
  diff: ['patch'],
  ini: ['toml', 'conf', 'cfg', 'env'],
  dockerfile: ['docker'],
  makefile: ['make', 'mk'],
  lua: [],
  perl: ['pl'],
  r: [],
  scala: [],
  haskell: ['hs'],
  elixir: ['ex', 'exs'],
  nix: [],
  graphql: ['gql'],
  powershell: ['ps1'],
};

const BY_NAME = new Map(
  Object.entries(LANGUAGES).flatMap(([name, aliases]) => [name, ...aliases].map((each) => [each, name] as const)),
);

/** The language that the words after a fence name: `ts`, `{.python}`, `js title="x"`. */
export function languageOf(words: string): string | undefined {
  const [word = ''] = /[\w+#-]+/.exec(words) ?? [];
  return BY_NAME.get(word.toLowerCase());
}
