// Colours of code, loaded when the first block of code is shown. Gives a tree of texts and roles; no HTML is made.
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import type { Coloured } from '../model/coloured.ts';

const languages = {
  bash,
  c,
  cpp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
}; // prettier-ignore
const lowlight = createLowlight(languages);

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
export function colour(text: string, language: string): readonly Coloured[] | undefined {
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
