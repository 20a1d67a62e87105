// `--env` takes all words after it, up to the next option: in `--env A=b notes notes-server` it would take the name and
// the program too. Where they are nowhere else, it takes the word after it and further variables with their values; so
// it does in `--env A=b notes -- notes-server --stdio`, where the value shows that no other variable follows.
import type { Command } from 'commander';

const OPTION = '--env';
/** The name of the server, and its program or address. */
const NEEDED = 2;

/** To be called when the command has its options. */
export function leaveNeededWords(command: Command): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (words) => {
    const [, ...all] = command.parent?.args ?? [];
    const isNeeded = operandsIn(command, all) < NEEDED || isNameAfterValue(command, all);
    return parse(isNeeded ? withSingleVariables(words) : words);
  };
}

function operandsIn(command: Command, words: readonly string[]): number {
  let count = 0;
  let isValue = false;
  let isVariadic = false;
  for (const [index, word] of words.entries()) {
    if (word === '--') return count + words.length - index - 1;
    if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => word === long || word === short);
      isValue = option?.required === true;
      isVariadic = option?.variadic === true;
    } else if (!isValue) count += 1;
    else isValue = isVariadic;
  }
  return count;
}

/** Whether the name can only be the word before `--` that follows variables with their values. */
function isNameAfterValue(command: Command, words: readonly string[]): boolean {
  const end = words.indexOf('--');
  if (end === -1 || operandsIn(command, words.slice(0, end)) > 0) return false;
  const variables = words.slice(0, end).filter((_, index) => words[index - 1] === OPTION);
  return variables.length > 0 && variables.every((variable) => variable.includes('='));
}

/** With an equals sign, an option takes one word. */
function withSingleVariables(words: readonly string[]): string[] {
  const end = words.indexOf('--');
  const options = end === -1 ? words : words.slice(0, end);
  const parsed: string[] = [];
  let isAfter = false;
  for (const [index, word] of options.entries()) {
    const isFirst = words[index - 1] === OPTION;
    isAfter = isFirst || (isAfter && /^\w+=/.test(word));
    if (isAfter) parsed.push(`${OPTION}=${word}`);
    else if (word !== OPTION || index === options.length - 1) parsed.push(word);
  }
  return [...parsed, ...words.slice(options.length)];
}
