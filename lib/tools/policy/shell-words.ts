// What a parsed word of a shell line becomes, as far as it can be told without running anything.
import type { ArrayValue, Assignment, Word, WordPart } from 'unbash';
import type { CommandWord } from './command-words.ts';

/** A word that is not fixed keeps how it is written: for messages, and for rules that are read widely. */
export function commandWord(word: Word | Assignment): CommandWord {
  if (word.type === 'Assignment') return assignmentWord(word);
  const { parts, text, value } = word;
  const isFixed = parts === undefined || parts.every(isFixedPart);
  if (!isFixed) return { text, isFixed: false };
  if (!text.startsWith('~')) return { text: value, isFixed: true };
  // `~somebody`, `~+`, `~-`: unknown directories.
  return /^~(?:\/|$)/.test(text) ? { text: value, isFixed: true, isAtHome: true } : { text, isFixed: false };
}

/** `export A=b`: an assignment in the place of an argument. */
function assignmentWord({ text, name, value, index, append }: Assignment): CommandWord {
  const isSimple = index === undefined && !append && value.type === 'Word';
  const word = isSimple ? commandWord(value as Exclude<typeof value, ArrayValue>) : undefined;
  if (!word?.isFixed || word.isAtHome) return { text, isFixed: false };
  return { text: `${name}=${word.text}`, isFixed: true };
}

function isFixedPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return true;
    case 'DoubleQuoted':
      return part.parts.every(isFixedPart);
    // Patterns of file names, variables, substitutions, translations: their values show only at run time.
    default:
      return false;
  }
}
