// What several routes take or answer, by name. Members are in the order in which a reader wants them.
import { listOf, object, shape } from './schema.ts';

const time = { type: 'string', description: 'RFC 3339.' } as const;
const seq = { type: 'integer', minimum: 0, description: 'Number of an event in its session.' } as const;
const count = { type: 'integer', minimum: 0 } as const;

const REQUIRED_FIGURES = [
  'sessions',
  'turns',
  'failedTurns',
  'requests',
  'withoutPrice',
  'calls',
  'failedCalls',
] as const;
const milliseconds = { type: 'number', minimum: 0, description: 'Milliseconds.' } as const;
const FIGURES = {
  sessions: { ...count, description: 'A session of a subagent is a part of the one that began it.' },
  turns: { ...count, description: 'Prompts of users.' },
  failedTurns: count,
  requests: { ...count, description: 'Requests to models whose tokens are known.' },
  inputTokens: { ...count, description: 'Absent where none are known, as with the next two.' },
  outputTokens: count,
  cachedTokens: { ...count, description: 'A part of the input.' },
  cost: { type: 'number', description: 'US dollars; absent where no price is known.' },
  withoutPrice: { ...count, description: 'Requests that no price is known for; they are in no sum of dollars.' },
  calls: { ...count, description: 'Calls of tools.' },
  failedCalls: count,
  callsMs: milliseconds,
  youWaitedMs: milliseconds,
  waitedForYouMs: milliseconds,
} as const;

const UNREADABLE = listOf(object(['path', 'reason'], { path: { type: 'string' }, reason: { type: 'string' } }));

/** Which part of a session a page is. */
const place = {
  sessionId: { type: 'string' },
  provider: { type: 'string', description: 'The program whose session it is.' },
  head: { ...seq, description: 'seq of the newest event. Absent where there is none.' },
  next: { ...seq, description: '`from` of the next page. Absent at the end.' },
} as const;

export const SHAPES = {
  Error: object(
    ['success', 'error'],
    {
      success: { const: false },
      error: object(['code', 'message'], {
        code: { type: 'string', description: 'A name for programs: see docs/server.md and docs/errors.md.' },
        message: { type: 'string', description: 'One sentence for people.' },
        hint: { type: 'string', description: 'What to do about it.' },
        details: { type: 'object' },
      }),
    },
    'Why a request was not done.',
  ),
  Session: object(
    ['address', 'agent', 'id', 'gone', 'locked'],
    {
      address: { type: 'string', description: 'What `/sessions/{id}` takes, percent-encoded.' },
      agent: { type: 'string', description: '`ollm` for a session of this server.' },
      id: { type: 'string' },
      programId: {
        type: 'string',
        description: 'The id that its program prints and takes, where `id` is another one.',
      },
      title: { type: 'string', description: 'What it is called, else the first thing that the user said.' },
      project: { type: 'string', description: 'Its directory.' },
      branch: { type: 'string' },
      model: { type: 'string' },
      startTime: time,
      lastActivity: time,
      messageCount: { ...count, description: 'Absent until a sync has counted them.' },
      bytes: { ...count, description: 'Size of its file. Absent where it has no file of its own.' },
      importId: { type: 'string', description: 'Id of the journal that it was imported into.' },
      copyOf: { type: 'string', description: 'Address of the session that it was handed over from.' },
      continued: { type: 'boolean', description: 'Of such a copy: something happened in it since.' },
      gone: { type: 'boolean', description: 'Its source has vanished.' },
      locked: { type: 'boolean', description: 'A process has it open for writing.' },
      problem: { type: 'string', description: 'Why it, or a part of it, could not be read.' },
      unlocked: { type: 'boolean', description: 'It is encrypted, and a passphrase has opened it in this server.' },
      hidden: { type: 'boolean', description: 'It was hidden, and is listed only with `hidden=true`.' },
      tokens: { ...count, description: 'Of its messages and results. Absent until a sync has counted them.' },
      cost: { type: 'number', description: 'US dollars, as far as prices are known.' },
      shape: {
        type: 'string',
        description:
          'A byte for each of at most 22 bars, in base64: the lower five bits are its height, 0x20 a prompt, 0x40 a failure, 0x80 a compaction.',
      },
      said: object(
        ['by', 'text'],
        { by: { enum: ['user', 'assistant'] }, text: { type: 'string' } },
        'How the last message of a person or a model begins. Absent until a sync has read it.',
      ),
      activity: shape('Activity'),
    },
    'What a list says of a session of any program.',
  ),
  LockOutcome: object(['sessionId', 'unlocked'], {
    sessionId: { type: 'string' },
    unlocked: { type: 'boolean', description: 'Whether this server has a key for it by a passphrase.' },
  }),
  SessionCounts: object(
    ['total', 'projects', 'agents', 'days', 'unreadable'],
    {
      total: count,
      projects: listOf(
        object(
          ['sessions'],
          { project: { type: 'string' }, sessions: count, lastActivity: time },
          'Sessions without a directory are counted where `project` is absent.',
        ),
      ),
      agents: listOf(object(['agent', 'sessions'], { agent: { type: 'string' }, sessions: count, lastActivity: time })),
      days: listOf(
        object(
          ['day', 'sessions'],
          { day: { type: 'string' }, sessions: count },
          'By the last activity, in the time zone of the request. Sessions without a time are in none.',
        ),
      ),
      unreadable: UNREADABLE,
    },
    'How many sessions there are. The newest activity comes first.',
  ),
  SessionPage: object(
    ['sessions', 'total', 'unreadable'],
    {
      sessions: listOf(shape('Session')),
      total: { ...count, description: 'How many there are with these filters.' },
      next: { type: 'string', description: 'Pass it back as `after` for the sessions after these.' },
      unreadable: UNREADABLE,
    },
    'Sessions in their order, and where the next ones are.',
  ),
  Event: object(
    ['seq', 'ts', 'type', 'data'],
    {
      seq,
      ts: time,
      type: { type: 'string' },
      turn: { type: 'integer', minimum: 1 },
      id: { type: 'string' },
      data: { type: 'object' },
    },
    'An event as it is stored. `data` is what docs/events.md says of its type.',
  ),
  Damage: object(
    ['kind', 'offset', 'length', 'reason'],
    {
      kind: { type: 'string' },
      offset: { ...count, description: 'Where it begins, in bytes.' },
      length: { ...count, description: 'Bytes.' },
      line: count,
      reason: { type: 'string' },
      seq,
      before: { type: 'integer', description: 'seq of the event after it, on this page or the next one.' },
    },
    'A place of a journal that is not as it was written.',
  ),
  Message: object(
    ['provider', 'sessionId', 'type', 'seq'],
    {
      seq,
      timestamp: { ...time, description: 'Absent where the source has no time.' },
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
      text: { type: 'string' },
      images: listOf(
        object(['mediaType', 'hash'], {
          mediaType: { type: 'string' },
          hash: { type: 'string', description: 'For `/assets/{hash}`.' },
        }),
      ),
      toolName: { type: 'string' },
      toolCallId: { type: 'string' },
      status: { enum: ['success', 'error'] },
      has_progress_indicator: { type: 'boolean' },
      sessionStatus: { enum: ['STARTED', 'COMPLETED', 'SESSION_ABORTED'] },
      data: { description: 'Arguments of a call, or a list of tasks.' },
      synthetic: { const: true, description: 'A program put this into the role of the user.' },
      replaces: { ...seq, description: 'The message of this page with that `seq` has this text from here on.' },
    },
    'A message as a chat shows it: the same form for a session of any program.',
  ),
  History: object(
    ['sessionId', 'provider', 'fileType', 'entries', 'messages', 'damage'],
    {
      ...place,
      workspacePath: { type: 'string' },
      filePath: { type: 'string' },
      fileType: { enum: ['jsonl', 'json', 'sqlite', 'other'] },
      entries: listOf(shape('Event')),
      messages: listOf(shape('Message')),
      damage: listOf(shape('Damage')),
    },
    'A page of a session: its events, and the same as messages.',
  ),
  Messages: object(
    ['sessionId', 'provider', 'messages', 'damage'],
    { ...place, messages: listOf(shape('Message')), damage: listOf(shape('Damage')) },
    'A page of a session as messages.',
  ),
  Outcome: object(
    ['sessionId', 'outcome', 'deletedFromDisk', 'deletedFromDatabase'],
    {
      sessionId: { type: 'string' },
      outcome: {
        enum: ['trashed', 'hidden', 'restored', 'shown'],
        description:
          'A session of ollm goes to the trash and back; one of another program is hidden, and its file stays.',
      },
      deletedFromDisk: { type: 'boolean', description: 'Always false: both can be taken back.' },
      deletedFromDatabase: { type: 'boolean', description: 'It is in no list any more.' },
    },
    'What became of a session that was deleted or brought back.',
  ),
  Synced: object(
    ['processedByProvider', 'failures', 'sessions', 'read', 'left', 'isBusy'],
    {
      processedByProvider: {
        type: 'object',
        description: 'Sessions that were read, by program.',
        additionalProperties: { type: 'integer' },
      },
      failures: listOf(object(['address', 'reason'], { address: { type: 'string' }, reason: { type: 'string' } })),
      sessions: { ...count, description: 'Sessions there are.' },
      read: { ...count, description: 'Of these, those that were read.' },
      left: { ...count, description: 'Those that are left for another time.' },
      isBusy: { type: 'boolean', description: 'Another process is at it: nothing was done.' },
    },
    'What a sync read.',
  ),
  Hit: object(
    ['address', 'agent', 'id', 'kind', 'why', 'score', 'isNear', 'live', 'gone', 'excerpt'],
    {
      address: { type: 'string', description: 'Of the message: `agent:id#key`; of a session `agent:id`.' },
      agent: { type: 'string' },
      id: { type: 'string' },
      programId: { type: 'string', description: 'The id that its program takes, where the address has another one.' },
      key: { type: 'string' },
      seq: { ...seq, description: 'Of its event.' },
      title: { type: 'string' },
      project: { type: 'string' },
      role: { type: 'string' },
      kind: { type: 'string' },
      why: {
        enum: ['text', 'title', 'branch', 'project', 'filter'],
        description: 'Where the words are: in the message, or in what names the session.',
      },
      at: time,
      score: { type: 'number' },
      isNear: {
        type: 'boolean',
        description: 'It has most of the words, in any form, and not all as they were typed.',
      },
      live: { type: 'boolean', description: 'It was not undone.' },
      gone: { type: 'boolean' },
      importId: { type: 'string', description: 'Of the journal that it was found in, where its source is not known.' },
      excerpt: object(['text', 'marks'], {
        text: { type: 'string' },
        marks: listOf({ ...listOf({ type: 'integer' }), description: 'Begin and end of a word that was found.' }),
      }),
    },
    'A message that was found, or a session by what names it: without `key`, `seq` and `role`.',
  ),
  Found: object(
    ['hits', 'isCut', 'leftOut'],
    {
      hits: listOf(shape('Hit')),
      isCut: { type: 'boolean', description: 'There are more.' },
      didYouMean: { type: 'string', description: 'The words with one that is in no text exchanged for one that is.' },
      leftOut: listOf({ type: 'string', description: 'What was not searched, one sentence each.' }),
      isReading: {
        type: 'boolean',
        description:
          'The server still reads sessions for the search, as after its start: asked again, it may find more.',
      },
      counts: object(
        ['hits', 'sessions', 'roles', 'isWhole'],
        {
          hits: count,
          sessions: count,
          roles: { type: 'object', additionalProperties: count, description: 'By role, as far as there are any.' },
          isWhole: { type: 'boolean', description: 'False: very common words are counted up to some thousand hits.' },
        },
        'Of all hits, where `counted` asks for it and there are more than `hits` has.',
      ),
    },
    'Messages that were found, best first.',
  ),
  Passage: object(
    ['place', 'kind', 'about', 'text', 'tokens', 'score', 'words'],
    {
      place: { type: 'string', description: '`path:line`, or `agent:id#key`.' },
      kind: { enum: ['file', 'session'] },
      project: { type: 'string' },
      lines: { ...listOf({ type: 'integer' }), description: 'The first and the last, from 1.' },
      at: time,
      about: { type: 'string', description: 'Path and headings, or the call that an output came from.' },
      text: { type: 'string' },
      tokens: count,
      score: { type: 'number' },
      words: listOf({ type: 'string' }),
    },
    'A part of a session or of a file that answers a question.',
  ),
  States: object(
    ['id', 'counts', 'states', 'damage'],
    {
      id: { type: 'string' },
      counts: { type: 'object' },
      states: { type: 'object' },
      damage: listOf({ type: 'object' }),
    },
    'States of a session, as `ollm replay` shows them.',
  ),
  Requests: object(
    ['sessionId', 'requests', 'marks', 'total'],
    {
      sessionId: { type: 'string' },
      requests: listOf(
        object(['seq', 'model', 'inputTokens', 'outputTokens', 'purpose'], {
          seq,
          at: time,
          turn: { type: 'integer' },
          model: { type: 'string' },
          provider: { type: 'string' },
          purpose: { enum: ['answer', 'summary'] },
          inputTokens: { ...count, description: 'Those from a cache included.' },
          outputTokens: count,
          cachedTokens: count,
          cacheWriteTokens: count,
          reasoningTokens: count,
          cost: { type: 'number', description: 'US dollars. Absent where no price is known.' },
        }),
      ),
      marks: listOf(
        object(['seq', 'kind'], {
          seq,
          at: time,
          kind: { enum: ['compaction', 'failed-call', 'failed-turn', 'stopped', 'loop', 'model'] },
          text: { type: 'string' },
          tokensBefore: count,
          tokensAfter: count,
        }),
      ),
      window: { ...count, description: 'Tokens that the model takes in, where known.' },
      total: object(['requests', 'inputTokens', 'outputTokens', 'withoutPrice'], {
        requests: count,
        inputTokens: count,
        outputTokens: count,
        cachedTokens: count,
        cost: { type: 'number' },
        withoutPrice: {
          ...count,
          description: 'Requests that no price is known for; they are in no sum of dollars.',
        },
      }),
    },
    'What each request of a session to a model used, and what explains it.',
  ),
  Stats: object(
    ['by', 'rows', 'total', 'leftOut'],
    {
      since: time,
      by: listOf({ enum: ['day', 'hour', 'project', 'agent', 'model', 'tool', 'session'] }),
      rows: listOf(
        object(
          REQUIRED_FIGURES,
          {
            day: { type: 'string', description: 'In the time zone of the request.' },
            hour: { type: 'string', description: 'From 00 to 23, in the time zone of the request.' },
            project: { type: 'string' },
            agent: { type: 'string' },
            model: { type: 'string' },
            tool: { type: 'string' },
            session: { type: 'string', description: 'Its address; of a subagent, that of the session that began it.' },
            title: { type: 'string', description: 'Of the session.' },
            ...FIGURES,
          },
          'Figures of one value of each name in `by`; a value that is not known is absent.',
        ),
      ),
      total: object(REQUIRED_FIGURES, FIGURES),
      leftOut: listOf({ type: 'string', description: 'A sentence about sessions that were not counted.' }),
    },
    'What the sessions of all programs came to. Copies of the same records count once.',
  ),
  Provider: object(
    ['id', 'family', 'capabilities'],
    {
      id: { type: 'string' },
      family: {
        enum: ['sdk', 'cli', 'acp'],
        description: '`acp`: by the Agent Client Protocol; `cli`: by lines of its command.',
      },
      program: { type: 'string', description: 'Of another agent: where it is. Missing: it is not installed.' },
      install: { type: 'string', description: 'Of an agent that is not installed: how to get it.' },
      capabilities: object(
        [
          'supportsRuntimePermissionRequests',
          'supportsThinkingModeControl',
          'supportsModelSwitching',
          'supportsSessionResume',
          'supportsSessionStop',
        ],
        {
          supportsRuntimePermissionRequests: { type: 'boolean' },
          supportsThinkingModeControl: { type: 'boolean' },
          supportsModelSwitching: { type: 'boolean' },
          supportsSessionResume: { type: 'boolean' },
          supportsSessionStop: { type: 'boolean' },
        },
      ),
    },
    'What can answer in a session that is started here.',
  ),
  Model: object(['value', 'displayName', 'answerer'], {
    value: { type: 'string', description: 'What `model` takes.' },
    displayName: { type: 'string' },
    description: { type: 'string' },
    default: { type: 'boolean' },
    current: { type: 'boolean', description: 'The one that the agent had when it ran last.' },
    answerer: { type: 'string', description: 'Which provider of ollm has it: what `answerer` takes.' },
    contextWindow: { ...count, description: 'Tokens that it takes in, where known.' },
    supportsThinkingModes: { type: 'boolean' },
    supportedThinkingModes: listOf({ type: 'string' }),
  }),
  Asset: object(
    ['hash', 'originalName', 'storedName', 'absolutePath', 'relativePath', 'mimeType', 'size'],
    {
      hash: { type: 'string' },
      originalName: { type: 'string' },
      storedName: { type: 'string' },
      absolutePath: { type: 'string', description: 'What `imagePaths` takes.' },
      relativePath: { type: 'string', description: 'In the home of ollm.' },
      mimeType: { type: 'string' },
      size: { ...count, description: 'Bytes.' },
    },
    'A file that was sent, kept under its content.',
  ),
  Activity: object(
    ['kind'],
    {
      kind: { enum: ['not-held', 'free', 'running', 'waiting'] },
      promptId: { type: 'string' },
      since: time,
      queued: count,
      questions: listOf({ type: 'string' }),
      asks: { type: 'string', description: 'The first question that it waits for, in one line.' },
    },
    'What the server does with a session.',
  ),
  Accepted: object(
    ['sessionId', 'promptId', 'ahead'],
    {
      sessionId: {
        type: 'string',
        description: 'Another one than was named where that belongs to another program: a fork of its import.',
      },
      promptId: { type: 'string' },
      ahead: { ...count, description: 'How many prompts come before it.' },
      seq: { ...count, description: 'The event that stores it as waiting.' },
    },
    'A prompt that was taken: its turn runs, or waits in the queue.',
  ),
  QueuedPrompt: object(['promptId', 'text', 'queuedAt'], {
    promptId: { type: 'string' },
    text: { type: 'string' },
    queuedAt: time,
    attachments: listOf({ type: 'string' }),
    provider: { type: 'string' },
    model: { type: 'string' },
    thinking: { type: 'string' },
    permissions: { type: 'string' },
    awaits: {
      enum: ['user'],
      description: 'It was typed ahead at a terminal, and is sent there. Changing it lets the server send it.',
    },
  }),
  Question: object(
    ['id', 'sessionId', 'kind', 'hash', 'summary', 'reason', 'answers', 'askedAt', 'expiresAt'],
    {
      id: { type: 'string' },
      sessionId: { type: 'string' },
      kind: { enum: ['call', 'go-on'] },
      hash: { type: 'string', description: 'To be sent back with the answer: it is good for this call and no other.' },
      summary: { type: 'string' },
      reason: { type: 'string' },
      call: { type: 'object', description: 'Tool, arguments, command, files, preview, sandbox, rule, grant.' },
      answers: listOf({ enum: ['once', 'always', 'never', 'edits', 'no'] }),
      mayAnswer: { type: 'string' },
      askedAt: time,
      expiresAt: time,
    },
    'What a user is asked before a call runs, in full.',
  ),
  QuestionEnd: object(
    ['id', 'sessionId', 'how', 'decision', 'at'],
    {
      id: { type: 'string' },
      sessionId: { type: 'string' },
      how: { enum: ['answered', 'cancelled', 'expired', 'closed'] },
      decision: { enum: ['once', 'always', 'never', 'edits', 'no'] },
      author: { type: 'string' },
      address: { type: 'string' },
      at: time,
    },
    'How a question ended.',
  ),
  Snapshot: object(
    ['sessionId', 'provider', 'family', 'status', 'startedAt', 'answerer', 'transitions', 'events', 'messages', 'seq'],
    {
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
      endedAt: time,
      answerer: { type: 'string' },
      model: { type: 'string' },
      thinkingMode: { type: 'string' },
      workspacePath: { type: 'string' },
      title: { type: 'string' },
      instanceId: { type: 'string', description: 'The id of the server that holds it, the only one that can stop it.' },
      transitions: {
        ...listOf(object(['status', 'at'], { status: { type: 'string' }, at: time })),
        description:
          'Each change of the status in the newest turn; the last one leads to the present status, also after the ' +
          'server was killed. Those of earlier turns are in the history.',
      },
      events: listOf(
        object(['timestamp', 'channel'], {
          timestamp: time,
          channel: { type: 'string' },
          message: { type: 'string' },
          data: { type: 'object' },
        }),
      ),
      messages: listOf(shape('Message')),
      error: { type: 'string' },
      seq,
    },
    'How a session is: the same before and after a restart.',
  ),
  Skill: object(
    ['provider', 'scope', 'name', 'invocation', 'filePath'],
    {
      provider: { enum: ['claude', 'codex', 'cursor', 'gemini'] },
      scope: { enum: ['user', 'project', 'plugin', 'repo', 'admin', 'system'] },
      name: { type: 'string' },
      description: { type: 'string', description: 'One line, without secrets.' },
      invocation: { type: 'string', description: 'How a user calls it there: `/name`, `/plugin:name`, `$name`.' },
      filePath: { type: 'string', description: 'The absolute path of its SKILL.md.' },
      pluginName: { type: 'string' },
    },
    'A skill of another program.',
  ),
  SkillProblem: object(
    ['provider', 'path', 'reason'],
    { provider: { type: 'string' }, path: { type: 'string' }, reason: { type: 'string' } },
    'A place that is not listed, and why.',
  ),
  McpServer: object(
    ['provider', 'scope', 'name', 'transport'],
    {
      provider: { type: 'string' },
      scope: { enum: ['user', 'local', 'project'] },
      name: { type: 'string' },
      transport: { enum: ['stdio', 'http', 'sse'] },
      command: { type: 'string' },
      args: { type: 'array', items: { type: 'string' } },
      env: { type: 'object', additionalProperties: { type: 'string' }, description: 'Each value is `[hidden]`.' },
      cwd: { type: 'string' },
      envVars: { type: 'array', items: { type: 'string' }, description: 'Variables that the program hands on.' },
      url: { type: 'string' },
      headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'Each value is `[hidden]`.' },
      bearerTokenEnvVar: { type: 'string', description: 'The variable that has the token.' },
      envHttpHeaders: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Headers, each with the variable that has its value.',
      },
    },
    'A server for MCP in the settings of a program, without values of variables and headers.',
  ),
  McpProblem: object(
    ['provider', 'scope', 'path', 'reason'],
    {
      provider: { type: 'string' },
      scope: { type: 'string' },
      path: { type: 'string' },
      reason: { type: 'string' },
    },
    'A file, or an entry of one, that is not listed, and why.',
  ),
  Workspace: object(['path', 'because'], {
    path: { type: 'string' },
    because: { enum: ['setting', 'session', 'opened'] },
  }),
} as const;
