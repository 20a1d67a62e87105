// A message in the role of the user: prompts, results of calls, and texts of the program for the model, each known by
// the words or the elements that the program puts around it.
import type { JsonObject } from '../agent.ts';
import { imageOf } from '../attachments.ts';
import { Content } from '../content.ts';
import { absolutePathIn, blocksIn, defined, nonEmpty, objectIn, saysSomething, shortText } from '../members.ts';
import { addInjected, addPrompt, addResult } from '../said.ts';
import { textIn } from './blocks.ts';
import { answered, type ClineGiven, changeModelOf } from './state.ts';

const SURROUNDINGS = /\s*<environment_details>[\s\S]*<\/environment_details>\s*$/;
const DIRECTORY = /^# Current (?:Working|Workspace) Directory \((.+)\) Files$/m;
const MODEL = /^# Current Mode\n(?:.*\n){0,4}?<model>(.+)<\/model>$/m;
const REMINDER = /^\s*# (?:task_progress|TODO LIST)/;
const RESULT = /^\s*\[([A-Za-z_]+)(?: [\s\S]{0,4000}?)?\] Result:\s*/;
/** A prompt, as the whole of a text or in it. */
const TYPED = /<(task|user_message|user_input|feedback)(?: [^>\n]*)?>\n?([\s\S]*?)\n?<\/\1>/;
const WHOLE = new RegExp(`^\\s*${TYPED.source}`);
/** Their results have the next prompt in them. */
const ASKING = new Set(['attempt_completion', 'plan_mode_respond', 'plan_mode_response']);
const RESUMED = /^\s*\[TASK RESUMPTION\]/;
const DENIED = /^\s*(?:The user denied this operation|\{"status":"denied")/;
const FAILED = /^\s*(?:The tool execution failed|<error>|\{"status":"error")/;

interface Result {
  readonly callId: string;
  readonly name: string;
  readonly isError: boolean;
  readonly content: Content;
}

interface Read {
  readonly typed: Content;
  readonly injected: string[];
  readonly results: Result[];
}

export function readUser(list: unknown, given: ClineGiven): void {
  const read: Read = { typed: new Content(), injected: [], results: [] };
  const { cwd, model } = surroundingsIn(list);
  if (given.state.cwd === '') given.state.cwd = cwd ?? '';
  changeModelOf(model === undefined ? undefined : { modelId: model }, given);
  for (const block of blocksIn(list)) readBlock(block, read, given);
  for (const result of read.results) giveResult(result, read, given);
  const { typed, injected } = read;
  addPrompt(typed, given);
  addInjected(injected, given);
}

/** What a message says of the directory and the model. */
export function surroundingsIn(list: unknown): { readonly cwd?: string; readonly model?: string } {
  for (const block of blocksIn(list)) {
    const [text] = SURROUNDINGS.exec(textIn(block)) ?? [];
    if (text === undefined) continue;
    return defined({
      cwd: absolutePathIn(DIRECTORY.exec(text)?.[1]),
      model: shortText(MODEL.exec(text)?.[1]),
    });
  }
  return {};
}

/** The first prompt of a message. */
export function promptIn(list: unknown): string | undefined {
  const texts = blocksIn(list).map((block) => typedIn(textIn(block)).typed);
  return texts.find(saysSomething);
}

function readBlock(block: JsonObject, read: Read, given: ClineGiven): void {
  const last = read.results.at(-1);
  if (block.type === 'image') {
    const { media_type, data } = objectIn(block.source) ?? {};
    const content = last === undefined || ASKING.has(last.name) ? read.typed : last.content;
    if (!content.addImage(imageOf(media_type, data))) given.left.push('content[image]');
  } else if (block.type === 'tool_result') {
    readToolResult(block, read, given);
  } else if (block.type === 'text') {
    readText(textIn(block), read, given);
  } else given.left.push(`content[${nonEmpty(block.type) ?? ''}]`);
}

/** A list without blocks was sent as JSON. */
function readToolResult({ tool_use_id, content: list, is_error }: JsonObject, read: Read, given: ClineGiven): void {
  const callId = nonEmpty(tool_use_id);
  if (callId === undefined) {
    given.left.push('content[tool_result]');
    return;
  }
  const content = new Content();
  const [, name = ''] = given.state.waiting.find(([id]) => id === callId) ?? [];
  given.state.waiting = given.state.waiting.filter(([id]) => id !== callId);
  const blocks = blocksIn(list);
  if (blocks.every(({ type }) => type === undefined)) content.addText(blocks.length > 0 ? JSON.stringify(list) : '');
  else
    for (const { type, text, source } of blocks) {
      const { media_type, data } = objectIn(source) ?? {};
      if (type === 'text') content.addText(nonEmpty(text));
      else if (type !== 'image' || !content.addImage(imageOf(media_type, data)))
        given.left.push(`content[tool_result].content[${nonEmpty(type) ?? ''}]`);
    }
  read.results.push({ callId, name, isError: is_error === true, content });
}

function readText(whole: string, read: Read, given: ClineGiven): void {
  const text = whole.replace(SURROUNDINGS, '');
  if (text !== whole) given.left.push('content[environment_details]');
  if (REMINDER.test(text)) {
    given.left.push('content[task_progress]');
    return;
  }
  const [words, name = ''] = RESULT.exec(text) ?? [];
  const callId = words === undefined ? undefined : answered(name, given.state);
  if (words !== undefined && callId !== undefined) {
    const content = new Content(text.slice(words.length));
    read.results.push({ callId, name, isError: false, content });
    return;
  }
  const { typed, rest } = typedIn(text);
  const last = read.results.at(-1);
  read.typed.addText(typed);
  if (!saysSomething(rest)) return;
  // In older versions a result is in the text after the one that names its tool.
  if (last !== undefined && last.content.parts.length === 0) last.content.addText(rest);
  else read.injected.push(rest);
}

/** The prompt in a text, and the rest of the text. */
function typedIn(text: string): { readonly typed: string | undefined; readonly rest: string } {
  const pattern = RESUMED.test(text) ? TYPED : WHOLE;
  const found = pattern.exec(text);
  if (found === null) return { typed: undefined, rest: text };
  return { typed: found[2], rest: `${text.slice(0, found.index)}${text.slice(found.index + found[0].length)}`.trim() };
}

function giveResult({ callId, name, isError, content }: Result, read: Read, given: ClineGiven): void {
  const { text } = content;
  const found = ASKING.has(name) ? TYPED.exec(text) : null;
  read.typed.addText(found?.[2]);
  const said = found === null ? text : text.replace(found[0], '').trim();
  const status = DENIED.test(said) ? 'denied' : isError || FAILED.test(said) ? 'error' : 'ok';
  addResult({ callId, status, text: said, content }, given);
}
