// What content the vendors' models may be shown as it is, by its media type. Text always may.

/** By the name of the provider. */
export const SHOWS = {
  anthropic: fits(/^image\/(png|jpeg|gif|webp)$|^application\/pdf$/),
  gemini: fits(/^image\/(png|jpeg|webp|heic|heif)$|^application\/pdf$/),
  openai: fits(/^image\/(png|jpeg|gif|webp)$|^application\/pdf$/),
} as const;

function fits(types: RegExp): (mediaType: string) => boolean {
  return (mediaType) => types.test(mediaType);
}
