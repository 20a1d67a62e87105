// The id and title of a session that the user names. A name is shown wherever sessions are, and is part of file names:
// one with a secret in it is refused, since two of them redacted could be the same.
import { OllmError } from '../../../errors/index.ts';
import { idOfName } from '../../../session/identify.ts';
import type { App } from '../../app.ts';

/** @throws OllmError SESSION_ID_INVALID */
export async function nameSession(app: App, name: string): Promise<{ readonly id: string; readonly title: string }> {
  const redact = await app.redactor();
  const { text, found } = redact(name);
  if (found.length === 0) return idOfName(name);
  throw new OllmError('SESSION_ID_INVALID', `A session's name must hold no secret: ${text}`, {
    hint: 'Choose another name.',
  });
}
