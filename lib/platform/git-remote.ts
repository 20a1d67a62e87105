// The address of a git repository, in the form in which that of two clones is the same: host and path, without the way
// to get there, a user or a token.

/**
 * @example
 * gitRemote('git@github.com:ada/boat.git'); // 'github.com/ada/boat'
 * gitRemote('https://token@github.com/ada/boat'); // 'github.com/ada/boat'
 */
export function gitRemote(url: string): string | undefined {
  if (url.length > MAX_CHARACTERS) return undefined;
  const [, host, path] = WITH_SCHEME.exec(url) ?? SHORT.exec(url) ?? [];
  const name = path?.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '');
  return host === undefined || !name ? undefined : `${host.toLowerCase()}/${name}`;
}

const MAX_CHARACTERS = 2000;
/** scheme://user@host:port/path, whose query could hold a token. */
const WITH_SCHEME = /^(?:https?|ssh|git|git\+ssh):\/\/(?:[^/@]*@)?([\w.-]+)(?::\d+)?\/([^?#\s]+)/i;
/** user@host:path */
const SHORT = /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):(?!\/\/)([^?#\s]+)$/;
