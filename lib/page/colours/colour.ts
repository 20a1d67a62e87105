// Colours of code, loaded when the first block of code is shown, and each further language when a block of it is: code
// in a language that is not known loads nothing. Gives a tree of texts and roles; no HTML is made.
import bash from 'highlight.js/lib/languages/bash';
import diff from 'highlight.js/lib/languages/diff';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { Coloured } from '../model/coloured.ts';
import { furtherLanguage } from './further-languages.ts';

const lowlight = createLowlight({ bash, diff, javascript, json, markdown, python, typescript, yaml });

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
  if (!lowlight.registered(language)) {
    const further = furtherLanguage(language);
    if (further !== undefined) lowlight.register(further.name, await further.load());
  }
  if (!lowlight.registered(language)) return undefined;
  return lowlight.highlight(language, text).children.map(pieceOf);
}

type Node = ReturnType<typeof lowlight.highlight>['children'][number];

function pieceOf(node: Node): Coloured {
  if (node.type === 'text') return { text: node.value };
  if (node.type !== 'element') return { text: '' };
  const classes = Array.isArray(node.properties.className) ? node.properties.className : [];
  const role = ROLES[String(classes[0]).replace(/^hljs-/, '')];
  return { ...(role === undefined ? {} : { role }), children: (node.children as Node[]).map(pieceOf) };
}
