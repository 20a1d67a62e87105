// What an entry for an MCP server says of how the server is started, in the two forms that programs have: command and
// arguments, or one list of words.
import { isObject } from '../platform/json.ts';

/** A server that a program starts, as its command line and the variables that it sets. */
export interface StartedServer {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, unknown>>;
}

/** The words that have any ollm serve its sessions. */
const SERVE = ['mcp', 'serve'];
/** Ends of the path of the program: the command that npm makes, and the script that it leads to. */
const PROGRAM = /(?:^|[\\/])ollm(?:\.[cm]?js|\.cmd)?$/;

/**
 * Undefined if the entry does not start a program: one with a URL, or one that is broken.
 *
 * @example
 * startedBy({ command: 'ollm', args: ['mcp', 'serve'] }); // { words: ['ollm', 'mcp', 'serve'], env: {} }
 */
export function startedBy(entry: unknown): StartedServer | undefined {
  if (!isObject(entry)) return undefined;
  const { command, args = [] } = entry;
  const words = Array.isArray(command) ? command : Array.isArray(args) ? [command, ...args] : [];
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) return undefined;
  const env = isObject(entry.env) ? entry.env : isObject(entry.environment) ? entry.environment : {};
  return { words, env };
}

/**
 * The two halves of a command line of `ollm mcp serve`: the program with the words before `mcp serve`, and the flags
 * after it. Undefined for every other program.
 */
export function partsOfOllm(
  words: readonly string[],
): { readonly program: readonly string[]; readonly flags: readonly string[] } | undefined {
  const at = words.findIndex((word, index) => word === SERVE[0] && words[index + 1] === SERVE[1]);
  const program = words.slice(0, Math.max(at, 0));
  if (!program.some((word) => PROGRAM.test(word))) return undefined;
  return { program, flags: words.slice(at + SERVE.length) };
}

/** The command line of `ollm mcp serve`. */
export function wordsOfOllm(program: readonly string[], flags: readonly string[]): readonly string[] {
  return [...program, ...SERVE, ...flags];
}
