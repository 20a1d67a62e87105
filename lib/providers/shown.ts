// What content the vendors' models may be shown as it is, by its media type. Text always may.

/** By the name of the provider. */
export const SHOWN = {
  anthropic: /^image\/(png|jpeg|gif|webp)$|^application\/pdf$/,
  gemini: /^image\/(png|jpeg|webp|heic|heif)$|^application\/pdf$/,
  openai: /^image\/(png|jpeg|gif|webp)$|^application\/pdf$/,
} as const;
