// Whether a message has enough meaning that something can be looked for: "yes, go on" has not. Pure.
import { fold, readQuery } from './words.ts';

/** Words that agree, thank, greet and continue. They are told by how they are written, as a whole. */
const SMALL_TALK = new Set(
  `again agreed ahead alright awesome bye carry cheers continue cool correct exactly excellent fine first good great hello hey hi hm hmm keep lgtm
  looks maybe nah nice nope ok okay perfect please proceed really right second sorry stop sure thank thanks that thing things think try undo
  wait well wow wrong yeah yep yes yup going go next back better both ready start let lets re ve ll don doesn isn
  alles danke doch einverstanden falsch fertig genau gern gerne gut hallo ja klar los mach machen nein nochmal passt richtig
  sicher stimmt super toll weiter
  accord bien bon bonjour continuez encore merci non oui parfait vas
  adelante bueno claro gracias hola perfecto sigue vale
  andiamo bene certo ciao grazie avanti va
  continua obrigado obrigada sim`
    .split(/\s+/)
    .map(fold),
);
/** A text of this form is searched for even if it is the only word: `ENOENT`, TS2304, harbour.toml, lib/turn. */
const IDENTIFIER = /`[^`]+`|\p{L}\p{N}|\p{N}\p{L}|\p{Ll}\p{Lu}|[\p{L}\p{N}][_/.\\-][\p{L}\p{N}]|^\W*\p{Lu}{4,}\W*$/u;
/** Without spaces, a word is one pair of characters or several. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+$/u;

/**
 * Two words that say something are enough, or one in a question or with the look of an identifier.
 *
 * @example
 * asksForSomething('ok, go on'); // false
 * asksForSomething('where is the port?'); // true
 */
export function asksForSomething(message: string): boolean {
  const { terms, isQuestion } = readQuery(message);
  const saying = terms.filter(({ shown }) => !SMALL_TALK.has(fold(shown)));
  const enough = saying.every(({ shown }) => UNSPACED.test(shown)) ? 3 : 2;
  return saying.length >= enough || (saying.length > 0 && (isQuestion || IDENTIFIER.test(message)));
}
