// Reads the images and files that a request names before it is translated: translation itself does not wait. All of its
// texts are of whole characters from here on.
import type { ModelMessage, ModelRequest } from './provider.ts';
import { wholeCharacters } from './whole-characters.ts';

/** A request with the content of its blobs at hand. */
export interface LoadedRequest extends Omit<ModelRequest, 'readBlob'> {
  readonly readBlob: (sha256: string) => Uint8Array | undefined;
}

export async function loadBlobs(request: ModelRequest): Promise<LoadedRequest> {
  const contents = new Map<string, Uint8Array | undefined>();
  for (const sha256 of new Set(request.messages.flatMap(namesIn))) {
    contents.set(sha256, await request.readBlob(sha256));
  }
  const { system, messages } = request;
  const texts = { system: wholeCharacters(system), messages: wholeCharacters(messages) };
  return { ...request, ...texts, readBlob: (sha256) => contents.get(sha256) };
}

function namesIn(message: ModelMessage): string[] {
  if (message.role === 'context') return [];
  const parts = message.role === 'tool' ? message.results.flatMap(({ images = [] }) => images) : message.parts;
  return parts.flatMap((part) => ('blob' in part ? [part.blob] : []));
}
