// Which id a session gets: a UUID, or one that follows from the name or the prompt file that the user gave, so that the
// same command comes back to the same conversation. Pure. Every id made here matches the pattern of the journal.
import { hash } from 'node:crypto';
import { basename, extname } from 'node:path';
import { OllmError } from '../errors/index.ts';
import { isSessionId } from '../journal/format.ts';

const MAX_ID_LENGTH = 64;
const MAX_NAME_LENGTH = 200;
const MAX_STEM_LENGTH = 40;
const PATH_DIGITS = 16;
const NAME_DIGITS = 8;
/** What a name may lose on its way to an id and still be the same name to the user. */
const LEFT_OUT = /[\s\-_.,:;!?'"()]+/g;
/** File names that Windows keeps for devices, with any extension. */
const DEVICE_NAME = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;

/**
 * A name that is an id already is kept; any other is converted to the letters of an id, with digits of its hash if that
 * loses more than case, accents and spaces: “C++” and “C#” are two sessions. The typed name is the title.
 */
export function idOfName(name: string): { readonly id: string; readonly title: string } {
  const title = name.trim();
  if (title === '' || title.length > MAX_NAME_LENGTH) {
    const problem = title === '' ? 'is empty' : `has ${title.length} characters`;
    throw new OllmError(
      'SESSION_ID_INVALID',
      `The name of the session ${problem}: it may have 1 to ${MAX_NAME_LENGTH}.`,
      {
        hint: 'Choose one such as "release notes".',
      },
    );
  }
  if (title.startsWith('@')) {
    throw new OllmError('SESSION_ID_INVALID', `${JSON.stringify(title)} cannot be the name of a session.`, {
      hint: 'A name with @ means an existing session: "ollm repl --resume @last" continues with the last one.',
    });
  }
  if (isSessionId(title) && !isDeviceName(title)) return { id: title, title };
  const slug = slugOf(title, MAX_ID_LENGTH);
  // A name without any letter of an id (“日本”, “...”) gets the digits of its hash.
  if (slug === '' || isDeviceName(slug)) return { id: `session-${hashOf(title)}`, title };
  const lettersKept = slug.replace(/-/g, '').length;
  if (plainOf(title).replace(LEFT_OUT, '').length === lettersKept) return { id: slug, title };
  const digits = hashOf(title).slice(0, NAME_DIGITS);
  return { id: `${slugOf(title, MAX_ID_LENGTH - NAME_DIGITS - 1)}-${digits}`, title };
}

/**
 * The id belongs to the file's place, not to its text: a prompt is edited again and again, and each time the same
 * command must come back to the same conversation. That the text has changed is seen at its sha256 in session.created.
 */
export function idOfPromptFile(realPath: string): string {
  const stem = slugOf(basename(realPath, extname(realPath)), MAX_STEM_LENGTH) || 'prompt';
  return `${stem}-${hashOf(realPath)}`;
}

function isDeviceName(id: string): boolean {
  return DEVICE_NAME.test(id);
}

export function sha256Of(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}

function hashOf(text: string): string {
  return sha256Of(text).slice(0, PATH_DIGITS);
}

function slugOf(text: string, maxLength: number): string {
  return plainOf(text)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength + 1)
    .replace(/^-|-$/g, '')
    .slice(0, maxLength)
    .replace(/-$/, '');
}

/** Without accents and case. */
function plainOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase();
}
