// Claude Code's attachments of a turn, as far as they belong to the conversation: files, rules of a folder, output of
// hooks, and messages of the user while the turn ran.
import type { JsonObject } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { Content } from '../content.ts';
import { objectIn, textIn } from '../members.ts';
import { addUserMessage } from '../said.ts';
import { textOfContent } from './blocks.ts';
import { divide } from './injected.ts';
import type { ClaudeGiven } from './state.ts';

export function readAttachment(record: JsonObject, given: ClaudeGiven): void {
  const attachment = objectIn(record.attachment) ?? {};
  const file = objectIn(objectIn(attachment.content)?.file);
  const content = new Content();
  if (attachment.type === 'file' && content.addImage(imageOf(file?.type, file?.base64))) {
    addUserMessage({ content, isSynthetic: true }, given);
    return;
  }
  content.addText(textOfAttachment(attachment));
  const canBeTyped = attachment.type === 'queued_command' && attachment.commandMode !== 'task-notification';
  const { typed, injected } = canBeTyped ? divide(record, content.parts) : { typed: [], injected: content.parts };
  addUserMessage({ content, parts: injected, isSynthetic: true }, given);
  // Typed while a turn ran, and answered in that.
  addUserMessage({ content, parts: typed, isSynthetic: false }, given);
}

/** The text of an attachment that belongs to the conversation: files, hooks and messages of the user meanwhile. */
function textOfAttachment(attachment: JsonObject): string | undefined {
  switch (attachment.type) {
    case 'queued_command':
      return textOfContent(attachment.prompt);
    case 'file':
      return fileText(textIn(attachment.filename), objectIn(objectIn(attachment.content)?.file)?.content);
    case 'nested_memory':
      return fileText(textIn(attachment.path), objectIn(attachment.content)?.content);
    case 'edited_text_file':
      return fileText(textIn(attachment.filename), attachment.snippet);
    case 'hook_additional_context': {
      const { content } = attachment;
      return Array.isArray(content) ? content.filter((one) => typeof one === 'string').join('\n') : textIn(content);
    }
    default:
      return undefined;
  }
}

function fileText(path: string | undefined, content: unknown): string | undefined {
  return typeof content === 'string' && content !== '' ? `${path ?? ''}\n${content}` : undefined;
}
