// Colours of code, loaded when the first block of code is shown, and each language when a block of it is. Gives a tree
// of texts and roles; no HTML is made.
import type { Emitter } from 'highlight.js';
import core from 'highlight.js/lib/core';
import type { Coloured } from '../model/coloured.ts';
import { codeLanguage } from './languages.ts';

interface ColouredPiece {
  text?: string;
  readonly role?: Coloured['role'];
  readonly children?: ColouredPiece[];
}

const ROLES: Readonly<Record<string, Coloured['role']>> = {
  keyword: 'key',
  'selector-tag': 'key',
  tag: 'key',
  section: 'key',
  string: 'str',
  regexp: 'str',
  addition: 'str',
  title: 'fn',
  built_in: 'fn',
  attr: 'fn',
  name: 'fn',
  property: 'fn',
  number: 'num',
  literal: 'num',
  type: 'num',
  deletion: 'num',
  comment: 'note',
  quote: 'note',
  meta: 'note',
};

/** Takes the reports of the highlighter as pieces instead of HTML. */
class Pieces implements Emitter {
  readonly all: ColouredPiece[] = [];
  readonly #open: ColouredPiece[][] = [this.all];

  addText(text: string): void {
    const pieces = this.#open.at(-1)!;
    const last = pieces.at(-1);
    if (last?.text === undefined) pieces.push({ text });
    else last.text += text;
  }

  openNode(name: string): void {
    const role = ROLES[name.split('.')[0]!];
    const children: ColouredPiece[] = [];
    this.#open.at(-1)!.push({ ...(role === undefined ? {} : { role }), children });
    this.#open.push(children);
  }

  closeNode(): void {
    if (this.#open.length > 1) this.#open.pop();
  }

  startScope(name: string): void {
    this.openNode(name);
  }

  endScope(): void {
    this.closeNode();
  }

  __addSublanguage({ all }: Pieces): void {
    this.#open.at(-1)!.push({ children: all });
  }

  finalize(): void {}

  toHTML(): string {
    return '';
  }
}

const highlighter = core.newInstance();
highlighter.configure({ __emitter: Pieces });

/** The code in pieces; undefined for a language that is not known. */
export async function colour(text: string, name: string): Promise<readonly Coloured[] | undefined> {
  const language = name.toLowerCase();
  if (!highlighter.getLanguage(language)) {
    const known = codeLanguage(name);
    if (known === undefined) return undefined;
    highlighter.registerLanguage(known.name, (await known.load()).default);
    highlighter.registerAliases([...known.aliases], { languageName: known.name });
  }
  return (highlighter.highlight(text, { language, ignoreIllegals: true })._emitter as Pieces).all;
}
