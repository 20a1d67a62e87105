// The content of a prompt as the beginning of a turn: texts, files that the editor names, texts that it includes, and
// images.
import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { App } from '../app/app.ts';
import { attachFiles } from '../app/context/attach-files.ts';
import type { Conversation } from '../app/conversation.ts';
import { OllmError } from '../errors/index.ts';
import type { Part } from '../messages/index.ts';
import { isInside } from '../platform/files/inside.ts';
import { imageSizeOf } from '../tools/image-size.ts';
import { imageProblem, imageTypeOf } from '../tools/image-type.ts';
import type { TurnInput } from '../turn/run-turn.ts';

interface PromptContent {
  readonly text: string;
  /** Absolute paths of files in the project. */
  readonly files: readonly string[];
  readonly images: readonly Uint8Array[];
}

/**
 * The input of a turn. Nothing is stored if a part cannot be sent.
 *
 * @throws OllmError USAGE: a part cannot be sent
 */
export async function turnInput(
  app: App,
  conversation: Conversation,
  prompt: readonly ContentBlock[],
): Promise<TurnInput> {
  const { text, files, images } = contentOf(app, prompt);
  if (text.trim() === '' && images.length === 0) throw new OllmError('USAGE', 'The prompt is empty.');
  for (const image of images) requireImage(conversation, image);
  const { input } = await attachFiles(app, conversation, { text, typed: '', files, allowOutside: false });
  if (images.length === 0) return input;
  const { store, session } = conversation;
  const parts: Part[] = [...(input.parts ?? [{ type: 'text', text: input.text } as const])];
  for (const image of images) {
    const blob = await store.putBlob(image, session.id);
    parts.push({ type: 'image', mediaType: imageTypeOf(image)!, blob, ...imageSizeOf(image) });
  }
  return { text: input.text, parts };
}

function contentOf(app: App, prompt: readonly ContentBlock[]): PromptContent {
  const texts: string[] = [];
  const files: string[] = [];
  const images: Uint8Array[] = [];
  for (const block of prompt) {
    switch (block.type) {
      case 'text':
        texts.push(block.text);
        break;
      case 'resource_link': {
        const path = pathOf(block.uri);
        const isFile = path !== undefined && app.fileSystem.stat(path)?.kind === 'file';
        if (isFile && isInside(app.paths.project, path)) files.push(path);
        texts.push(path ?? block.uri);
        break;
      }
      case 'resource': {
        const { resource } = block;
        const name = pathOf(resource.uri) ?? resource.uri;
        texts.push('text' in resource ? `\n${name}:\n\`\`\`\n${resource.text}\n\`\`\`\n` : name);
        break;
      }
      case 'image':
        images.push(Buffer.from(block.data, 'base64'));
        break;
      default:
        throw new OllmError('USAGE', `A prompt takes no ${block.type}.`, { hint: 'Send text, files or images.' });
    }
  }
  return { text: texts.join(''), files: [...new Set(files)], images };
}

function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

function requireImage({ choice }: Conversation, image: Uint8Array): void {
  if (choice.provider.capabilities.images !== true) {
    throw new OllmError('USAGE', `${choice.provider.name} takes no images.`, { hint: 'Choose another provider.' });
  }
  const problem = imageProblem(image);
  if (problem !== undefined) throw new OllmError('USAGE', `The image cannot be sent: ${problem}.`);
}
