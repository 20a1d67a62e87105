// Whether the configuration of a repository names nothing that git could start or follow while it reads: a program for
// differences or text, a filter, another file. Settings that reading calls override do not count. Pure. A name that is
// not listed may start something; git knows too many that do, and gets new ones.
import { GIT_OVERRIDDEN } from '../environment/git-programs.ts';

const HARMLESS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|untrackedcache|preloadindex|checkstat|trustctime|compression|abbrev|longpaths|protecthfs|protectntfs|commitgraph)$/,
  /^remote\..*\.(?:url|fetch|pushurl|tagopt|prune|skipdefaultupdate|gh-resolved)$/,
  /^branch\..*\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)$/,
  /^branch\.(?:autosetupmerge|autosetuprebase|sort)$/,
  /^user\.(?:name|email|signingkey|useconfigonly)$/,
  /^(?:color|advice|column|gc|pull|push|rebase|rerere|maintenance)\.(?!recentobjectshook$)[a-z0-9.]+$/,
  /^init\.defaultbranch$/,
  /^(?:fetch\.prune|fetch\.prunetags|merge\.conflictstyle|merge\.ff|commit\.gpgsign|commit\.verbose|tag\.sort|tag\.gpgsign)$/,
  /^(?:log\.(?:date|decorate|abbrevcommit|follow)|diff\.(?:renames|algorithm|colormoved|mnemonicprefix|noprefix|context))$/,
  /^status\.(?:showuntrackedfiles|branch|short|relativepaths|aheadbehind)$/,
  /^(?:extensions\.(?:objectformat|refstorage)|index\.version|feature\.manyfiles)$/,
];

/**
 * The first name that may make git start something, as `section.name`; undefined if there is none. What cannot be read
 * counts as one. `isAllowed` may let further names pass.
 *
 * @example
 * riskInGitConfiguration('[diff]\n\texternal = ./run-me\n'); // 'diff.external'
 */
export function riskInGitConfiguration(
  text: string,
  isAllowed: (name: string, value: string) => boolean = () => false,
): string | undefined {
  for (const { line, name, value } of entriesOf(text)) {
    const isHarmless = name !== undefined && (GIT_OVERRIDDEN.has(name) || isHarmlessName(name));
    if (!isHarmless && !(name !== undefined && isAllowed(name, value))) return (name ?? line).slice(0, 80);
  }
  return undefined;
}

/** From the user's own configuration: where git finds rules for files, and which directories it trusts. */
const OF_USER = /^(?:safe\.directory|core\.excludesfile|core\.attributesfile)$/;

/**
 * What a configuration of the user's own sets that starts nothing, as the text of another one. Included files are left
 * out.
 */
export function harmlessGitConfiguration(text: string): string {
  return entriesOf(text)
    .flatMap(({ section, line, name }) =>
      name !== undefined && (isHarmlessName(name) || OF_USER.test(name)) ? [`[${section}]\n\t${line}\n`] : [],
    )
    .join('');
}

function isHarmlessName(name: string): boolean {
  return HARMLESS.some((pattern) => pattern.test(name));
}

interface Entry {
  readonly line: string;
  /** The section header above it, without its brackets. */
  readonly section: string;
  /** `section.name`; undefined where the line cannot be read. */
  readonly name?: string;
  readonly value: string;
}

/** Line by line: one that goes on in the next cannot be read, nor can the next. */
function entriesOf(text: string): Entry[] {
  const entries: Entry[] = [];
  let [section, prefix, isContinued] = ['', '', false];
  for (const raw of text.replace(/^\uFEFF/, '').split('\n')) {
    const line = raw.trim();
    const isRest: boolean = isContinued;
    isContinued = line.endsWith('\\');
    if (!isRest && (line === '' || line.startsWith('#') || line.startsWith(';'))) continue;
    const header = isRest ? null : /^\[(([a-zA-Z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?)\]$/.exec(line);
    if (header) {
      section = header[1]!;
      prefix = header[2]!.toLowerCase() + (header[3] === undefined ? '' : `.${header[3]}`);
      continue;
    }
    const [, given, value = ''] = /^([a-zA-Z][a-zA-Z0-9-]*)\s*(?:$|=\s*(.*)$)/.exec(line) ?? [];
    const isReadable = given !== undefined && prefix !== '' && !isRest && !isContinued;
    entries.push({ line, section, value, ...(isReadable && { name: `${prefix}.${given.toLowerCase()}` }) });
  }
  return entries;
}
