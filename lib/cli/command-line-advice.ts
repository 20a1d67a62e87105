// Advice for the command line: many hints name commands of the REPL. Where an option does the same, it is named in
// their place; any other is called a command of the REPL.

const OPTIONS: readonly (readonly [pattern: RegExp, option: string])[] = [
  [/\/(\w+), or (?=ollm \1\b)/g, ''],
  [/\/(provider|model)( [\w-]+)? or --\1/g, '--$1'],
  [/\/provider ([\w-]+) MODEL/g, '--provider $1 --model MODEL'],
  [/(?<=with |\()\/(provider|model)\b/g, '--$1'],
];
const COMMAND =
  /(?<=^|[\s("'`])\/(?:mode \w+|tools approve [\w-]+|compact --undo|compact|undo|tools|tool|skills|provider|model|mode|revert|save|trust)(?![\w/-])/g;
const SAID_ALREADY = /\bREPL\b|\bollm repl\b/;

/**
 * @example
 * commandLineAdvice('Switch with /provider.'); // 'Switch with --provider.'
 * commandLineAdvice('Make room with /compact.'); // 'Make room with /compact in the REPL.'
 */
export function commandLineAdvice(text: string): string {
  if (!text.includes('/')) return text;
  const named = OPTIONS.reduce((advice, [pattern, option]) => advice.replace(pattern, option), text);
  return SAID_ALREADY.test(named) ? named : named.replace(COMMAND, '$& in the REPL');
}
