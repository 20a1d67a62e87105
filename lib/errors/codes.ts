// Every error code, with the exit code of the command line and its meaning. docs/errors.md lists the same and a test
// compares the two. Codes are names for programs; sentences for people are made where the error arises.

/** What an error code means. */
export interface ErrorCodeEntry {
  /** What `ollm` exits with when this ends a command. */
  readonly exit: number;
  /** When it is raised, in one sentence. */
  readonly meaning: string;
}

/** Every code that an `OllmError` can have. docs/errors.md lists the same. */
export const ERROR_CODES = {
  INTERNAL: { exit: 1, meaning: 'A fault in ollm itself.' },
  FILE_NOT_FOUND: { exit: 3, meaning: 'There is no file of this name.' },
  IO_FAILED: { exit: 1, meaning: 'A file outside the journal could not be read or written.' },
  USAGE: { exit: 2, meaning: 'Unknown command, flag or argument, or one with a value that is not allowed.' },
  CONFIG_INVALID: { exit: 2, meaning: 'A configuration file, variable or flag has a value that is not allowed.' },
  EDITOR_FAILED: { exit: 1, meaning: 'The editor that VISUAL or EDITOR names could not be used.' },
  STORE_REFUSED: {
    exit: 2,
    meaning:
      'The place for the sessions is a link, is not a directory, belongs to another user, or is shared with other users and other files; or its server refuses the credentials or the request.',
  },
  STORE_ON_NETWORK: {
    exit: 2,
    meaning: 'The sessions lie on a network file system, where locks and syncs are unreliable.',
  },
  STORE_CLIENT_MISSING: {
    exit: 2,
    meaning: 'The sessions are on a server of NATS, and the client packages for that are not installed.',
  },
  STORE_UNREACHABLE: {
    exit: 9,
    meaning: 'The server that keeps the sessions does not answer, or cannot show that it is the one that was named.',
  },
  STORE_NOT_READY: {
    exit: 2,
    meaning:
      'The server that keeps the sessions is too old, has no stream for them, or one whose settings would lose events.',
  },
  SESSION_EXISTS: { exit: 2, meaning: 'A session of this name exists already.' },
  SESSION_ID_INVALID: { exit: 2, meaning: 'The id is not of the form [a-z0-9][a-z0-9-]{0,63}.' },
  SESSION_AMBIGUOUS: { exit: 2, meaning: 'Several sessions begin with this prefix.' },
  SESSION_NOT_FOUND: { exit: 3, meaning: 'No session has this id, prefix or name.' },
  TRASH_NOT_FOUND: { exit: 3, meaning: 'The trash does not hold this session.' },
  SEQ_NOT_FOUND: { exit: 3, meaning: 'The session has no event at this place.' },
  JOURNAL_DAMAGED: { exit: 4, meaning: 'The journal is damaged, so that the command cannot do its work.' },
  JOURNAL_EMPTY: { exit: 4, meaning: 'The file does not have a first line: ollm never acknowledged anything in it.' },
  JOURNAL_NOT_A_FILE: {
    exit: 4,
    meaning: 'The path of the journal is a directory, a link, a device or a file with several names.',
  },
  JOURNAL_UNREADABLE: { exit: 1, meaning: 'The journal cannot be read: no permission, or the disk fails.' },
  SIGNING_FAILED: { exit: 1, meaning: 'The key that should sign a seal is missing, cannot be used, or did not sign.' },
  JOURNAL_NEWER_FORMAT: {
    exit: 4,
    meaning: 'The journal has a format that this version does not know; it can be read, not written.',
  },
  JOURNAL_EDITED: {
    exit: 4,
    meaning: 'The journal was changed by an editor; it can be read, not written, until it is repaired.',
  },
  JOURNAL_LOCKED: { exit: 5, meaning: 'Another process writes this journal.' },
  SESSION_ENCRYPTED: { exit: 7, meaning: 'The session is encrypted, and the key is missing here.' },
  KEY_WRONG: { exit: 7, meaning: 'The passphrase or the key file does not open this session.' },
  KEY_UNUSABLE: { exit: 4, meaning: 'The key file, or the wrapped key of a session, cannot be used.' },
  LOOP_DETECTED: { exit: 6, meaning: 'The model repeated itself and was stopped.' },
  POLICY_DENIED: { exit: 7, meaning: 'The policy does not allow it.' },
  GRANTS_UNUSABLE: { exit: 1, meaning: 'Permanent grants cannot be stored or revoked.' },
  EVENT_INVALID: { exit: 2, meaning: 'The event does not fit the schema of its type, or cannot be stored.' },
  EVENT_CONFLICT: { exit: 2, meaning: 'Another event has this id.' },
  EVENT_DANGLING: {
    exit: 2,
    meaning: 'The event names an event, a call, a turn or an attachment that the session does not have.',
  },
  EVENT_INEXACT: { exit: 2, meaning: 'The event holds a number that would be stored as another.' },
  EVENT_RESERVED: { exit: 7, meaning: 'Only ollm itself writes events of this type.' },
  EVENT_TOO_LARGE: { exit: 2, meaning: 'The line would be longer than 16 MiB.' },
  PROVIDER_UNKNOWN: { exit: 2, meaning: 'No provider has this name.' },
  PROVIDER_UNREACHABLE: { exit: 8, meaning: 'The provider does not answer.' },
  PROVIDER_FAILED: { exit: 8, meaning: 'The provider answered with an error.' },
  PROVIDER_BROKEN_STREAM: { exit: 8, meaning: 'The answer ended in the middle, or could not be understood.' },
  PROVIDER_TIMEOUT: { exit: 8, meaning: 'The provider sent nothing for too long.' },
  PROVIDER_KEY: { exit: 8, meaning: 'The key that the provider needs is missing, malformed or refused.' },
  MODEL_NOT_FOUND: { exit: 8, meaning: 'The provider does not have this model.' },
  CONTEXT_TOO_SMALL: { exit: 8, meaning: 'The request does not fit the window of the model.' },
  COMPACTION_FAILED: {
    exit: 1,
    meaning: 'A compaction did not make the window smaller, or the model did not write a summary.',
  },
  JOURNAL_FULL: {
    exit: 9,
    meaning: 'The disk is full, or a quota or file-size limit is reached; nothing of this append was stored.',
  },
  JOURNAL_POISONED: {
    exit: 9,
    meaning: 'A write or sync failed in a way that cannot be repaired in this process; nothing more is written.',
  },
  JOURNAL_READ_ONLY: { exit: 9, meaning: 'The journal or its directory cannot be written.' },
  JOURNAL_CLOSED: { exit: 9, meaning: 'The journal was closed before the append.' },
  SESSION_LOCKED: { exit: 5, meaning: 'Another process holds the session, so that the server cannot write it.' },
  SESSION_BUSY: { exit: 5, meaning: 'A turn of the session runs or waits.' },
  NOT_OWNER: { exit: 5, meaning: 'Another server holds the session.' },
  SERVER_CLOSING: { exit: 5, meaning: 'The server ends and takes no new work.' },
  BUSY: { exit: 5, meaning: 'The server has as much to do as it takes on at once.' },
  TIME_LIMIT: { exit: 1, meaning: 'The work took longer than it may.' },
  QUEUE_FULL: { exit: 5, meaning: 'As many prompts wait in the session as may.' },
  PROMPT_NOT_FOUND: { exit: 3, meaning: 'No prompt with this id waits: its turn runs, has ended, or never was.' },
  QUESTION_NOT_FOUND: { exit: 3, meaning: 'The session has no question with this id.' },
  QUESTION_CHANGED: { exit: 2, meaning: 'The answer is to a different question from the present one.' },
  ALREADY_DECIDED: { exit: 2, meaning: 'The question was decided before this answer came.' },
  NOT_ALLOWED_TO_ANSWER: { exit: 7, meaning: 'Only the owner may answer this question.' },
  WORKSPACE_NOT_ALLOWED: { exit: 7, meaning: 'The directory is not one in which this server may work.' },
  UNATTENDED_NOT_ALLOWED: { exit: 7, meaning: 'The settings do not allow turns that ask no user.' },
  THINKING_MODE_NOT_SUPPORTED: { exit: 2, meaning: 'The model cannot be told how much to think.' },
  AGENT_NOT_INSTALLED: { exit: 2, meaning: 'The program of the agent is not on this machine.' },
  AGENT_NOT_SIGNED_IN: { exit: 8, meaning: 'The agent wants its user to sign in first.' },
  AGENT_TOO_OLD: { exit: 2, meaning: 'The program of the agent is older than any version that ollm was tried with.' },
  AGENT_START_FAILED: { exit: 8, meaning: 'The agent did not start, or had no session in time.' },
  AGENT_FAILED: { exit: 8, meaning: 'The agent reported an error before the prompt was answered.' },
  AGENT_BROKEN_STREAM: {
    exit: 8,
    meaning: 'The agent ended, or sent something outside its protocol, before its answer was whole.',
  },
  AGENT_SILENT: {
    exit: 8,
    meaning: 'The agent has said, written and asked nothing for longer than the settings allow.',
  },
  MODEL_SWITCH_NOT_SUPPORTED: { exit: 2, meaning: 'The agent lets no model be chosen.' },
  RUNTIME_PERMISSION_NOT_SUPPORTED: { exit: 7, meaning: 'The agent cannot be run with these permissions.' },
  SANDBOX_REQUIRED: { exit: 7, meaning: 'The agent runs only in a sandbox, and there is none here.' },
  WORKSPACE_NOT_TRUSTED: { exit: 7, meaning: 'Agents run only in directories that the user trusts.' },
  INTERRUPTED: { exit: 130, meaning: 'Stopped by the user.' },
} as const satisfies Record<string, ErrorCodeEntry>;

/** The name of one of them. */
export type ErrorCode = keyof typeof ERROR_CODES;
