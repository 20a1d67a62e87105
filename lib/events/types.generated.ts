// Generated from schemas/ by "npm run generate". Change the schema, not this file.
import type { Role, TokenCount, Part, ToolResult, ContextSource, Origin, ReplacingMessage, Native } from '../messages/types.generated.ts';

/** Facts of an event that was imported. */
export interface ImportedFacts {
  /** RFC 3339: when it happened, where that is not when it was stored. */
  at?: string;
  origin?: Origin;
}

/** What comes next continues after the event head. Nothing is removed. */
export interface BranchMoved extends ImportedFacts {
  /** seq of the event to continue after. */
  head: number;
  reason?: 'undo' | 'retry' | 'branch';
}

/**
 * A checkpoint: from here on the model is sent the summary in place of the covered messages. Nothing leaves the
 * journal.
 */
export interface CompactionCompleted extends ImportedFacts {
  strategy: 'summarize' | 'truncate' | 'hybrid' | 'provider';
  /** seq of the first and the last covered event. */
  covers: {
    from: number;
    to: number;
  };
  /** seq of the first event that stays in the view. */
  keptFrom: number;
  summary?: string;
  /**
   * The provider's own compaction of the covered messages. Only this model can read it, and gets it in place of the
   * summary, which is for every other reader.
   */
  opaque?: {
    provider: string;
    model: string;
    content: string;
    tokens: number;
  };
  tokensBefore: number;
  tokensAfter: number;
  by: 'auto' | 'user' | 'provider';
  /** What the model is sent in place of everything before, where that is not one summary. keptFrom is then not used. */
  messages?: ReplacingMessage[];
}

/** A compaction was tried and did not help. */
export interface CompactionFailed extends ImportedFacts {
  strategy: 'summarize' | 'truncate' | 'hybrid' | 'provider';
  /** What went wrong. */
  error: {
    /** See docs/errors.md. */
    code: string;
    message: string;
  };
  fallback?: 'truncate' | 'none';
}

/** A checkpoint was taken back: the covered messages are in the view again. */
export interface CompactionUndone extends ImportedFacts {
  /** seq of the compaction.completed. */
  seq: number;
}

/** A context entry was added, or replaced under the same key. */
export interface ContextAdded extends ImportedFacts {
  key: string;
  content: string;
  /** Higher comes first; equal ones in the order they came. */
  priority: number;
  source: ContextSource;
  /** RFC 3339. */
  expiresAt?: string;
  tokens?: TokenCount;
  trusted: boolean;
}

/** All context entries left. */
export interface ContextCleared extends ImportedFacts {
}

/** A context entry left. */
export interface ContextRemoved extends ImportedFacts {
  key: string;
  reason: 'user' | 'expired';
}

/** Files that tools changed are put back as they were before. Written before it begins and after it. */
export interface FilesReverted extends ImportedFacts {
  /** seq of an event: the changes after it are undone. */
  since: number;
  status: 'begun' | 'done';
  files: {
    path: string;
    /**
     * restored: with its content. made: it was gone. removed: a tool had made it. same: it was so already. refused: it
     * is as it was. Absent while it has only begun.
     */
    outcome?: 'restored' | 'made' | 'removed' | 'same' | 'refused';
    /** Why it was refused. */
    reason?: string;
  }[];
}

/**
 * The provider refused the messages as they were and took them in this form. Later requests to the same model begin
 * with it.
 */
export interface HistoryAdapted extends ImportedFacts {
  provider: string;
  model: string;
  /**
   * Reasoning of earlier answers: `current` sends that of the newest question only, `none` sends nothing, `filled`
   * sends a note for an answer without reasoning.
   */
  reasoning?: 'current' | 'none' | 'filled';
  /** Images and documents: those of earlier messages and of tools are described in words. */
  attachments?: 'current';
  /** Ids of calls: nine letters and digits. */
  callIds?: 'short';
  /** Calls and their results: sent as texts. */
  calls?: 'words';
}

/** An item of a list that another program keeps here, and that no other event says. */
export interface ItemKept extends ImportedFacts {
  native: Native;
}

/** Opening for writing found a torn end: its bytes lie in quarantine. */
export interface JournalRecovered extends ImportedFacts {
  kind: 'torn-tail' | 'zero-tail';
  /** Where the bytes began. */
  offset: number;
  /** How many bytes. */
  length: number;
  /** File name under quarantine/. */
  quarantine: string;
}

/** This journal was rewritten from a damaged one. */
export interface JournalRepaired extends ImportedFacts {
  /** File name of the damaged one under archive/. */
  archive: string;
  /** Lines taken over. */
  kept: number;
  /** What was wrong, in file order; at most 100 of them. */
  findings: {
    kind: string;
    offset: number;
    length: number;
    reason: string;
  }[];
  findingsTotal: number;
}

/** Everything up to here is closed. Kept for later use by archives. */
export interface JournalSealed extends ImportedFacts {
  upTo: number;
  xxh64?: string;
  reason?: string;
}

/** The model repeats itself. */
export interface LoopDetected extends ImportedFacts {
  pattern: 'repeated-tool' | 'repeated-output' | 'turn-limit' | 'cycle';
  details: string;
  count: number;
  threshold: number;
  action: 'stop' | 'ask' | 'nudge';
}

/** A whole message. What a cancelled or failed reply had reached is kept too, and marked. */
export interface MessageAdded extends ImportedFacts {
  role: Role;
  parts: Part[];
  tokens?: TokenCount;
  /** Whether it may instruct: false for text from outside. */
  trusted: boolean;
  model?: string;
  provider?: string;
  /** Why the model stopped. cancelled and failed: the text is what had arrived by then. */
  finish?: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'cancelled' | 'failed' | 'other';
  /** Id of the message that this is a part of: parts with the same id are one answer of the model. */
  message?: string;
  /** A program put it there in the role of the user: it is no question of the user's. */
  synthetic?: true;
  /** Who wrote it, where several people take part. */
  author?: string;
  /** Of the prompt that waited in the queue and is this message. */
  promptId?: string;
  native?: Native;
}

/** A message was changed after it was added: from here on it has these parts. */
export interface MessageReplaced extends ImportedFacts {
  /** Id of the message, as message.added names it. */
  message: string;
  parts: Part[];
  tokens?: TokenCount;
}

/**
 * More of an answer that has not ended: what arrived since the event of this type before it. Ignorable. It counts for
 * nothing once the message.added of the answer is stored; if the program was killed before, the next opening makes that
 * message of these events.
 */
export interface MessageStreamed extends ImportedFacts {
  /**
   * Text and reasoning. The first one continues the last part before it, if both are text, or both are reasoning
   * without opaque.
   */
  parts: Part[];
  /** The first piece of an answer. Pieces stored before it belong to another answer. */
  begins?: true;
  model?: string;
  provider?: string;
}

/** From here on other calls of tools run without a question. */
export interface ModeChanged extends ImportedFacts {
  /**
   * plan: nothing that changes anything. edits: files of the project unasked. auto: all that no rule denies, in the
   * sandbox. A resume takes none but plan from here.
   */
  mode: 'ask' | 'plan' | 'edits' | 'auto';
}

/** Provider or model was switched, or how much the model thinks. */
export interface ModelChanged extends ImportedFacts {
  provider: string;
  model: string;
  /** Tokens that the model can take in, where known. */
  contextWindow?: number;
  /** How much the model thinks from here on, where that was chosen. */
  thinking?: 'off' | 'low' | 'medium' | 'high' | 'max';
}

/** Something in the session was marked as suspicious. */
export interface ModerationFlagged extends ImportedFacts {
  /** What was marked: a seq, a callId or a key. */
  subject: string;
  rule: string;
  details: string;
}

/**
 * Prompts wait for their turn, or wait no longer. One also leaves the queue with the message.added that has its
 * promptId.
 */
export interface QueueChanged extends ImportedFacts {
  /** New prompts of the queue, after those that wait already. One with the id of a waiting prompt replaces it. */
  added?: {
    promptId: string;
    /** What the user said. */
    text: string;
    /** RFC 3339. */
    queuedAt: string;
    /** Attached files, by path. */
    attachments?: string[];
    /** Answers from this prompt on. */
    provider?: string;
    model?: string;
    /** How much the model thinks from this prompt on. */
    thinking?: 'off' | 'low' | 'medium' | 'high' | 'max';
    /** What happens to calls that the policy asks about; guest: every call is asked about. */
    permissions?: 'ask' | 'deny' | 'allow' | 'guest';
    /** Who said it, where several people take part. */
    author?: string;
    /** Network address that it came from, without the port. */
    address?: string;
    /** user: only the user sends it, who typed it ahead at a terminal. No server begins its turn. */
    awaits?: 'user';
  }[];
  /** promptId of those that wait no longer, and had no turn. */
  removed?: string[];
  /** Why some of those that were removed could have no turn. */
  errors?: {
    promptId: string;
    /** As docs/errors.md lists them. */
    code: string;
    message: string;
  }[];
}

/** Text found for a question was put before the model. */
export interface RetrievalAdded extends ImportedFacts {
  query: string;
  chunks: {
    source: string;
    text: string;
    score: number;
    tokens: number;
  }[];
  trusted: false;
}

/**
 * The agent asks whether a call may run. It was stored before a user saw it. What was decided is a tool.decided with
 * the same callId and hash.
 */
export interface RunAsked extends ImportedFacts {
  /** UUID of the run. */
  run: string;
  callId: string;
  /** SHA-256 of agent, session, workspace and the whole request, as canonical JSON. */
  hash: string;
  /** What was shown: title, kind, input, content and places of the call, as the agent gave them, at most 64 KiB. */
  request: {};
  /** The request was longer, and its longest texts are cut. The hash is of all of it. */
  truncated?: boolean;
}

/** What the user wants of the agent from here on. It holds for later runs of the session too. */
export interface RunChanged extends ImportedFacts {
  /** UUID of the run. */
  run: string;
  /** The model, in the agent's words. */
  model?: string;
  /** How much it thinks, in the agent's words. */
  thinking?: string;
}

/** The agent runs no more. */
export interface RunEnded extends ImportedFacts {
  /** UUID of the run. */
  run: string;
  /**
   * interrupted: ollm was killed, and a later opening of the journal found the run open. moved: the agent went on in
   * another session.
   */
  reason: 'idle' | 'stopped' | 'failed' | 'interrupted' | 'moved';
  exitCode?: number;
  /** That ended its process. */
  signal?: string;
}

/** The agent went on in another session of its own, for example after a command that clears the conversation. */
export interface RunLinked extends ImportedFacts {
  /** UUID of the run. */
  run: string;
  /** Address of that session, which has a journal of its own. */
  address: string;
}

/** Lines that the program printed and that are not of its protocol, of one prompt: at most 8 KiB, from both ends. */
export interface RunOutput extends ImportedFacts {
  /** UUID of the run. */
  run: string;
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Text that was shown, and that the agent's own file does not have: the turn did not come to its end. */
export interface RunPartial extends ImportedFacts {
  /** UUID of the run. */
  run: string;
  promptId: string;
  kind: 'text' | 'thinking';
  /** At most 64 KiB. */
  text: string;
}

/** ollm started another agent, which works in this session from here on. */
export interface RunStarted extends ImportedFacts {
  /** UUID of the run. */
  run: string;
  /** What comes before `:` in its addresses. */
  agent: string;
  /** How it is spoken to: by a library of its maker, by lines of its command, or by the Agent Client Protocol. */
  family: 'sdk' | 'cli' | 'acp';
  program: {
    /** Absolute. */
    path: string;
    /** As it says it itself. */
    version?: string;
  };
  /** The program that starts it and speaks for it. */
  adapter?: {
    /** Absolute. */
    path: string;
    /** As it says it itself. */
    version?: string;
  };
  /** Of its first process, which also leads the process group. */
  pid: number;
  /** NAME=value in the environment of everything that it starts: processes with it belong to the run. */
  mark: string;
  /** Where it works, absolute. */
  workspace: string;
  /** What becomes of the calls that the agent asks about. */
  permissions: 'ask' | 'deny' | 'allow';
  /** Its own mode of permissions that was set, in its own words. */
  mode?: string;
  /** The sandbox that it runs in. Missing: none. */
  confined?: string;
  /** In the agent's words, where it was chosen. */
  model?: string;
  /** How much it thinks, in the agent's words, where it was chosen. */
  thinking?: string;
  /** Whether it went on in a session that was there. */
  resumed: boolean;
}

/** What the last prompt of the run has come to. */
export interface RunStatus extends ImportedFacts {
  /** UUID of the run. */
  run: string;
  from: 'starting' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  to: 'starting' | 'running' | 'waiting' | 'completed' | 'failed' | 'stopped';
  /** Of the prompt that it is about. */
  promptId?: string;
  /** Why, in the words of the agent's protocol, or in a sentence. */
  reason?: string;
  error?: {
    code: string;
    message: string;
  };
}

/** A secret was kept out of the journal. */
export interface SecretRedacted extends ImportedFacts {
  where: string;
  kind: string;
  count: number;
}

/** The writer closed the session in order. */
export interface SessionClosed extends ImportedFacts {
  reason: 'exit' | 'eof' | 'signal';
  signal?: string;
}

/** The first line of every journal. */
export interface SessionCreated {
  /** Version of the journal format. */
  format: number;
  sessionId: string;
  model: string;
  provider: string;
  /** The version that wrote it. */
  ollm: string;
  title?: string;
  /** Where it was started, absolute. */
  cwd?: string;
  /** The directory of the project that contains cwd, by its identity in the file system and not its name. */
  project?: {
    path: string;
    /** Decimal. */
    inode: string;
    /** When it was made, in nanoseconds since 1970, decimal. */
    born: string;
  };
  /** The state of the repository that contains cwd. */
  git?: {
    branch?: string;
    commit?: string;
    root?: string;
    /** Host and path of the repository that it was cloned from. */
    remote?: string;
  };
  /** The file that the system prompt came from. */
  prompt?: {
    file: string;
    sha256: string;
  };
  /** A line of another journal. */
  parent?: {
    sessionId: string;
    seq: number;
    xxh64: string;
  };
  /** The session of which a call began this one, as an agent. */
  subagentOf?: {
    sessionId: string;
  };
  /** Where an imported session comes from. */
  origin?: {
    /** The program that recorded it. */
    agent: string;
    path?: string;
    sessionId?: string;
    /** agent:id, under which the session is found while its source is there. */
    address?: string;
    /** Address of the session of which it began as a copy. */
    parent?: string;
  };
  /** Whose list an adapter keeps here. */
  kept?: {
    /** The library, such as langgraph. */
    form: string;
    /** The id of the conversation there. */
    id?: string;
  };
  /** Of a session that was one JSON document: members of it that no event has. */
  older?: {
    /** Its own id, where its file had another name. */
    sessionId?: string;
    /** RFC 3339. */
    lastActivity?: string;
    tokenCount?: number;
  };
  /**
   * The journal is that of a session of another program: an import made it, or ollm ran the program. It has no turn of
   * ollm's own.
   */
  imported?: true;
  /** The archived journal that this one replaces. */
  previous?: {
    /** File name under archive/. */
    archive: string;
    reason: 'reset' | 'rebuild' | 'repair' | 'upgrade';
  };
  /** Tokens that the model can take in, where known. */
  contextWindow?: number;
  /** The process that wrote it. */
  pid?: number;
  host?: string;
  /** What that process was started as, such as “ollm repl”. */
  command?: string;
  /** How the data of this journal is sealed. docs/encryption.md. */
  encryption?: {
    /** 2: a seal covers all of its line. Not there: it covers the data, the number and the type. */
    version?: number;
    /** aes-256-gcm. */
    cipher: string;
    /** What opens it. */
    by: 'passphrase' | 'key-file';
    /** How the key that wraps is made of it. */
    kdf: {
      name: 'scrypt' | 'hkdf-sha256';
      /** Base64. */
      salt: string;
      N?: number;
      r?: number;
      p?: number;
    };
    /** Random, only for this journal, base64. */
    journal: string;
    /** The wrapped session key: nonce, ciphertext and tag, base64. */
    key: string;
  };
  /** The other members, sealed, base64. */
  sealed?: string;
  /** RFC 3339: when it happened, where that is not when it was stored. */
  at?: string;
}

/**
 * Only in hub/imports.jsonl: a session of another program was imported. If its journal is gone, the user deleted it.
 */
export interface SessionImported extends ImportedFacts {
  /** Of the journal. */
  sessionId: string;
  /** agent:id. */
  address: string;
  /** The directory that the journal was made in. */
  directory: string;
  /** Whether a call of another session started it as a subagent. */
  isSubagent?: boolean;
}

/** The session got a title. */
export interface SessionTitled extends ImportedFacts {
  title: string;
  by?: 'user' | 'derived';
}

/** A setting was changed for this session while it ran: from here on it held another value. */
export interface SettingChanged extends ImportedFacts {
  /** Its name in a configuration file, such as services.compression.threshold. */
  key: string;
  /** The value from here on; a list as its JSON, null as configured. */
  value: string | number | boolean | null;
}

/** Bytes of the session of another program were read by an import, and kept as they are in an attachment. */
export interface SourceKept extends ImportedFacts {
  /** 0, and one more each time that the source no longer began as it did. Positions begin at 0 in each. */
  generation: number;
  /** Where they begin in the source. The parts of a generation follow one another without gaps. */
  offset: number;
  /** How many they are. */
  bytes: number;
  /** Of the generation from its beginning to the end of these bytes. */
  sha256: string;
  /**
   * File under blobs/ that holds them, compressed with zstd. Missing where hub.redact was on: then they are not kept.
   * With pieces it holds only those that no earlier generation has.
   */
  blob?: string;
  /**
   * The earlier generation whose bytes are the dictionary that the attachment was compressed with. Missing: none was.
   */
  dictionary?: number;
  /**
   * What the bytes are put together from, in this order, where an older version of ollm kept a source that was
   * rewritten. Missing: they are those of the attachment.
   */
  pieces?: {
    /** An earlier generation that has the same bytes. Missing: they are in the attachment. */
    generation?: number;
    /** Where they begin in that generation, or in the unpacked attachment. */
    offset: number;
    bytes: number;
  }[];
  /** file: the bytes of the program's file. rows: rows of its database, each a line of JSON. */
  form: 'file' | 'rows';
  /** Version of the module that made the events of this journal. */
  translator: number;
}

/** Whether the call may run. */
export interface ToolDecided extends ImportedFacts {
  callId: string;
  decision: 'allow' | 'deny';
  /** agent: the program that recorded the session decided. import: the source says that it ran, and not who decided. */
  by: 'policy' | 'user' | 'grant' | 'agent' | 'import';
  rule?: string;
  reason?: string;
  /** SHA-256 of exactly the checked action: call, command, directory and environment. */
  actionHash?: string;
  /** Why it was asked about where a rule or grant would have let it run. */
  dangerous?: string;
  /** The checked arguments, if the user changed those of the model. */
  args?: {
    [k: string]: unknown;
  };
  /** Who decided, where several people take part. */
  author?: string;
  /** Network address from which it was decided, where that was not this machine's terminal. */
  address?: string;
}

/** The call is over. */
export interface ToolFinished extends ImportedFacts {
  callId: string;
  /** unknown: the process died while it ran; whether it had an effect cannot be told. */
  status: 'ok' | 'error' | 'denied' | 'timeout' | 'cancelled' | 'unknown';
  result: ToolResult;
  tokens?: TokenCount;
  /** Absent where it is not known. */
  durationMs?: number;
  /** The result was cut. */
  truncated?: {
    originalBytes: number;
    keptBytes: number;
  };
  /** sha256 of the whole output: a file under blobs/. */
  blob?: string;
  encoding?: 'utf8' | 'base64';
  trusted: false;
  /** Id or address of the session in which the subagent of this call works. */
  subagent?: string;
  native?: Native;
}

/** The model asked for a tool. */
export interface ToolRequested extends ImportedFacts {
  callId: string;
  name: string;
  /** Of name and arguments, as they are sent. Absent in older journals: then they are counted when they are read. */
  tokens?: TokenCount;
  /** Arguments as the model gave them: an object, or the raw text where that was no JSON. */
  args: {
    [k: string]: unknown;
  };
  /** Id of the message that this is a part of: parts with the same id are one answer of the model. */
  message?: string;
  native?: Native;
}

/** The call is about to run. On disk before its side effect. */
export interface ToolStarted extends ImportedFacts {
  callId: string;
  cwd?: string;
  argv?: string[];
  /** The boundary that its program runs in, or “none”: also for a tool that starts no program. */
  sandbox: string;
  /** A server carries it out, outside of this machine's sandbox. */
  remote?: true;
  /** Names of the variables that were kept from it. */
  envRemoved: string[];
  /** The line that a shell reads. */
  command?: string;
  /** The same as in tool.decided. */
  actionHash?: string;
  /** Whether it may use the network. */
  network?: boolean;
  /** Its programs could write nothing. */
  readsOnly?: true;
  /** The files that the call is about to change, so that they can be put back. */
  changes?: {
    /** Absolute, with its links resolved. */
    path: string;
    /** What was there. Absent where there was nothing. */
    before?: {
      sha256: string;
      bytes: number;
      /** Its permissions. */
      mode: number;
      /** sha256 of the kept content: a file under blobs/. Absent if it is not kept. */
      blob?: string;
      /** Bytes at both ends that the content after it has as well, and that are not in the blob. */
      shared?: {
        start: number;
        end: number;
      };
      /** Why it is not kept: what would be replaced holds a secret, or outputs are not stored. */
      notKept?: 'secret' | 'outputs-off';
    };
    /** What is to be there. Absent where the file is removed. */
    after?: {
      sha256: string;
      bytes: number;
    };
    /** The topmost directory that is made for it. */
    madeDirectory?: string;
  }[];
  /** Id or address of the session in which the subagent of this call works. */
  subagent?: string;
}

/** A tool was switched on or off. */
export interface ToolsChanged extends ImportedFacts {
  name: string;
  enabled: boolean;
}

/** A turn is over. Every turn.started has one. */
export interface TurnEnded extends ImportedFacts {
  status: 'completed' | 'cancelled' | 'failed' | 'loop' | 'budget' | 'interrupted';
  /** Model requests in this turn. */
  steps: number;
  /** Absent where it is not known. */
  durationMs?: number;
  /** What went wrong. */
  error?: {
    /** See docs/errors.md. */
    code: string;
    message: string;
    /** How long the provider asked to wait. */
    retryAfterMs?: number;
    /** Name of the provider that failed. */
    provider?: string;
  };
  /** Model requests of this turn that failed and were made again. */
  retries?: number;
  /** Why the answer is not whole: the output limit, a filter of the provider, or no text at all. */
  incomplete?: 'length' | 'content-filter' | 'empty';
  /** The vendor's own word for the end of the answer, where it is not an ordinary one. */
  ending?: string;
}

/** A user's turn began. All events up to turn.ended carry its number. */
export interface TurnStarted extends ImportedFacts {
  /** What the user said, as typed. */
  input: string;
}

/** What one model call used. */
export interface UsageReported extends ImportedFacts {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number;
  /** Of the input, those that the provider put into its cache. */
  cacheWriteTokens?: number;
  /** Of the output, those of reasoning. */
  reasoningTokens?: number;
  /** US dollars. */
  totalCost?: number;
  /** What the input came to as counted before it was sent: tells how far such counts are off for this model. */
  estimatedTokens?: number;
  source: 'provider' | 'estimate';
  model: string;
  provider?: string;
  /** No longer written: XXH64 of the request, in journals of older versions. */
  requestHash?: string;
  /** What the call was for. A summary's request says nothing about how full the window of the conversation is. */
  purpose?: 'answer' | 'summary';
  /** Id of the message that the call made. A later report on the same message takes the place of this one. */
  message?: string;
}

/** A process took up writing this journal. The first one is told by session.created. */
export interface WriterOpened extends ImportedFacts {
  /** 1 for the first opening after the creation, then one more each time. */
  epoch: number;
  pid: number;
  host: string;
  /** Whether the writer before this one closed the session in order. */
  clean: boolean;
  /** What the process was started as. */
  command?: string;
}

/** What each type of event carries in `data`. */
export interface EventDataByType {
  'branch.moved': BranchMoved;
  'compaction.completed': CompactionCompleted;
  'compaction.failed': CompactionFailed;
  'compaction.undone': CompactionUndone;
  'context.added': ContextAdded;
  'context.cleared': ContextCleared;
  'context.removed': ContextRemoved;
  'files.reverted': FilesReverted;
  'history.adapted': HistoryAdapted;
  'item.kept': ItemKept;
  'journal.recovered': JournalRecovered;
  'journal.repaired': JournalRepaired;
  'journal.sealed': JournalSealed;
  'loop.detected': LoopDetected;
  'message.added': MessageAdded;
  'message.replaced': MessageReplaced;
  'message.streamed': MessageStreamed;
  'mode.changed': ModeChanged;
  'model.changed': ModelChanged;
  'moderation.flagged': ModerationFlagged;
  'queue.changed': QueueChanged;
  'retrieval.added': RetrievalAdded;
  'run.asked': RunAsked;
  'run.changed': RunChanged;
  'run.ended': RunEnded;
  'run.linked': RunLinked;
  'run.output': RunOutput;
  'run.partial': RunPartial;
  'run.started': RunStarted;
  'run.status': RunStatus;
  'secret.redacted': SecretRedacted;
  'session.closed': SessionClosed;
  'session.created': SessionCreated;
  'session.imported': SessionImported;
  'session.titled': SessionTitled;
  'setting.changed': SettingChanged;
  'source.kept': SourceKept;
  'tool.decided': ToolDecided;
  'tool.finished': ToolFinished;
  'tool.requested': ToolRequested;
  'tool.started': ToolStarted;
  'tools.changed': ToolsChanged;
  'turn.ended': TurnEnded;
  'turn.started': TurnStarted;
  'usage.reported': UsageReported;
  'writer.opened': WriterOpened;
}
