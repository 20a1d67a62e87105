// Images of a prompt for an agent: by their paths, or named with an @ in its text. Other files that are named there
// stay words: the agent reads them itself.
import { join, resolve } from 'node:path';
import type { App } from '../../app/app.ts';
import { namedFiles } from '../../app/context/attach-names.ts';
import { homeDirectoryOf } from '../../app/start/home-directory.ts';
import { OllmError } from '../../errors/index.ts';
import { relativeInside } from '../../platform/files/inside.ts';
import { readFile, realPathOf } from '../../platform/files/io.ts';
import type { AgentPrompt } from '../../runs/runner.ts';
import { imageTypeOf } from '../../tools/image-type.ts';

type ImagesPlace = Pick<App, 'fileSystem'>;

const MOST_IMAGES = 10;
const MAX_IMAGE_BYTES = 20 * 2 ** 20;
/** An image is known by its first bytes. */
const NAME_OF_IMAGE = /\.(png|jpe?g|gif|webp)$/i;

/** Reads them whole. @throws OllmError USAGE, IO_FAILED */
export function promptImages({ fileSystem }: ImagesPlace, paths: readonly string[]): AgentPrompt['images'] {
  if (paths.length > MOST_IMAGES) throw new OllmError('USAGE', `A prompt takes at most ${MOST_IMAGES} images.`);
  return paths.map((path) => {
    const bytes = readFile(fileSystem, path, { maxBytes: MAX_IMAGE_BYTES });
    const mimeType = imageTypeOf(bytes);
    if (mimeType === undefined) throw new OllmError('USAGE', `${path} is not an image that an agent takes.`);
    return { mimeType, base64: Buffer.from(bytes).toString('base64') };
  });
}

interface NamedIn {
  /** Absolute. */
  readonly workspace: string;
  /** Whether a user named them, who may mean any file. */
  readonly allowOutside: boolean;
}

/** The images among the files that a text names with an @. */
export function imagesNamedIn(app: App, text: string, { workspace, allowOutside }: NamedIn): AgentPrompt['images'] {
  if (!text.includes('@')) return [];
  const paths = namedFiles(text).flatMap(({ candidates }) => {
    const all = candidates.map((path) =>
      path.startsWith('~/') ? join(homeDirectoryOf(app), path.slice(2)) : resolve(workspace, path),
    );
    const there = all.find((path) => app.fileSystem.stat(path)?.kind === 'file');
    const isMeant = there !== undefined && NAME_OF_IMAGE.test(there);
    if (!isMeant || (!allowOutside && relativeInside(workspace, realPathOf(app.fileSystem, there)!) === undefined))
      return [];
    return [there];
  });
  return promptImages(app, paths);
}
