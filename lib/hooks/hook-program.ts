// Which program a line of the configuration names. A path that depends on the current directory would let a
// project replace the user's program by its own, so it is refused.
import { type SplitLine, splitWords } from './split-words.ts';

/** @example hookProgram('~/bin/check -v', { homeDirectory: '/home/me' }).words // ['/home/me/bin/check', '-v'] */
export function hookProgram(line: string, { homeDirectory }: { readonly homeDirectory: string }): SplitLine {
  const split = splitWords(line, { homeDirectory });
  if (!split.ok) return split;
  const [program] = split.words;
  if (!program.includes('/') || program.startsWith('/')) return split;
  return { ok: false, problem: 'its path must be absolute, or begin with ~/, or be a name that is found in PATH' };
}
