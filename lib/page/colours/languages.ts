// The languages of code that have colours: each is a part of its own, loaded when a block of it is shown.
import type { LanguageFn } from 'highlight.js';

interface CodeLanguage {
  readonly name: string;
  /** The other names that its blocks have. */
  readonly aliases: readonly string[];
  load(): Promise<{ readonly default: LanguageFn }>;
}

const LANGUAGES: readonly CodeLanguage[] = [
  { name: 'bash', aliases: ['sh', 'zsh', 'shell'], load: () => import('highlight.js/lib/languages/bash') },
  { name: 'diff', aliases: ['patch'], load: () => import('highlight.js/lib/languages/diff') },
  {
    name: 'javascript',
    aliases: ['js', 'jsx', 'mjs', 'cjs'],
    load: () => import('highlight.js/lib/languages/javascript'),
  },
  { name: 'json', aliases: ['jsonc', 'json5'], load: () => import('highlight.js/lib/languages/json') },
  { name: 'markdown', aliases: ['md', 'mkdown', 'mkd'], load: () => import('highlight.js/lib/languages/markdown') },
  { name: 'python', aliases: ['py', 'gyp', 'ipython'], load: () => import('highlight.js/lib/languages/python') },
  {
    name: 'typescript',
    aliases: ['ts', 'tsx', 'mts', 'cts'],
    load: () => import('highlight.js/lib/languages/typescript'),
  },
  { name: 'yaml', aliases: ['yml'], load: () => import('highlight.js/lib/languages/yaml') },
  { name: 'c', aliases: ['h'], load: () => import('highlight.js/lib/languages/c') },
  {
    name: 'cpp',
    aliases: ['cc', 'c++', 'hpp', 'hh', 'hxx', 'cxx'],
    load: () => import('highlight.js/lib/languages/cpp'),
  },
  { name: 'css', aliases: [], load: () => import('highlight.js/lib/languages/css') },
  { name: 'go', aliases: ['golang'], load: () => import('highlight.js/lib/languages/go') },
  { name: 'java', aliases: ['jsp'], load: () => import('highlight.js/lib/languages/java') },
  { name: 'ruby', aliases: ['rb', 'gemspec'], load: () => import('highlight.js/lib/languages/ruby') },
  { name: 'rust', aliases: ['rs'], load: () => import('highlight.js/lib/languages/rust') },
  { name: 'sql', aliases: [], load: () => import('highlight.js/lib/languages/sql') },
  {
    name: 'xml',
    aliases: ['html', 'xhtml', 'rss', 'atom', 'plist', 'svg'],
    load: () => import('highlight.js/lib/languages/xml'),
  },
];

/** The language of this name, or with this other name. */
export function codeLanguage(language: string): CodeLanguage | undefined {
  const wanted = language.toLowerCase();
  return LANGUAGES.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
}
