// What several routes take or answer, by name. Members are in the order in which a reader wants them.
import { listOf, shape } from './schema.ts';

const time = { type: 'string', description: 'RFC 3339.' } as const;
const seq = { type: 'integer', minimum: 0, description: 'Number of an event in its session.' } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** Which part of a session a page is. */
const place = {
  sessionId: { type: 'string' },
  provider: { type: 'string', description: 'The program whose session it is.' },
  head: { ...seq, description: 'seq of the newest event. Absent where there is none.' },
  next: { ...seq, description: '`from` of the next page. Absent at the end.' },
} as const;

export const SHAPES = {
  Error: {
    type: 'object',
    description: 'Why a request was not done.',
    required: ['success', 'error'],
    properties: {
      success: { const: false },
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: {
          code: { type: 'string', description: 'A name for programs: see docs/server.md and docs/errors.md.' },
          message: { type: 'string', description: 'One sentence for people.' },
          hint: { type: 'string', description: 'What to do about it.' },
          details: { type: 'object' },
        },
      },
    },
  },
  Session: {
    type: 'object',
    description: 'What a list says of a session of any program.',
    required: ['address', 'agent', 'id', 'lastActivity', 'bytes', 'gone', 'locked'],
    properties: {
      address: { type: 'string', description: 'What `/sessions/{id}` takes, percent-encoded.' },
      agent: { type: 'string', description: '`ollm` for a session of this server.' },
      id: { type: 'string' },
      title: { type: 'string', description: 'What it is called, else the first thing that the user said.' },
      project: { type: 'string', description: 'Its directory.' },
      branch: { type: 'string' },
      model: { type: 'string' },
      startTime: time,
      lastActivity: time,
      messageCount: { ...count, description: 'Absent until a sync has counted them.' },
      bytes: count,
      importId: { type: 'string', description: 'Id of the journal that it was imported into.' },
      gone: { type: 'boolean', description: 'Its source has vanished.' },
      locked: { type: 'boolean', description: 'A process has it open for writing.' },
      problem: { type: 'string', description: 'Why it, or a part of it, could not be read.' },
    },
  },
  SessionPage: {
    type: 'object',
    description: 'Sessions in their order, and where the next ones are.',
    required: ['sessions', 'total', 'unreadable'],
    properties: {
      sessions: listOf(shape('Session')),
      total: { ...count, description: 'How many there are with these filters.' },
      next: { type: 'string', description: 'Hand it back as `after` for the sessions behind these.' },
      unreadable: listOf({
        type: 'object',
        required: ['path', 'reason'],
        properties: { path: { type: 'string' }, reason: { type: 'string' } },
      }),
    },
  },
  Event: {
    type: 'object',
    description: 'An event as it is stored. `data` is what docs/events.md says of its type.',
    required: ['seq', 'ts', 'type', 'data'],
    properties: {
      seq,
      ts: time,
      type: { type: 'string' },
      turn: { type: 'integer', minimum: 1 },
      id: { type: 'string' },
      data: { type: 'object' },
    },
  },
  Damage: {
    type: 'object',
    description: 'A place of a journal that is not as it was written.',
    required: ['kind', 'offset', 'length', 'reason'],
    properties: {
      kind: { type: 'string' },
      offset: { ...count, description: 'Where it begins, in bytes.' },
      length: { ...count, description: 'Bytes.' },
      line: count,
      reason: { type: 'string' },
      seq,
      before: { type: 'integer', description: 'seq of the event of this page behind it, or of the next page.' },
    },
  },
  Message: {
    type: 'object',
    description: 'A message as a chat shows it: the same form for a session of any program.',
    required: ['timestamp', 'provider', 'sessionId', 'type', 'seq'],
    properties: {
      seq,
      timestamp: time,
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
      images: listOf({
        type: 'object',
        required: ['mediaType', 'hash'],
        properties: {
          mediaType: { type: 'string' },
          hash: { type: 'string', description: 'For `/assets/{hash}`.' },
        },
      }),
      toolName: { type: 'string' },
      toolCallId: { type: 'string' },
      status: { enum: ['success', 'error'] },
      has_progress_indicator: { type: 'boolean' },
      sessionStatus: { enum: ['STARTED', 'COMPLETED', 'SESSION_ABORTED'] },
      data: { description: 'Arguments of a call, or a list of tasks.' },
    },
  },
  History: {
    type: 'object',
    description: 'A page of a session: its events, and the same as messages.',
    required: ['sessionId', 'provider', 'fileType', 'entries', 'messages', 'damage'],
    properties: {
      ...place,
      workspacePath: { type: 'string' },
      filePath: { type: 'string' },
      fileType: { enum: ['jsonl', 'json', 'sqlite', 'other'] },
      entries: listOf(shape('Event')),
      messages: listOf(shape('Message')),
      damage: listOf(shape('Damage')),
    },
  },
  Messages: {
    type: 'object',
    description: 'A page of a session as messages.',
    required: ['sessionId', 'provider', 'messages', 'damage'],
    properties: { ...place, messages: listOf(shape('Message')), damage: listOf(shape('Damage')) },
  },
} as const;
