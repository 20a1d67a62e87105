// The kind of a question: to see a file, to recall earlier messages, a greeting, or a search. Pure; knows a handful of
// phrases in several languages and takes everything else for a search.
import { fold } from '../../ranking/words.ts';

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export type OfflineQuestion =
  | { readonly type: 'greeting' }
  | { readonly type: 'thanks' }
  /** `isCertain`: it was asked for in words; else it only looks like the name of a file. */
  | {
      readonly type: 'file';
      readonly path: string;
      readonly range: LineRange;
      readonly isCertain: boolean;
    }
  | { readonly type: 'past'; readonly about: string }
  | { readonly type: 'search'; readonly text: string };

/** Longer texts are pasted, not asked: no phrase is looked for in them. */
const MAX_PHRASE_CHARACTERS = 300;

const GREETINGS = new Set(
  `hi hello hey hallo moin servus guten tag morgen abend good morning evening day bonjour salut bonsoir hola buenos buenas dias tardes ciao buongiorno ola
  bom dia merhaba hej привет здравствуйте 你好 こんにちは 안녕하세요 ok okay test ping there again back everyone all folks world nochmal wieder
  help hilfe aide ayuda aiuto who what are can do you was kannst du wer bist`.split(/\s+/),
);

const THANKS = new Set(
  `thanks thank you thx ty danke dir ihnen sehr schön merci beaucoup gracias muchas grazie mille obrigado obrigada спасибо 谢谢 ありがとう 감사합니다 a lot very
  much so great good nice cool perfect super awesome bye goodbye tschüss ciao that helped cheers`
    .split(/\s+/)
    .map(fold),
);
const GIVES_THANKS = /^(?:thank|thx|ty$|cheers|danke|merci|gracias|grazie|obrigad|спасибо|谢谢|ありがとう|감사합니다)/;

const MAX_GREETING_WORDS = 5;

const SHOW =
  /^(?:please |bitte )?(?:show|open|print|cat|read|display|view|quote|zeige?|öffne|lies|montre|affiche|ouvre|lis|muestra|abre|lee|mostra|apri|leggi|mostre|покажи|открой|显示|打开|表示)(?: me| mir| -moi)?(?: the| die| der| das| le| la| el| il)?(?: file| datei| fichier| archivo)? +(.+)$/i;

const PAST: readonly RegExp[] = [
  /\b(?:what|when|where) (?:did|have|had) (?:i|we|you) (?:just |already |ever )?(?:say|said|tell|told|write|written|ask|asked|mention|mentioned|decide|decided|agree|agreed|talk|talked|discuss|discussed)\b(.*)$/i,
  /\b(?:did|have) (?:i|we|you) (?:already |ever )?(?:say|said|mention|mentioned|talk|talked|discuss|discussed|decide|decided)\b(.*)$/i,
  /\bremind me (?:what|of|about)\b(.*)$/i,
  /\b(?:was|wann|wo) (?:habe|hatte|haben|hast|hatten) (?:ich|wir|du)\b(.*?)\b(?:gesagt|geschrieben|gefragt|erwähnt|beschlossen|besprochen)\b/i,
  /qu['’]est-ce (?:que j['’]ai|qu['’]on a|que nous avons) (?:dit|écrit|demandé|décidé)(.*)$/i,
  /\bqu['’]ai-je (?:dit|écrit|demandé)(.*)$/i,
  /\bqu[eé] (?:dije|dijimos|escribí|pregunté|decidimos)(.*)$/i,
  /\bcosa (?:ho|abbiamo) (?:detto|scritto|chiesto|deciso)(.*)$/i,
];

const PLACE = /^(?<path>.*?)(?:(?::| lines? )(?<from>\d{1,7})(?:(?: ?- ?| to )(?<to>\d{1,7}))?)?$/i;

/**
 * @example
 * readQuestion('show lib/x.ts:10-20') // { type: 'file', path: 'lib/x.ts', range: { from: 10, to: 20 }, isCertain: true
 * }
 */
export function readQuestion(text: string): OfflineQuestion {
  const question = text.trim();
  if (question.length > MAX_PHRASE_CHARACTERS) return { type: 'search', text: question };
  const words = fold(question).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (isThanks(words)) return { type: 'thanks' };
  if (isGreeting(words)) return { type: 'greeting' };
  for (const phrase of PAST) {
    const about = phrase.exec(question)?.[1];
    if (about !== undefined) return { type: 'past', about };
  }
  return fileQuestion(question) ?? { type: 'search', text: question };
}

function isThanks(words: readonly string[]): boolean {
  const isShort = words.length > 0 && words.length <= MAX_GREETING_WORDS;
  return isShort && words.every((word) => THANKS.has(word)) && words.some((word) => GIVES_THANKS.test(word));
}

function isGreeting(words: readonly string[]): boolean {
  return words.length <= MAX_GREETING_WORDS && words.every((word) => GREETINGS.has(word));
}

function fileQuestion(text: string): OfflineQuestion | undefined {
  const asked = SHOW.exec(text)?.[1];
  const named = (asked ?? text).replace(/[?!]+$|[`"'«»]/g, '').trim();
  const { path = '', from, to = from ?? Number.POSITIVE_INFINITY } = PLACE.exec(named)?.groups ?? {};
  if (path === '' || /\s/.test(path) || !/[./]/.test(path)) return undefined;
  const first = Math.max(1, Number(from ?? 1));
  const range = { from: first, to: Math.max(first, Number(to)) };
  return { type: 'file', path: path.replace(/^\.\//, ''), range, isCertain: asked !== undefined };
}
