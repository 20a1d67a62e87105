// Reads a message that names a tool: `file_read README.md from_line=10`, `bash echo hi`, `git log -n 3`, or the name
// with arguments as JSON. Each line may name a tool; otherwise all the text after the first name belongs to it. Pure.
// Arguments are read by the tool's schema and not checked: broken ones are passed on unchanged, so that the check can
// report the fault.
import { jsonOrText } from '../json-or-text.ts';
import type { ToolDefinition } from '../provider.ts';

interface ToolRequest {
  readonly name: string;
  /** An object, or the raw text where that looks like JSON and cannot be parsed. */
  readonly args: unknown;
}

const MAX_REQUESTS = 32;
const MAX_MEMBERS = 32;
const MAX_CHARACTERS = 64 * 1024;
const REQUEST = /^(?:(?:please |run |call |use )*)([a-zA-Z0-9_-]{1,64})(?:\s+([\s\S]*))?$/;
const TRAILING_MEMBER = /(?:^|\s)([a-zA-Z0-9_]+)=("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+)$/;
const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|[^\s"']+/g;

/**
 * The calls that a message asks for; none if it is an ordinary question.
 *
 * @example
 * readToolRequests('file_read README.md', request.tools) // [{ name: 'file_read', args: { path: 'README.md' } }]
 */
export function readToolRequests(text: string, tools: readonly ToolDefinition[]): readonly ToolRequest[] {
  if (tools.length === 0 || text.length > MAX_CHARACTERS) return [];
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > 1 && lines.length <= MAX_REQUESTS) {
    const requests = lines.flatMap((line) => readRequest(line.trim(), tools) ?? []);
    if (requests.length === lines.length) return requests;
  }
  const request = readRequest(text.trim(), tools);
  return request ? [request] : [];
}

/** The tool that a message begins with, of these names; undefined if it is an ordinary question. */
export function toolNamed(text: string, names: readonly string[]): string | undefined {
  const [, name, rest = ''] = REQUEST.exec(text.trim().slice(0, MAX_CHARACTERS)) ?? [];
  return name !== undefined && names.includes(name) && !isQuestion(name, rest) ? name : undefined;
}

function readRequest(text: string, tools: readonly ToolDefinition[]): ToolRequest | undefined {
  const [, name, rest = ''] = REQUEST.exec(text) ?? [];
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool || isQuestion(tool.name, rest)) return undefined;
  return { name: tool.name, args: readArguments(rest.trim(), tool.parameters as Schema) };
}

/** “git or svn?” asks about a word that is the name of a tool as well. */
function isQuestion(name: string, rest: string): boolean {
  return /^[a-z]+$/.test(name) && rest.trimEnd().endsWith('?');
}

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

function readArguments(rest: string, schema: Schema): unknown {
  if (rest === '') return {};
  if (rest.startsWith('{')) return jsonOrText(rest);
  const { properties = {}, required = [] } = schema;
  const main = required[0] ?? Object.keys(properties).find((name) => properties[name]?.type === 'string');
  const { text, members } = splitMembers(rest, properties);
  const own = text === '' || main === undefined ? [] : [[main, mainValue(text, properties[main])]];
  return Object.fromEntries([...own, ...members]);
}

/** Takes `name=value` off the end as long as the schema knows the name. */
function splitMembers(rest: string, properties: Readonly<Record<string, Schema>>) {
  const members: [name: string, value: unknown][] = [];
  let text = rest;
  while (members.length < MAX_MEMBERS) {
    const [whole, name, value] = TRAILING_MEMBER.exec(text) ?? [];
    if (whole === undefined || name === undefined || !Object.hasOwn(properties, name)) break;
    members.unshift([name, memberValue(value!, properties[name])]);
    text = text.slice(0, text.length - whole.length).trimEnd();
  }
  return { text, members };
}

/** All of it: a line for a shell keeps its quotes, a list falls into words. */
function mainValue(text: string, schema: Schema | undefined): unknown {
  if (schema?.type !== 'array') return schema?.type === 'string' ? unquoted(text) : memberValue(text, schema);
  if (text.startsWith('[')) return jsonOrText(text);
  return [...text.matchAll(WORD)].map(([word]) => unquoted(word));
}

function memberValue(text: string, schema: Schema | undefined): unknown {
  const value = unquoted(text);
  return schema?.type === 'string' ? value : jsonOrText(value);
}

/** Without quotes, where they go around all of it. */
function unquoted(text: string): string {
  if (/^'[^']*'$/.test(text)) return text.slice(1, -1);
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(text)) return text;
  const value = jsonOrText(text);
  return typeof value === 'string' ? value : text;
}
