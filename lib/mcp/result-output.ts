// A server's answer to a call, as an output for a model: texts unchanged, images next to them, and for all other
// content its kind and size.
import type { CallToolResult } from '@modelcontextprotocol/client';
import { canonicalJson } from '../platform/json.ts';
import type { ToolOutput } from '../tools/tool.ts';

type ContentBlock = CallToolResult['content'][number];

/** @example resultOutput({ content: [{ type: 'text', text: '4 open issues' }] }).content // '4 open issues' */
export function resultOutput({ content, structuredContent, isError }: CallToolResult): ToolOutput {
  const images: Uint8Array[] = [];
  const pieces = content.map((block) => blockText(block, images));
  if (structuredContent !== undefined && !content.some((block) => saysTheSame(block, structuredContent))) {
    pieces.push(JSON.stringify(structuredContent, undefined, 1));
  }
  return { content: pieces.join('\n\n'), status: isError ? 'error' : 'ok', ...(images.length > 0 && { images }) };
}

/** Images are put into `images` and told of by their number. */
function blockText(block: ContentBlock, images: Uint8Array[]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return imageText(block.data, block.mimeType, images);
    case 'audio':
      return `[audio, ${block.mimeType}, ${bytesOf(block.data)} bytes; not shown]`;
    case 'resource_link':
      return `[link to ${[block.title ?? block.name, block.uri, block.description].filter(Boolean).join(', ')}]`;
    case 'resource': {
      const { resource } = block;
      const what = [resource.uri, resource.mimeType].filter(Boolean).join(', ');
      if ('text' in resource) return `[${what}]\n${resource.text}`;
      if (resource.mimeType?.startsWith('image/'))
        return `[${what}] ${imageText(resource.blob, resource.mimeType, images)}`;
      return `[${what}, ${bytesOf(resource.blob)} bytes; not shown]`;
    }
  }
}

function imageText(base64: string, mediaType: string, images: Uint8Array[]): string {
  const bytes = Buffer.from(base64, 'base64');
  images.push(bytes);
  return `[image ${images.length}, ${mediaType}, ${bytes.length} bytes]`;
}

/** The protocol asks servers to give structured content also as text. */
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
