// Languages whose code is in fewer conversations: each is a part of its own, loaded when a block of it is shown.
import type { LanguageFn } from 'highlight.js';

interface FurtherLanguage {
  readonly name: string;
  /** Other names, as its blocks have them. */
  readonly aliases: readonly string[];
  load(): Promise<LanguageFn>;
}

const LANGUAGES: readonly FurtherLanguage[] = [
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

/** One of them, by its name or another name for it. */
export function furtherLanguage(language: string): FurtherLanguage | undefined {
  const wanted = language.toLowerCase();
  return LANGUAGES.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
}
