// The place of a path, as far as the policy cares: in the project, in a directory that the user opened, or outside; and
// whether no tool sees it, or none changes it. The given paths have their links resolved.
import { join, sep } from 'node:path';
import { isAmbiguousName, isCredentialName } from '../../discovery/credential-names.ts';
import { relativeInside } from '../../platform/files/inside.ts';
import { namesIn } from './command-words.ts';

export interface PlacesOptions {
  /** The project. */
  readonly root: string;
  /** The user's own directory. */
  readonly homeDirectory: string;
  /**
   * Directories outside the project that tools may read; and files, which then may be called as those with keys are.
   */
  readonly readable: readonly string[];
  /** Directories open for writing. A writable path is also readable. */
  readonly writable: readonly string[];
  /** Places that no tool sees, in addition to the built-in ones. */
  readonly hidden: readonly string[];
  /** Places that no tool changes, in addition to the built-in ones. */
  readonly protected: readonly string[];
  /** $OLLM_HOME, which is hidden except for the skills in it. */
  readonly home?: string | undefined;
  /**
   * Skills that the user trusts, by the real paths of their directories and files. Asked only about what would not be
   * read otherwise.
   */
  readonly skills?: (() => readonly string[]) | undefined;
  /** What each program has for itself, be it the same path for all of them. */
  readonly ownPlaces?: readonly string[] | undefined;
  /** Resolves links: the paths to check are resolved too, so a place named above counts under both its names. */
  readonly realPath?: ((path: string) => string) | undefined;
  /** Whether a regular file is there. Default: always, so that each credential name is hidden. */
  readonly isFile?: ((path: string) => boolean) | undefined;
}

export interface PolicyPlaces {
  /** The path from the root of the project with `/` between its parts; undefined outside, '' for the root. */
  inProject(path: string): string | undefined;
  isReadable(path: string): boolean;
  isWritable(path: string): boolean;
  /** Keys, credentials: not for any tool. */
  isHidden(path: string): boolean;
  /** Files that decide which programs run later, or that record decisions: no tool changes them. */
  isProtected(path: string): boolean;
  /**
   * Whether it is a file of a skill that the user trusts: files that the skill names may be read anywhere, except those
   * that may hold keys and those that the user hides.
   */
  isOfSkill(path: string): boolean;
  /** Where a program finds a substitute of its own instead of the real content. */
  isOwn(path: string): boolean;
}

/** In the user's own directory: what opens other doors. */
export const HIDDEN_AT_HOME = [
  ...namesIn(`
    .ssh .gnupg .aws .azure .kube .docker/config.json .config/gcloud .config/gh .config/op .config/rclone
    .config/git/credentials .git-credentials .netrc .npmrc .pypirc .cargo/credentials.toml .gem/credentials .pgpass
    .my.cnf .terraform.d/credentials.tfrc.json .vault-token .password-store .local/share/keyrings .mozilla
    .config/google-chrome .config/chromium Library/Keychains
  `),
];

/** Files in the user's own directory that a shell, a session, git or an editor runs or reads at its next start. */
export const PROTECTED_AT_HOME = [
  ...namesIn(`
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
    .kshrc .cshrc .tcshrc .login .inputrc .xinitrc .xprofile .xsession .vimrc .gitconfig .config/git .config/fish
    .config/autostart .config/systemd .config/environment.d .local/bin Library/LaunchAgents
  `),
];

/** In whatever project: what ollm is told there, and sessions that are kept there. */
export const OWN_NAME = '.ollm';
/** In whatever project: what git does there. */
export const GIT_NAME = '.git';

/**
 * @example
 * createPlaces(options).isHidden('/home/me/project/.env'); // true
 */
export function createPlaces(options: PlacesOptions): PolicyPlaces {
  const { root, homeDirectory, realPath = (path) => path, isFile = () => true } = options;
  const both = (paths: readonly string[]) => [...new Set(paths.flatMap((path) => [path, realPath(path)]))];
  const at = (names: readonly string[]) => names.map((name) => join(homeDirectory, name));
  const hidden = both([...at(HIDDEN_AT_HOME), ...options.hidden]).map(lower);
  const closed = both([...at(PROTECTED_AT_HOME), ...options.protected]).map(lower);
  const writable = [root, ...both(options.writable)];
  const opened = both(options.readable);
  const readable = [...writable, ...opened];
  const isIn = (path: string, directories: readonly string[]) =>
    directories.some((directory) => relativeInside(directory, path) !== undefined);
  const hasHiddenName = (path: string) => {
    const name = path.slice(path.lastIndexOf(sep) + 1);
    return isCredentialName(name) && (!isAmbiguousName(name) || isFile(path));
  };
  const home = both(options.home === undefined ? [] : [options.home]).map(lower);
  const hiddenElsewhere = hidden.filter((path) => !home.includes(path));
  // A skill that is a link to all of the user's files opens none of them.
  const isNarrow = (directory: string) => !isIn(root, [directory]) && !isIn(homeDirectory, [directory]);
  const isPartOf = (directory: string, path: string) => {
    const way = relativeInside(directory, path);
    return way !== undefined && !hasPart(way, OWN_NAME) && isNarrow(directory);
  };
  return {
    inProject: (path) => relativeInside(root, path),
    isReadable: (path) => isIn(path, readable),
    isWritable: (path) => isIn(path, writable),
    isHidden: (path) =>
      isIn(lower(path), hidden) || (hasHiddenName(path) && !opened.includes(path)) || hasPart(path, OWN_NAME),
    isProtected: (path) => isIn(lower(path), closed) || hasPart(path, GIT_NAME),
    isOfSkill: (path) =>
      !isIn(lower(path), hiddenElsewhere) &&
      !hasHiddenName(path) &&
      (options.skills?.() ?? []).some((place) => isPartOf(place, path)),
    isOwn: (path) => isIn(path, options.ownPlaces ?? []),
  };
}

/** Case is ignored where the disk ignores it, as on most Macs. */
function lower(path: string): string {
  return path.toLowerCase();
}

function hasPart(path: string, name: string): boolean {
  return lower(path).split(sep).includes(name);
}
