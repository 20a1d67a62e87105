// What several routes take or answer, by name. Members are in the order in which a reader wants them.
import { listOf, object, optional, shape } from './schema.ts';

const time = { type: 'string', description: 'RFC 3339.' } as const;
const seq = { type: 'integer', minimum: 0, description: 'Number of an event in its session.' } as const;
const count = { type: 'integer', minimum: 0 } as const;

const milliseconds = { type: 'number', minimum: 0, description: 'Milliseconds.' } as const;
const FIGURES = {
  sessions: { ...count, description: 'A session of a subagent is a part of the one that began it.' },
  turns: { ...count, description: 'Prompts of users.' },
  failedTurns: count,
  requests: { ...count, description: 'Requests to models whose tokens are known.' },
  inputTokens: optional({ ...count, description: 'Absent where none are known, as with the next two.' }),
  outputTokens: optional(count),
  cachedTokens: optional({ ...count, description: 'A part of the input.' }),
  cost: optional({ type: 'number', description: 'US dollars; absent where no price is known.' }),
  withoutPrice: { ...count, description: 'Requests that no price is known for; they are in no sum of dollars.' },
  calls: { ...count, description: 'Calls of tools.' },
  failedCalls: count,
  callsMs: optional(milliseconds),
  youWaitedMs: optional(milliseconds),
  waitedForYouMs: optional(milliseconds),
} as const;

const UNREADABLE = listOf(object({ path: { type: 'string' }, reason: { type: 'string' } }));

/** Which part of a session a page is. */
const place = {
  sessionId: { type: 'string' },
  provider: { type: 'string', description: 'The program whose session it is.' },
  head: optional({ ...seq, description: 'seq of the newest event. Absent where there is none.' }),
  next: optional({ ...seq, description: '`from` of the next page. Absent at the end.' }),
} as const;

export const SHAPES = {
  Error: object('Why a request was not done.', {
    success: { const: false },
    error: object({
      code: { type: 'string', description: 'A name for programs: see docs/server.md and docs/errors.md.' },
      message: { type: 'string', description: 'One sentence for people.' },
      hint: optional({ type: 'string', description: 'What to do about it.' }),
      details: optional({ type: 'object' }),
    }),
  }),
  Session: object('What a list says of a session of any program.', {
    address: { type: 'string', description: 'What `/sessions/{id}` takes, percent-encoded.' },
    agent: { type: 'string', description: '`ollm` for a session of this server.' },
    id: { type: 'string' },
    programId: optional({
      type: 'string',
      description: 'The id that its program prints and takes, where `id` is another one.',
    }),
    title: optional({ type: 'string', description: 'What it is called, else the first thing that the user said.' }),
    project: optional({ type: 'string', description: 'Its directory.' }),
    branch: optional({ type: 'string' }),
    model: optional({ type: 'string' }),
    startTime: optional(time),
    lastActivity: optional(time),
    messageCount: optional({ ...count, description: 'Absent until a sync has counted them.' }),
    bytes: optional({ ...count, description: 'Size of its file. Absent where it has no file of its own.' }),
    importId: optional({ type: 'string', description: 'Id of the journal that it was imported into.' }),
    copyOf: optional({ type: 'string', description: 'Address of the session that it was handed over from.' }),
    continued: optional({ type: 'boolean', description: 'Of such a copy: something happened in it since.' }),
    gone: { type: 'boolean', description: 'Its source has vanished.' },
    locked: { type: 'boolean', description: 'A process has it open for writing.' },
    problem: optional({ type: 'string', description: 'Why it, or a part of it, could not be read.' }),
    unlocked: optional({
      type: 'boolean',
      description: 'It is encrypted, and a passphrase has opened it in this server.',
    }),
    hidden: optional({ type: 'boolean', description: 'It was hidden, and is listed only with `hidden=true`.' }),
    tokens: optional({ ...count, description: 'Of its messages and results. Absent until a sync has counted them.' }),
    cost: optional({ type: 'number', description: 'US dollars, as far as prices are known.' }),
    shape: optional({
      type: 'string',
      description:
        'A byte for each of at most 22 bars, in base64: the lower five bits are its height, 0x20 a prompt, 0x40 a failure, 0x80 a compaction.',
    }),
    said: optional(
      object('How the last message of a person or a model begins. Absent until a sync has read it.', {
        by: { enum: ['user', 'assistant'] },
        text: { type: 'string' },
      }),
    ),
    activity: optional(shape('Activity')),
  }),
  LockOutcome: object({
    sessionId: { type: 'string' },
    unlocked: { type: 'boolean', description: 'Whether this server has a key for it by a passphrase.' },
  }),
  SessionCounts: object('How many sessions there are. The newest activity comes first.', {
    total: count,
    projects: listOf(
      object('Sessions without a directory are counted where `project` is absent.', {
        project: optional({ type: 'string' }),
        sessions: count,
        lastActivity: optional(time),
      }),
    ),
    agents: listOf(object({ agent: { type: 'string' }, sessions: count, lastActivity: optional(time) })),
    days: listOf(
      object('By the last activity, in the time zone of the request. Sessions without a time are in none.', {
        day: { type: 'string' },
        sessions: count,
      }),
    ),
    unreadable: UNREADABLE,
  }),
  SessionPage: object('Sessions in their order, and where the next ones are.', {
    sessions: listOf(shape('Session')),
    total: { ...count, description: 'How many there are with these filters.' },
    next: optional({ type: 'string', description: 'Pass it back as `after` for the sessions after these.' }),
    unreadable: UNREADABLE,
  }),
  Event: object('An event as it is stored. `data` is what docs/events.md says of its type.', {
    seq,
    ts: time,
    type: { type: 'string' },
    turn: optional({ type: 'integer', minimum: 1 }),
    id: optional({ type: 'string' }),
    data: { type: 'object' },
  }),
  Damage: object('A place of a journal that is not as it was written.', {
    kind: { type: 'string' },
    offset: { ...count, description: 'Where it begins, in bytes.' },
    length: { ...count, description: 'Bytes.' },
    line: optional(count),
    reason: { type: 'string' },
    seq: optional(seq),
    before: optional({ type: 'integer', description: 'seq of the event after it, on this page or the next one.' }),
  }),
  Message: object('A message as a chat shows it: the same form for a session of any program.', {
    seq,
    timestamp: optional({ ...time, description: 'Absent where the source has no time.' }),
    provider: { type: 'string', description: 'The program whose session it is.' },
    sessionId: { type: 'string' },
    type: {
      enum: [
        'user_message',
        'thinking_message',
        'assistant_message',
        'assistant_error_message',
        'tool_use_request',
        'tool_call_success',
        'tool_call_error',
        'todo_task_list',
        'session_started',
        'session_completed',
        'session_interrupted',
      ],
    },
    text: optional({ type: 'string' }),
    images: optional(
      listOf(
        object({
          mediaType: { type: 'string' },
          hash: { type: 'string', description: 'For `/assets/{hash}`.' },
        }),
      ),
    ),
    toolName: optional({ type: 'string' }),
    toolCallId: optional({ type: 'string' }),
    status: optional({ enum: ['success', 'error'] }),
    has_progress_indicator: optional({ type: 'boolean' }),
    sessionStatus: optional({ enum: ['STARTED', 'COMPLETED', 'SESSION_ABORTED'] }),
    data: optional({ description: 'Arguments of a call, or a list of tasks.' }),
    synthetic: optional({ const: true, description: 'A program put this into the role of the user.' }),
    replaces: optional({ ...seq, description: 'The message of this page with that `seq` has this text from here on.' }),
  }),
  History: object('A page of a session: its events, and the same as messages.', {
    ...place,
    workspacePath: optional({ type: 'string' }),
    filePath: optional({ type: 'string' }),
    fileType: { enum: ['jsonl', 'json', 'sqlite', 'other'] },
    entries: listOf(shape('Event')),
    messages: listOf(shape('Message')),
    damage: listOf(shape('Damage')),
  }),
  Messages: object('A page of a session as messages.', {
    ...place,
    messages: listOf(shape('Message')),
    damage: listOf(shape('Damage')),
  }),
  Outcome: object('What became of a session that was deleted or brought back.', {
    sessionId: { type: 'string' },
    outcome: {
      enum: ['trashed', 'hidden', 'restored', 'shown'],
      description:
        'A session of ollm goes to the trash and back; one of another program is hidden, and its file stays.',
    },
    deletedFromDisk: { type: 'boolean', description: 'Always false: both can be taken back.' },
    deletedFromDatabase: { type: 'boolean', description: 'It is in no list any more.' },
  }),
  Synced: object('What a sync read.', {
    processedByProvider: {
      type: 'object',
      description: 'Sessions that were read, by program.',
      additionalProperties: { type: 'integer' },
    },
    failures: listOf(object({ address: { type: 'string' }, reason: { type: 'string' } })),
    sessions: { ...count, description: 'Sessions there are.' },
    read: { ...count, description: 'Of these, those that were read.' },
    left: { ...count, description: 'Those that are left for another time.' },
    isBusy: { type: 'boolean', description: 'Another process is at it: nothing was done.' },
  }),
  Hit: object('A message that was found, or a session by what names it: without `key`, `seq` and `role`.', {
    address: { type: 'string', description: 'Of the message: `agent:id#key`; of a session `agent:id`.' },
    agent: { type: 'string' },
    id: { type: 'string' },
    programId: optional({
      type: 'string',
      description: 'The id that its program takes, where the address has another one.',
    }),
    key: optional({ type: 'string' }),
    seq: optional({ ...seq, description: 'Of its event.' }),
    title: optional({ type: 'string' }),
    project: optional({ type: 'string' }),
    role: optional({ type: 'string' }),
    kind: { type: 'string' },
    why: {
      enum: ['text', 'title', 'branch', 'project', 'filter'],
      description: 'Where the words are: in the message, or in what names the session.',
    },
    at: optional(time),
    score: { type: 'number' },
    isNear: {
      type: 'boolean',
      description: 'It has most of the words, in any form, and not all as they were typed.',
    },
    live: { type: 'boolean', description: 'It was not undone.' },
    gone: { type: 'boolean' },
    importId: optional({
      type: 'string',
      description: 'Of the journal that it was found in, where its source is not known.',
    }),
    excerpt: object({
      text: { type: 'string' },
      marks: listOf({ ...listOf({ type: 'integer' }), description: 'Begin and end of a word that was found.' }),
    }),
  }),
  Found: object('Messages that were found, best first.', {
    hits: listOf(shape('Hit')),
    isCut: { type: 'boolean', description: 'There are more.' },
    didYouMean: optional({
      type: 'string',
      description: 'The words with one that is in no text exchanged for one that is.',
    }),
    leftOut: listOf({ type: 'string', description: 'What was not searched, one sentence each.' }),
    isReading: optional({
      type: 'boolean',
      description: 'The server still reads sessions for the search, as after its start: asked again, it may find more.',
    }),
    counts: optional(
      object('Of all hits, where `counted` asks for it and there are more than `hits` has.', {
        hits: count,
        sessions: count,
        roles: { type: 'object', additionalProperties: count, description: 'By role, as far as there are any.' },
        isWhole: { type: 'boolean', description: 'False: very common words are counted up to some thousand hits.' },
      }),
    ),
  }),
  Passage: object('A part of a session or of a file that answers a question.', {
    place: { type: 'string', description: '`path:line`, or `agent:id#key`.' },
    kind: { enum: ['file', 'session'] },
    project: optional({ type: 'string' }),
    lines: optional({ ...listOf({ type: 'integer' }), description: 'The first and the last, from 1.' }),
    at: optional(time),
    about: { type: 'string', description: 'Path and headings, or the call that an output came from.' },
    text: { type: 'string' },
    tokens: count,
    score: { type: 'number' },
    words: listOf({ type: 'string' }),
  }),
  States: object('States of a session, as `ollm replay` shows them.', {
    id: { type: 'string' },
    counts: { type: 'object' },
    states: { type: 'object' },
    damage: listOf({ type: 'object' }),
  }),
  Requests: object('What each request of a session to a model used, and what explains it.', {
    sessionId: { type: 'string' },
    requests: listOf(
      object({
        seq,
        at: optional(time),
        turn: optional({ type: 'integer' }),
        model: { type: 'string' },
        provider: optional({ type: 'string' }),
        purpose: { enum: ['answer', 'summary'] },
        inputTokens: { ...count, description: 'Those from a cache included.' },
        outputTokens: count,
        cachedTokens: optional(count),
        cacheWriteTokens: optional(count),
        reasoningTokens: optional(count),
        cost: optional({ type: 'number', description: 'US dollars. Absent where no price is known.' }),
      }),
    ),
    marks: listOf(
      object({
        seq,
        at: optional(time),
        kind: { enum: ['compaction', 'failed-call', 'failed-turn', 'stopped', 'loop', 'model'] },
        text: optional({ type: 'string' }),
        tokensBefore: optional(count),
        tokensAfter: optional(count),
      }),
    ),
    window: optional({ ...count, description: 'Tokens that the model takes in, where known.' }),
    total: object({
      requests: count,
      inputTokens: count,
      outputTokens: count,
      cachedTokens: optional(count),
      cost: optional({ type: 'number' }),
      withoutPrice: {
        ...count,
        description: 'Requests that no price is known for; they are in no sum of dollars.',
      },
    }),
  }),
  Stats: object('What the sessions of all programs came to. Copies of the same records count once.', {
    since: optional(time),
    by: listOf({ enum: ['day', 'hour', 'project', 'agent', 'model', 'tool', 'session'] }),
    rows: listOf(
      object('Figures of one value of each name in `by`; a value that is not known is absent.', {
        day: optional({ type: 'string', description: 'In the time zone of the request.' }),
        hour: optional({ type: 'string', description: 'From 00 to 23, in the time zone of the request.' }),
        project: optional({ type: 'string' }),
        agent: optional({ type: 'string' }),
        model: optional({ type: 'string' }),
        tool: optional({ type: 'string' }),
        session: optional({
          type: 'string',
          description: 'Its address; of a subagent, that of the session that began it.',
        }),
        title: optional({ type: 'string', description: 'Of the session.' }),
        ...FIGURES,
      }),
    ),
    total: object(FIGURES),
    leftOut: listOf({ type: 'string', description: 'A sentence about sessions that were not counted.' }),
  }),
  Provider: object('What can answer in a session that is started here.', {
    id: { type: 'string' },
    family: {
      enum: ['sdk', 'cli', 'acp'],
      description: '`acp`: by the Agent Client Protocol; `cli`: by lines of its command.',
    },
    program: optional({ type: 'string', description: 'Of another agent: where it is. Missing: it is not installed.' }),
    install: optional({ type: 'string', description: 'Of an agent that is not installed: how to get it.' }),
    capabilities: object({
      supportsRuntimePermissionRequests: { type: 'boolean' },
      supportsThinkingModeControl: { type: 'boolean' },
      supportsModelSwitching: { type: 'boolean' },
      supportsSessionResume: { type: 'boolean' },
      supportsSessionStop: { type: 'boolean' },
    }),
  }),
  Model: object({
    value: { type: 'string', description: 'What `model` takes.' },
    displayName: { type: 'string' },
    description: optional({ type: 'string' }),
    default: optional({ type: 'boolean' }),
    current: optional({ type: 'boolean', description: 'The one that the agent had when it ran last.' }),
    answerer: { type: 'string', description: 'Which provider of ollm has it: what `answerer` takes.' },
    contextWindow: optional({ ...count, description: 'Tokens that it takes in, where known.' }),
    supportsThinkingModes: optional({ type: 'boolean' }),
    supportedThinkingModes: optional(listOf({ type: 'string' })),
  }),
  Asset: object('A file that was sent, kept under its content.', {
    hash: { type: 'string' },
    originalName: { type: 'string' },
    storedName: { type: 'string' },
    absolutePath: { type: 'string', description: 'What `imagePaths` takes.' },
    relativePath: { type: 'string', description: 'In the home of ollm.' },
    mimeType: { type: 'string' },
    size: { ...count, description: 'Bytes.' },
  }),
  Activity: object('What the server does with a session.', {
    kind: { enum: ['not-held', 'free', 'running', 'waiting'] },
    promptId: optional({ type: 'string' }),
    since: optional(time),
    queued: optional(count),
    questions: optional(listOf({ type: 'string' })),
    asks: optional({ type: 'string', description: 'The first question that it waits for, in one line.' }),
  }),
  Accepted: object('A prompt that was taken: its turn runs, or waits in the queue.', {
    sessionId: {
      type: 'string',
      description: 'Another one than was named where that belongs to another program: a fork of its import.',
    },
    promptId: { type: 'string' },
    ahead: { ...count, description: 'How many prompts come before it.' },
    seq: optional({ ...count, description: 'The event that stores it as waiting.' }),
  }),
  QueuedPrompt: object({
    promptId: { type: 'string' },
    text: { type: 'string' },
    queuedAt: time,
    attachments: optional(listOf({ type: 'string' })),
    provider: optional({ type: 'string' }),
    model: optional({ type: 'string' }),
    thinking: optional({ type: 'string' }),
    permissions: optional({ type: 'string' }),
    awaits: optional({
      enum: ['user'],
      description: 'It was typed ahead at a terminal, and is sent there. Changing it lets the server send it.',
    }),
  }),
  Question: object('What a user is asked before a call runs, in full.', {
    id: { type: 'string' },
    sessionId: { type: 'string' },
    kind: { enum: ['call', 'go-on'] },
    hash: { type: 'string', description: 'To be sent back with the answer: it is good for this call and no other.' },
    summary: { type: 'string' },
    reason: { type: 'string' },
    call: optional({ type: 'object', description: 'Tool, arguments, command, files, preview, sandbox, rule, grant.' }),
    answers: listOf({ enum: ['once', 'always', 'never', 'edits', 'no'] }),
    mayAnswer: optional({ type: 'string' }),
    askedAt: time,
    expiresAt: time,
  }),
  QuestionEnd: object('How a question ended.', {
    id: { type: 'string' },
    sessionId: { type: 'string' },
    how: { enum: ['answered', 'cancelled', 'expired', 'closed'] },
    decision: { enum: ['once', 'always', 'never', 'edits', 'no'] },
    author: optional({ type: 'string' }),
    address: optional({ type: 'string' }),
    at: time,
  }),
  Snapshot: object('How a session is: the same before and after a restart.', {
    sessionId: { type: 'string' },
    provider: { type: 'string' },
    family: { enum: ['sdk', 'cli', 'acp'] },
    status: {
      enum: ['starting', 'running', 'waiting', 'completed', 'failed', 'stopped'],
      description:
        'Status of the newest turn; `starting` while its prompt waits. An answer with status 202 shows the session as ' +
        'it was when the prompt was stored, so that it is never `completed`, `failed` or `stopped`.',
    },
    startedAt: time,
    endedAt: optional(time),
    answerer: { type: 'string' },
    model: optional({ type: 'string' }),
    thinkingMode: optional({ type: 'string' }),
    workspacePath: optional({ type: 'string' }),
    title: optional({ type: 'string' }),
    instanceId: optional({
      type: 'string',
      description: 'The id of the server that holds it, the only one that can stop it.',
    }),
    transitions: {
      ...listOf(object({ status: { type: 'string' }, at: time })),
      description:
        'Each change of the status in the newest turn; the last one leads to the present status, also after the ' +
        'server was killed. Those of earlier turns are in the history.',
    },
    events: listOf(
      object({
        timestamp: time,
        channel: { type: 'string' },
        message: optional({ type: 'string' }),
        data: optional({ type: 'object' }),
      }),
    ),
    messages: listOf(shape('Message')),
    error: optional({ type: 'string' }),
    seq,
  }),
  Skill: object('A skill of another program.', {
    provider: { enum: ['claude', 'codex', 'cursor', 'gemini'] },
    scope: { enum: ['user', 'project', 'plugin', 'repo', 'admin', 'system'] },
    name: { type: 'string' },
    description: optional({ type: 'string', description: 'One line, without secrets.' }),
    invocation: { type: 'string', description: 'How a user calls it there: `/name`, `/plugin:name`, `$name`.' },
    filePath: { type: 'string', description: 'The absolute path of its SKILL.md.' },
    pluginName: optional({ type: 'string' }),
  }),
  SkillProblem: object('A place that is not listed, and why.', {
    provider: { type: 'string' },
    path: { type: 'string' },
    reason: { type: 'string' },
  }),
  McpServer: object('A server for MCP in the settings of a program, without values of variables and headers.', {
    provider: { type: 'string' },
    scope: { enum: ['user', 'local', 'project'] },
    name: { type: 'string' },
    transport: { enum: ['stdio', 'http', 'sse'] },
    command: optional({ type: 'string' }),
    args: optional({ type: 'array', items: { type: 'string' } }),
    env: optional({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Each value is `[hidden]`.',
    }),
    cwd: optional({ type: 'string' }),
    envVars: optional({
      type: 'array',
      items: { type: 'string' },
      description: 'Variables that the program hands on.',
    }),
    url: optional({ type: 'string' }),
    headers: optional({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Each value is `[hidden]`.',
    }),
    bearerTokenEnvVar: optional({ type: 'string', description: 'The variable that has the token.' }),
    envHttpHeaders: optional({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Headers, each with the variable that has its value.',
    }),
  }),
  McpProblem: object('A file, or an entry of one, that is not listed, and why.', {
    provider: { type: 'string' },
    scope: { type: 'string' },
    path: { type: 'string' },
    reason: { type: 'string' },
  }),
  Workspace: object({
    path: { type: 'string' },
    because: { enum: ['setting', 'session', 'opened'] },
  }),
} as const;
