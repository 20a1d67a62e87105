// Code in colours. The grammars are loaded when a block first needs them; until one is there, and for languages that
// are not known, code has one colour. The text stays exactly as it came.
import type { Line, Style } from '../../display/paint.ts';
import { languageOf } from './highlight-languages.ts';

export interface CodeColors {
  /** Lines that follow one another in the block. */
  lines(texts: readonly string[]): readonly Line[];
  /** The line behind them, as far as it has come. */
  open(text: string): Line;
}

/** What is used of highlight.js. Its own types would bring those of a browser into all of this program. */
interface Api {
  registerLanguage(name: string, grammar: unknown): void;
  getLanguage(name: string): object | undefined;
  highlight(
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: true },
  ): { readonly value: string };
}

const PARTS = 'highlight.js/lib';

async function loadPart<Part>(name: string): Promise<Part> {
  const part = (await import(`${PARTS}/${name}`)) as { readonly default: Part };
  return part.default;
}

/** Code behind so many characters of its block has one colour: each line is read with all that is before it. */
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
  #api: Promise<Api> | undefined;
  #loaded: Api | undefined;
  readonly #languages = new Map<string, Promise<void>>();

  /** Loads the grammar that this text between fences needs; resolves at once for one that is not known. */
  async load(words: string): Promise<void> {
    const language = languageOf(words);
    if (language === undefined) return;
    const loading = this.#languages.get(language) ?? this.#loadLanguage(language);
    this.#languages.set(language, loading);
    await loading.catch(() => undefined);
  }

  async #loadLanguage(language: string): Promise<void> {
    this.#api ??= loadPart<Api>('core');
    const [api, grammar] = await Promise.all([this.#api, loadPart(`languages/${language}`)]);
    api.registerLanguage(language, grammar);
    this.#loaded = api;
  }

  /** A block whose opening fence has these words. */
  block(words: string): CodeColors {
    const language = languageOf(words);
    void this.load(words);
    let before = '';
    const colored = (texts: readonly string[]): readonly Line[] => {
      const code = before + texts.join('\n');
      const api = this.#loaded;
      if (language === undefined || code.length > MOST_READ || api?.getLanguage(language) === undefined)
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
function linesOf(markup: string): Line[] {
  const lines: Line[number][][] = [[]];
  const open: (readonly Style[])[] = [[]];
  for (const [token, className] of markup.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (className !== undefined) open.push(stylesOf(className) ?? open.at(-1)!);
    else if (token === '</span>') open.pop();
    else {
      const styles = open.at(-1) ?? [];
      const [first = '', ...rest] = unescaped(token).split('\n');
      if (first !== '') lines.at(-1)!.push({ text: first, styles });
      for (const text of rest) lines.push(text === '' ? [] : [{ text, styles }]);
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
