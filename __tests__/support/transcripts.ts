// Real conversations, recorded by other agents, as events that `ollm append` takes. Only the messages and the names of
// the tools: enough to see that real text, in real sizes, goes through. The files are not part of this repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { estimateCall } from '../../lib/tokens/estimate.ts';

export interface TranscriptEvent {
  readonly type: string;
  readonly turn: number;
  readonly data: Record<string, unknown>;
}

const DATA = fileURLToPath(new URL('../../../shared/data/agents/', import.meta.url));

export const TRANSCRIPTS = {
  claude: `${DATA}claude/entireio__cli/cc-2.1.7-3compactions-4roots-6interrupts.jsonl`,
  codex: `${DATA}codex/jnarowski__agentcmd/rollout-2025-09-25T09-49-46-01998190-fba6-7f40-9309-dc4e48c5844a.jsonl`,
  gemini: `${DATA}gemini/mischa-thisness__M-Gemini/session-2026-01-11T00-25-17b4d5e9.json`,
} as const;

export type Transcript = keyof typeof TRANSCRIPTS;

export function isPresent(transcript: Transcript): boolean {
  return existsSync(TRANSCRIPTS[transcript]);
}

/** The conversation of a transcript, in order. */
export function transcriptEvents(transcript: Transcript): readonly TranscriptEvent[] {
  return fileEvents(TRANSCRIPTS[transcript], transcript);
}

/** Every transcript there is in one of these three forms: where it is, and its form. */
export function transcriptFiles(): readonly { readonly path: string; readonly form: Transcript }[] {
  if (!existsSync(DATA)) return [];
  return readdirSync(DATA, { recursive: true, encoding: 'utf8' })
    .sort()
    .flatMap((path) => {
      const form = (Object.keys(TRANSCRIPTS) as Transcript[]).find((name) => path.startsWith(`${name}/`));
      const extension = form === 'gemini' ? '.json' : '.jsonl';
      return form && path.endsWith(extension) ? [{ path: `${DATA}${path}`, form }] : [];
    });
}

/** The conversation in a file, in order. */
export function fileEvents(path: string, transcript: Transcript): readonly TranscriptEvent[] {
  const text = readFileSync(path, 'utf8');
  const collected = new Conversation();
  if (transcript === 'gemini') {
    for (const message of JSON.parse(text).messages) collected.addGemini(message);
  } else {
    for (const line of text.split('\n').filter((each) => each !== '')) {
      const record = JSON.parse(line);
      if (transcript === 'claude') collected.addClaude(record);
      else collected.addCodex(record);
    }
  }
  return collected.finish();
}

type Record_ = { readonly [member: string]: unknown };

class Conversation {
  readonly #events: TranscriptEvent[] = [];
  readonly #open = new Set<string>();
  #turn = 0;

  addClaude({ type, message }: { type: string; message?: { role: string; content: unknown } }): void {
    if ((type !== 'user' && type !== 'assistant') || !message) return;
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    for (const block of blocks as Record_[]) {
      if (block.type === 'text') this.#say(message.role, String(block.text));
      else if (block.type === 'tool_use') this.#call(String(block.id), String(block.name), block.input);
      else if (block.type === 'tool_result') this.#result(String(block.tool_use_id), asText(block.content));
    }
  }

  addCodex({ type, payload }: { type: string; payload: Record_ }): void {
    if (type !== 'response_item') return;
    if (payload.type === 'message') {
      const said = (payload.content as Record_[]).map(({ text }) => text ?? '').join('\n');
      this.#say(String(payload.role), said);
    } else if (payload.type === 'function_call') {
      this.#call(String(payload.call_id), String(payload.name), JSON.parse(String(payload.arguments)));
    } else if (payload.type === 'function_call_output') this.#result(String(payload.call_id), asText(payload.output));
  }

  addGemini(message: {
    type: string;
    content: string;
    toolCalls?: { id: string; name: string; args: unknown; result: unknown }[];
  }): void {
    if (message.type === 'user') this.#say('user', message.content);
    if (message.type !== 'gemini') return;
    if (message.content !== '') this.#say('assistant', message.content);
    for (const call of message.toolCalls ?? []) {
      this.#call(call.id, call.name, call.args);
      this.#result(call.id, asText(call.result));
    }
  }

  finish(): readonly TranscriptEvent[] {
    this.#endTurn();
    return this.#events;
  }

  #say(role: string, text: string): void {
    if (role === 'user') {
      this.#endTurn();
      this.#turn++;
      this.#add('turn.started', { input: text });
    } else if (this.#turn === 0) return;
    this.#add('message.added', {
      role: role === 'user' ? 'user' : 'assistant',
      parts: [{ type: 'text', text }],
      tokens: { count: Math.ceil(text.length / 4), method: 'estimated' },
      trusted: true,
    });
  }

  #call(callId: string, name: string, args: unknown): void {
    if (this.#turn === 0) return;
    this.#open.add(callId);
    const call = { name, args: args ?? {} };
    this.#add('tool.requested', { callId, ...call, tokens: estimateCall(call) });
  }

  #result(callId: string, content: string): void {
    if (!this.#open.delete(callId)) return;
    this.#add('tool.finished', {
      callId,
      status: 'ok',
      result: { llmContent: content },
      tokens: { count: Math.ceil(content.length / 4), method: 'estimated' },
      durationMs: 0,
      trusted: false,
    });
  }

  #endTurn(): void {
    if (this.#turn === 0) return;
    for (const callId of [...this.#open]) this.#result(callId, '(no result was recorded)');
    this.#add('turn.ended', { status: 'completed', steps: 1, durationMs: 0 });
  }

  #add(type: string, data: Record<string, unknown>): void {
    this.#events.push({ type, turn: this.#turn, data });
  }
}

function asText(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
