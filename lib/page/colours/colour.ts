// Colours of code, loaded when the first block of code is shown, and each language when a block of it is. Gives a tree
// of texts and roles; no HTML is made.
import { createLowlight } from 'lowlight';
import type { Coloured } from '../model/coloured.ts';
import { codeLanguage } from './languages.ts';

const lowlight = createLowlight();

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

/** The code in pieces; undefined for a language that is not known. */
export async function colour(text: string, language: string): Promise<readonly Coloured[] | undefined> {
  if (!lowlight.registered(language.toLowerCase())) {
    const known = codeLanguage(language);
    if (known === undefined) return undefined;
    lowlight.register(known.name, await known.load());
    lowlight.registerAlias(known.name, known.aliases);
  }
  return lowlight.highlight(language.toLowerCase(), text).children.map(pieceOf);
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

function pieceOf(node: Node): Coloured {
  if (node.type === 'text') return { text: node.value };
  if (node.type !== 'element') return { text: '' };
  const classes = Array.isArray(node.properties.className) ? node.properties.className : [];
  const role = ROLES[String(classes[0]).replace(/^hljs-/, '')];
  return { ...(role === undefined ? {} : { role }), children: (node.children as Node[]).map(pieceOf) };
}
