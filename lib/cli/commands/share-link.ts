// Links by which guests read one session of the server that runs: made, listed, ended.
import type { App } from '../../app/app.ts';
import { findConversation } from '../../app/find/find-session.ts';
import { countOf } from '../../display/quantities.ts';
import { OllmError } from '../../errors/index.ts';
import { guestLinks, MOST_GUEST_TURNS, makeGuestLink, revokeGuestLink } from '../../host/guest-links.ts';
import { announcedServer } from '../../host/server-file.ts';
import type { Output } from '../output.ts';

const WEEK_MS = 7 * 86_400_000;

interface LinkOptions {
  readonly holdsMs?: number | undefined;
  readonly mayWrite?: boolean | undefined;
  readonly mostTurns?: number | undefined;
  readonly mostCost?: number | undefined;
}

/** @throws OllmError USAGE: no server runs, or guests may not take part; SESSION_NOT_FOUND, SESSION_AMBIGUOUS */
export async function shareByLink(
  app: App,
  output: Output,
  reference: string,
  { holdsMs = WEEK_MS, mayWrite, mostTurns, mostCost }: LinkOptions,
): Promise<number> {
  const server = announcedServer(app);
  if (server === undefined) {
    throw new OllmError('USAGE', 'No server runs here, and a link is one of a server.', {
      hint: 'Start one with "ollm serve". Add --static for a page in a file.',
    });
  }
  if (mayWrite && !app.config.server.guestsMayWrite) {
    throw new OllmError('USAGE', 'Guests may only read: server.guestsMayWrite is not set.', {
      hint: 'Run "ollm config set server.guestsMayWrite true", and start the server again.',
    });
  }
  const { id: sessionId, kind } = await findConversation(app, reference);
  if (mayWrite && kind === 'foreign') {
    throw new OllmError('USAGE', `${sessionId} is one of another program, in which guests cannot take part.`, {
      hint: `"ollm fork ${sessionId}" makes one of yours.`,
    });
  }
  const { link, token } = await makeGuestLink(app, { sessionId, holdsMs, mayWrite, mostTurns, mostCost });
  const { name, expiresAt } = link;
  const address = `${server.browserAddress ?? server.address}/join#${token}/s/${encodeURIComponent(sessionId)}`;
  if (output.json) await output.document({ name, sessionId, expiresAt, link: address });
  else {
    output.note(`Who has this link reads ${sessionId} as it is and as it goes on, until ${expiresAt}.`);
    if (mayWrite) output.note('They also take turns in it: you are asked about every call of a tool.');
    output.note(`"ollm share --revoke ${name}" ends it at once.`);
    await output.line(address);
  }
  return 0;
}

export async function listLinks(app: App, output: Output): Promise<number> {
  const links = guestLinks(app).map(({ hash: _, ...link }) => link);
  if (output.json) await output.document({ links });
  else {
    if (links.length === 0) output.note('No link holds: each was revoked or has expired, or none was made.');
    for (const { name, expiresAt, sessionId, mayWrite, turns = 0, mostTurns = MOST_GUEST_TURNS, mostCost } of links) {
      const bound = mostCost === undefined ? '' : `, at most $${mostCost}`;
      const part = mayWrite ? `  takes part, ${turns} of ${countOf(mostTurns, 'turn')}${bound}` : '';
      await output.line(`${name}  ${expiresAt}  ${sessionId}${part}`);
    }
  }
  return 0;
}

/** @throws OllmError USAGE: no such link holds */
export async function revokeLink(app: App, output: Output, given: string): Promise<number> {
  const revoked = await revokeGuestLink(app, given);
  if (revoked === undefined) {
    throw new OllmError('USAGE', `${given.slice(0, 100)} is not a link that holds.`, {
      hint: '"ollm share --list" names those that hold.',
    });
  }
  const { name, sessionId } = revoked;
  await output.done({ name, sessionId }, `Ended ${name}, for ${sessionId}.`);
  return 0;
}
