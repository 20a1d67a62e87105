// Files attached to a prompt, and images of sessions.
import { routesOf } from './route.ts';
import { listOf, object, optional, options, shape, text } from './schema.ts';

const route = routesOf('Assets');

export const ASSET_LIMITS = { files: 10, fileBytes: 20 * 1024 * 1024, formBytes: 64 * 1024 } as const;

/** A piece of a kept output. */
const PIECE = options({
  from: { type: 'integer', minimum: 0, maximum: 1_000_000_000_000, default: 0, description: 'In bytes.' },
  limit: { type: 'integer', minimum: 16, maximum: 262_144, default: 65_536, description: 'Bytes at most.' },
});

const PIECE_ANSWER = object({
  text: text(),
  bytes: { type: 'integer', minimum: 0, description: 'Of the whole output.' },
  next: optional({ type: 'integer', minimum: 0, description: '`from` of the next piece.' }),
});

export const ASSET_ROUTES = [
  route('uploadImages', 'POST /api/llm/assets/images', {
    does: 'Keep images: at most 10 of 20 MiB each, in fields named `images`.',
    upload: 'multipart/form-data',
    maxBodyBytes: ASSET_LIMITS.files * ASSET_LIMITS.fileBytes + ASSET_LIMITS.formBytes,
    answer: object({ images: listOf(shape('Asset')) }),
    status: 201,
    errors: ['IMAGE_REQUIRED', 'TOO_MANY_FILES', 'UNSUPPORTED_IMAGE_TYPE'],
  }),
  route('getAsset', 'GET /api/llm/assets/{hash}', {
    does: 'An image that was sent, or that is in a session.',
    answer: 'image/*',
    errors: ['ASSET_NOT_FOUND'],
  }),
  route('getAssetText', 'GET /api/llm/assets/{hash}/text', {
    does: 'A piece of the output of a call that was cut for the model, and kept whole.',
    query: PIECE,
    answer: PIECE_ANSWER,
    errors: ['ASSET_NOT_FOUND'],
  }),
  route('getSessionAsset', 'GET /api/llm/sessions/{id}/assets/{hash}', {
    does: 'An image of a session. A guest of the session gets those that it shows.',
    answer: 'image/*',
    errors: ['ASSET_NOT_FOUND'],
    guests: 'all',
  }),
  route('getSessionAssetText', 'GET /api/llm/sessions/{id}/assets/{hash}/text', {
    does: 'The same as a piece of a kept output, of one that a session shows.',
    query: PIECE,
    answer: PIECE_ANSWER,
    errors: ['ASSET_NOT_FOUND'],
    guests: 'all',
  }),
] as const;
