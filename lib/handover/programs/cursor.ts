// A document for Cursor, which takes no session in: its agent is started with the wish to read it. Calls and results
// are in blocks that no text in them can close.
import { textOf } from '../answer-steps.ts';
import type { Target, WrittenItem, WrittenSession } from '../target.ts';

export const cursor: Target = {
  name: 'cursor',
  hasPictures: false,
  joinsTexts: true,
  tellsFailures: false,
  isDocument: true,
  caution:
    'Cursor takes no sessions in. This is a document of the conversation, which its agent is asked to read first.',
  folder: () => '',
  pathOf: ({ id }) => `cursor-${id}.md`,
  contentOf,
  command: (_, path) => ['cursor-agent', `Read all of ${path} first: the conversation that we continue here.`],
};

const NAMES = { user: 'User', assistant: 'Assistant' } as const;

function contentOf({ items, title, mark }: WrittenSession): string {
  const line = title?.replaceAll(/\s+/g, ' ').trim() || `Conversation ${mark.from}`;
  return `${[`# ${line}`, ...items.map(sectionOf)].join('\n\n')}\n`;
}

function sectionOf(item: WrittenItem): string {
  if (item.kind === 'message') return `## ${NAMES[item.role]}, ${item.at}\n\n${textOf(item)}`;
  const args = JSON.stringify(item.args, undefined, 2);
  return `### Call of ${item.name}, ${item.at}\n\n${block(args, 'json')}\n\nResult:\n\n${block(item.result, '')}`;
}

/** A fence of more marks than the text has in a row. */
function block(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([marks]) => marks.length));
  const marks = '`'.repeat(longest + 1);
  return `${marks}${language}\n${text}\n${marks}`;
}
