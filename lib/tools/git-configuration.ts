// Whether the configuration of a repository names nothing that git could start or follow while it reads: a program for
// differences or text, a filter, another file. What is overridden for calls that read counts as nothing. Pure. A name
// that is not listed may start something; git knows too many that do, and gets new ones.
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
  let section = '';
  for (const raw of text.replace(/^\uFEFF/, '').split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const header = /^\[([a-zA-Z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\]$/.exec(line);
    if (header) {
      section = header[1]!.toLowerCase() + (header[2] === undefined ? '' : `.${header[2]}`);
      continue;
    }
    const [, given, value = ''] = /^([a-zA-Z][a-zA-Z0-9-]*)\s*(?:$|=\s*(.*)$)/.exec(line) ?? [];
    const name = given?.toLowerCase();
    if (name === undefined || section === '' || line.endsWith('\\')) return line.slice(0, 80);
    const whole = `${section}.${name}`;
    const isHarmless = GIT_OVERRIDDEN.has(whole) || HARMLESS.some((pattern) => pattern.test(whole));
    if (!isHarmless && !isAllowed(whole, value)) return whole.slice(0, 80);
  }
  return undefined;
}
