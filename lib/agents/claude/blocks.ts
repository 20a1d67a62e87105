// The content of a message of Claude Code: a text, or blocks of several kinds.
import type { Part } from '../../messages/index.ts';
import type { Attachment } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { nonEmpty, objectIn, objectsIn, saysSomething, textIn } from '../members.ts';
import { type ClaudeGiven, PROVIDER } from './state.ts';

export interface Blocks {
  readonly parts: Part[];
  readonly attachments: readonly Attachment[] | undefined;
}

/** The parts of a message that are content. Calls and results are not parts. */
export function readBlocks(content: unknown, given: ClaudeGiven): Blocks {
  if (typeof content === 'string')
    return { parts: saysSomething(content) ? [textPart(content)] : [], attachments: undefined };
  const parts: Part[] = [];
  const attachments: Attachment[] = [];
  for (const block of objectsIn(content)) {
    switch (block.type) {
      case 'text': {
        const text = textIn(block.text);
        if (saysSomething(text)) parts.push(textPart(text));
        break;
      }
      case 'thinking':
        addReasoning(parts, nonEmpty(block.thinking), nonEmpty(block.signature));
        break;
      case 'redacted_thinking':
        addReasoning(parts, undefined, nonEmpty(block.data));
        break;
      case 'image': {
        const source = objectIn(block.source);
        const image = imageOf(source?.media_type, source?.data);
        if (image === undefined) given.left.push('message.content[image]');
        else {
          parts.push(image.part);
          attachments.push(image.attachment);
        }
        break;
      }
      // A tool that a search for tools brought: the model is given its definition.
      case 'tool_reference': {
        const name = nonEmpty(block.tool_name);
        if (name !== undefined) parts.push(textPart(name));
        break;
      }
      case 'tool_use':
      case 'tool_result':
        break;
      default:
        given.left.push(`message.content[${typeof block.type === 'string' ? block.type : ''}]`);
    }
  }
  return { parts, attachments: attachments.length === 0 ? undefined : attachments };
}

function addReasoning(parts: Part[], text: string | undefined, opaque: string | undefined): void {
  if (text === undefined && opaque === undefined) return;
  parts.push({
    type: 'reasoning',
    ...(text === undefined ? {} : { text }),
    ...(opaque === undefined ? {} : { opaque }),
    provider: PROVIDER,
  });
}

export function textPart(text: string): Part {
  return { type: 'text', text };
}

export function textOfParts(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  return texts.join('\n');
}
