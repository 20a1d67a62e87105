// The events of a record of Factory Droid. An answer may be in several records, and no record ends a turn: the next
// prompt does.
import type { JsonObject, RecordFacts } from '../agent.ts';
import { Content } from '../content.ts';
import { absolutePathIn, blocksIn, nonEmpty, objectIn, shortText, textIn } from '../members.ts';
import { addInjected, addPrompt, addResult, addStep } from '../said.ts';
import type { SessionGiven, SessionMemory } from '../session-state.ts';

/** Texts of the program before a prompt. */
const INJECTED = /^(?:\s*<system-reminder>[\s\S]*?<\/system-reminder>)+\s*/;

export function translate(record: JsonObject, given: SessionGiven): RecordFacts {
  if (record.type === 'session_start') readStart(record, given.state);
  else if (record.type === 'message') readMessage(record, given);
  return { record: nonEmpty(record.id), at: nonEmpty(record.timestamp) };
}

function readStart({ cwd, sessionTitle, title }: JsonObject, state: SessionMemory): void {
  state.cwd = absolutePathIn(cwd) ?? '';
  state.title = shortText(nonEmpty(sessionTitle) ?? nonEmpty(title)) ?? '';
}

function readMessage(record: JsonObject, given: SessionGiven): void {
  const { role, content } = objectIn(record.message) ?? {};
  if (role === 'user') readUser(content, given);
  else if (role === 'assistant') readAnswer(content, shortText(record.id), given);
  else given.left.push('message.content');
}

/** Results come in the role of the user. */
function readUser(list: unknown, given: SessionGiven): void {
  const content = new Content();
  for (const block of blocksIn(list)) {
    if (block.type === 'text') {
      const text = textIn(block.text) ?? '';
      const [injected = ''] = INJECTED.exec(text) ?? [];
      if (injected !== '') addInjected(injected.trim(), given);
      content.addText(text.slice(injected.length));
    } else if (block.type === 'tool_result') readResult(block, given);
    else given.left.push(`message.content[${textIn(block.type) ?? ''}]`);
  }
  addPrompt(content, given);
}

/** The first thing that a user said in a message; '' if there is none. */
export function promptIn(list: unknown): string {
  const texts = blocksIn(list).flatMap(({ type, text }) => (type === 'text' ? [textIn(text) ?? ''] : []));
  return texts.map((text) => text.replace(INJECTED, '')).find((text) => text.trim() !== '') ?? '';
}

function readAnswer(list: unknown, message: string | undefined, given: SessionGiven): void {
  const blocks = blocksIn(list);
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({ callId: id, name, args: input }));
  const content = new Content();
  for (const { type, text, thinking, signature } of blocks) {
    if (type === 'text') content.addText(textIn(text));
    else if (type === 'thinking') content.addReasoning('', nonEmpty(thinking), nonEmpty(signature));
    else if (type !== 'tool_use') given.left.push(`message.content[${textIn(type) ?? ''}]`);
  }
  addStep({ content, calls, message, left: 'message.content[tool_use]' }, given);
}

function readResult({ tool_use_id, content, is_error }: JsonObject, given: SessionGiven): void {
  const texts = blocksIn(content).flatMap(({ type, text }) => {
    if (type === 'text') return [textIn(text) ?? ''];
    given.left.push(`message.content[tool_result].content[${textIn(type) ?? ''}]`);
    return [];
  });
  const status = is_error === true ? 'error' : 'ok';
  addResult({ callId: tool_use_id, left: 'message.content[tool_result]', status, text: texts.join('\n') }, given);
}
