// The content of a message of Claude Code: a text, or blocks of several kinds.
import { imageOf } from '../attachments.ts';
import { Content } from '../content.ts';
import { nonEmpty, objectIn, objectsIn, textIn } from '../members.ts';
import { type ClaudeGiven, PROVIDER } from './state.ts';

/** The parts of a message that are content. Calls and results are not parts. */
export function readBlocks(blocks: unknown, given: ClaudeGiven): Content {
  const content = new Content();
  if (typeof blocks === 'string') content.addText(blocks);
  for (const block of objectsIn(blocks)) {
    switch (block.type) {
      case 'text':
        content.addText(textIn(block.text));
        break;
      case 'thinking':
        content.addReasoning(PROVIDER, nonEmpty(block.thinking), nonEmpty(block.signature));
        break;
      case 'redacted_thinking':
        content.addReasoning(PROVIDER, undefined, nonEmpty(block.data));
        break;
      case 'image': {
        const source = objectIn(block.source);
        if (!content.addImage(imageOf(source?.media_type, source?.data))) given.left.push('message.content[image]');
        break;
      }
      // A tool that a search for tools brought: the model is given its definition.
      case 'tool_reference':
        content.addText(textIn(block.tool_name));
        break;
      case 'tool_use':
      case 'tool_result':
        break;
      default:
        given.left.push(`message.content[${typeof block.type === 'string' ? block.type : ''}]`);
    }
  }
  return content;
}

export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(({ type, text }) =>
    type === 'text' && typeof text === 'string' ? [text] : [],
  );
  return texts.join('\n');
}
