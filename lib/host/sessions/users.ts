// The users of a session in this host: its clients, who are asked by questions. A prompt may say that none is asked.
import type { SessionUsers } from '../../lead/types.ts';
import type { Questions } from '../questions.ts';

interface UsersOptions {
  readonly questions: Questions;
  /** Whether prompts may say that nothing is asked. */
  readonly allowUnattended: boolean;
  /** The id of the session, which may be another one later. */
  readonly id: () => string;
  /** Brings the session into the mode in which edits of the project are not asked about. */
  readonly onEdits: () => Promise<void>;
}

export function usersOf({ questions, allowUnattended, id, onEdits }: UsersOptions): SessionUsers {
  return {
    /** A call that the owner allowed while it waited is asked about if the owner no longer allows it. */
    askedIn({ permissions = 'ask', author, address }) {
      if (permissions === 'deny') return {};
      if (permissions === 'allow' && allowUnattended) {
        return { approver: questions.unattendedApprover(id(), { author, address }) };
      }
      const isGuest = permissions === 'guest';
      const approver = questions.approver(id(), isGuest ? undefined : onEdits);
      return { approver, askToGoOn: questions.askToGoOn(id()), isGuest };
    },
    openCalls: () => questions.list(id()).flatMap(({ call }) => call?.callId ?? []),
    denyAll: () => questions.closeAll(id()),
  };
}
