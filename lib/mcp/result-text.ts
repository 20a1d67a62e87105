// What a server answers to a call, as text for a model: texts as they are, of everything else what it is and how much.
import type { CallToolResult } from '@modelcontextprotocol/client';
import { canonicalJson } from './canonical-json.ts';

type ContentBlock = CallToolResult['content'][number];

/** @example resultText({ content: [{ type: 'text', text: '4 open issues' }] }) // '4 open issues' */
export function resultText({ content, structuredContent }: CallToolResult): string {
  const pieces = content.map(blockText);
  if (structuredContent !== undefined && !content.some((block) => saysTheSame(block, structuredContent))) {
    pieces.push(JSON.stringify(structuredContent, undefined, 1));
  }
  return pieces.join('\n\n');
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${bytesOf(block.data)} bytes; not shown]`;
    case 'resource_link':
      return `[link to ${[block.title ?? block.name, block.uri, block.description].filter(Boolean).join(', ')}]`;
    case 'resource': {
      const { resource } = block;
      const what = [resource.uri, resource.mimeType].filter(Boolean).join(', ');
      return 'text' in resource
        ? `[${what}]\n${resource.text}`
        : `[${what}, ${bytesOf(resource.blob)} bytes; not shown]`;
    }
  }
}

/** Servers are told to give what is structured also as text. */
function saysTheSame(block: ContentBlock, structured: unknown): boolean {
  if (block.type !== 'text') return false;
  try {
    return canonicalJson(JSON.parse(block.text)) === canonicalJson(structured);
  } catch {
    return false;
  }
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64');
}
