// The languages of code that have colours: each is a part of its own, loaded when a block of it is shown.
import type { LanguageFn } from 'highlight.js';

interface CodeLanguage {
  readonly name: string;
  /** The other names that its blocks have. */
  readonly aliases: readonly string[];
  load(): Promise<LanguageFn>;
}

const LANGUAGES: readonly CodeLanguage[] = [
  {
    name: 'bash',
    aliases: ['sh', 'zsh', 'shell'],
    load: async () => (await import('highlight.js/lib/languages/bash')).default,
  },
  {
    name: 'diff',
    aliases: ['patch'],
    load: async () => (await import('highlight.js/lib/languages/diff')).default,
  },
  {
    name: 'javascript',
    aliases: ['js', 'jsx', 'mjs', 'cjs'],
    load: async () => (await import('highlight.js/lib/languages/javascript')).default,
  },
  {
    name: 'json',
    aliases: ['jsonc', 'json5'],
    load: async () => (await import('highlight.js/lib/languages/json')).default,
  },
  {
    name: 'markdown',
    aliases: ['md', 'mkdown', 'mkd'],
    load: async () => (await import('highlight.js/lib/languages/markdown')).default,
  },
  {
    name: 'python',
    aliases: ['py', 'gyp', 'ipython'],
    load: async () => (await import('highlight.js/lib/languages/python')).default,
  },
  {
    name: 'typescript',
    aliases: ['ts', 'tsx', 'mts', 'cts'],
    load: async () => (await import('highlight.js/lib/languages/typescript')).default,
  },
  {
    name: 'yaml',
    aliases: ['yml'],
    load: async () => (await import('highlight.js/lib/languages/yaml')).default,
  },
  { name: 'c', aliases: ['h'], load: async () => (await import('highlight.js/lib/languages/c')).default },
  {
    name: 'cpp',
    aliases: ['cc', 'c++', 'hpp', 'hh', 'hxx', 'cxx'],
    load: async () => (await import('highlight.js/lib/languages/cpp')).default,
  },
  { name: 'css', aliases: [], load: async () => (await import('highlight.js/lib/languages/css')).default },
  { name: 'go', aliases: ['golang'], load: async () => (await import('highlight.js/lib/languages/go')).default },
  { name: 'java', aliases: ['jsp'], load: async () => (await import('highlight.js/lib/languages/java')).default },
  {
    name: 'ruby',
    aliases: ['rb', 'gemspec'],
    load: async () => (await import('highlight.js/lib/languages/ruby')).default,
  },
  { name: 'rust', aliases: ['rs'], load: async () => (await import('highlight.js/lib/languages/rust')).default },
  { name: 'sql', aliases: [], load: async () => (await import('highlight.js/lib/languages/sql')).default },
  {
    name: 'xml',
    aliases: ['html', 'xhtml', 'rss', 'atom', 'plist', 'svg'],
    load: async () => (await import('highlight.js/lib/languages/xml')).default,
  },
];

/** The language of this name, or with this other name. */
export function codeLanguage(language: string): CodeLanguage | undefined {
  const wanted = language.toLowerCase();
  return LANGUAGES.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
}
