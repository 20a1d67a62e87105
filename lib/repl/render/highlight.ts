// Code in colours. A grammar is loaded when a block first needs it, before the first line of that block is drawn: what
// is printed never changes. Code of a language that is not known has one colour. The text stays exactly as it came.
import { createRequire } from 'node:module';
import { type Style, type StyledLine, spanOf } from '../../display/paint.ts';
import { languageOf } from './highlight-languages.ts';

export interface CodeColors {
  /** Lines that follow one another in the block. */
  lines(texts: readonly string[]): readonly StyledLine[];
  /** The line after them, as far as it has come. */
  open(text: string): StyledLine;
}

/** The used part of highlight.js. Its own types would bring those of a browser into the whole program. */
interface Api {
  registerLanguage(name: string, grammar: unknown): void;
  getLanguage(name: string): object | undefined;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: true },
  ): { readonly value: string };
}

const PARTS = 'highlight.js/lib';

/** Made for the first block: nothing of it is loaded where no code is shown. */
let require: NodeJS.Require | undefined;

function loadPart<Part>(name: string): Part {
  require ??= createRequire(import.meta.url);
  return require(`${PARTS}/${name}`) as Part;
}

/** Code after this many characters of its block has a single colour: each line is read with all that precedes it. */
const MOST_READ = 20_000;
const PLAIN: readonly Style[] = ['cyan'];

/** By the first name of a class of highlight.js. */
const STYLES: Readonly<Record<string, readonly Style[]>> = {
  comment: ['dim'],
  quote: ['dim'],
  meta: ['dim'],
  string: ['green'],
  regexp: ['green'],
  char: ['green'],
  addition: ['green'],
  deletion: ['red'],
  number: ['yellow'],
  literal: ['yellow'],
  symbol: ['yellow'],
  keyword: ['magenta'],
  tag: ['magenta'],
  name: ['magenta'],
  'selector-tag': ['magenta'],
  type: ['cyan'],
  built_in: ['cyan'],
  class: ['cyan'],
  attr: ['cyan'],
  attribute: ['cyan'],
  title: ['bold'],
  section: ['bold'],
};
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

export class Highlighter {
  #api: Api | undefined;

  /** With the grammar of this language; undefined where it cannot be loaded. */
  #with(language: string | undefined): Api | undefined {
    if (language === undefined) return undefined;
    try {
      this.#api ??= loadPart<Api>('core');
      if (this.#api.getLanguage(language) === undefined)
        this.#api.registerLanguage(language, loadPart(`languages/${language}`));
      return this.#api;
    } catch {
      return undefined;
    }
  }

  /** A block whose opening fence has these words. */
  block(words: string): CodeColors {
    const language = languageOf(words);
    const api = this.#with(language);
    let before = '';
    const colored = (texts: readonly string[]): readonly StyledLine[] => {
      const code = before + texts.join('\n');
      if (language === undefined || code.length > MOST_READ || api === undefined)
        return texts.map((text) => [{ text, styles: PLAIN }]);
      const { value } = api.highlight(code, { language, ignoreIllegals: true });
      return linesOf(value).slice(-texts.length);
    };
    return {
      lines(texts) {
        const lines = colored(texts);
        if (before.length <= MOST_READ) before += `${texts.join('\n')}\n`;
        return lines;
      },
      open: (text) => colored([text])[0] ?? [],
    };
  }
}

/** The markup of highlight.js as lines: spans, entities and text, and nothing else. */
function linesOf(markup: string): StyledLine[] {
  const lines: StyledLine[number][][] = [[]];
  const open: (readonly Style[])[] = [[]];
  for (const [token, className] of markup.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (className !== undefined) open.push(stylesOf(className) ?? open.at(-1)!);
    else if (token === '</span>') open.pop();
    else {
      const styles = open.at(-1) ?? [];
      const [first = '', ...rest] = unescaped(token).split('\n');
      if (first !== '') lines.at(-1)!.push(spanOf(first, ...styles));
      for (const text of rest) lines.push(text === '' ? [] : [spanOf(text, ...styles)]);
    }
  }
  return lines;
}

/** `hljs-title function_`: the first name says enough. */
function stylesOf(className: string): readonly Style[] | undefined {
  const [, name = ''] = /^hljs-([\w-]+)/.exec(className) ?? [];
  return STYLES[name];
}

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => ENTITIES[name]!);
}
