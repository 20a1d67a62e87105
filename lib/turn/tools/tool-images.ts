// Images in a tool's result: a bounded number of those that models can see are stored as files next to the journal; a
// note for each other image says why the model does not see it.
import type { ImagePart } from '../../messages/index.ts';
import { estimateParts } from '../../tokens/estimate.ts';
import { imageSizeOf } from '../../tools/image-size.ts';
import { imageProblem, imageTypeOf } from '../../tools/image-type.ts';
import type { Turn } from '../turn.ts';

interface KeptImages {
  readonly parts: readonly ImagePart[];
  readonly tokens: number;
  /** A line for each that is not shown, with a line end before it; empty if all are. */
  readonly notes: string;
}

/** The share of an output's tokens for images; the rest is for the text with them. */
const IMAGE_SHARE = 0.8;

/** `keeps`: whether what tools bring back is stored at all. */
export async function keepImages(
  { dependencies, session }: Turn,
  images: readonly Uint8Array[],
  { maxTokens, keeps }: { readonly maxTokens: number; readonly keeps: boolean },
): Promise<KeptImages> {
  const parts: ImagePart[] = [];
  const notes: string[] = [];
  for (const [index, bytes] of images.entries()) {
    const reason = keeps ? imageProblem(bytes) : 'outputs are not kept (retention.storeToolOutputs is off)';
    const part = { type: 'image', mediaType: imageTypeOf(bytes) ?? '', blob: '' } as const;
    const fits = estimateParts([...parts, part]) <= maxTokens * IMAGE_SHARE;
    if (reason !== undefined || !fits) {
      notes.push(`\n[Image ${index + 1} cannot be seen: ${reason ?? 'there is no room for it'}.]`);
    } else parts.push({ ...part, ...imageSizeOf(bytes), blob: await dependencies.store.putBlob(bytes, session.id) });
  }
  return { parts, tokens: estimateParts(parts), notes: notes.join('') };
}
