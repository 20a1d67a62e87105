// What a server answers, mended before the SDK checks it: the SDK refuses a whole list for one odd tool, and a whole
// result for one odd piece. Each tool and each piece counts by itself here.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { sanitizeLine } from '../display/sanitize.ts';
import { isObject } from '../platform/json.ts';

type Members = Readonly<Record<string, unknown>>;

const MAX_NAME_CHARACTERS = 200;
/** Answers that are waited for at most. */
const MAX_WAITING = 10_000;
const BASE64 = /^[\w+/=\s-]*$/;

/** Mends the messages that come through this transport. `onProblem`: a tool that is left out and why, a sentence. */
export function mendMessages(transport: Transport, onProblem: (problem: string) => void): Transport {
  const methods = new Map<string, string>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('id' in message && 'method' in message && methods.size < MAX_WAITING)
      methods.set(String(message.id), message.method);
    return send(message, options);
  };
  const mended = (message: JSONRPCMessage): JSONRPCMessage => {
    const answer = message as unknown as Members;
    const id = String(answer.id);
    const method = 'result' in answer ? methods.get(id) : undefined;
    if ('id' in answer && !('method' in answer)) methods.delete(id);
    if (!isObject(answer.result)) return message;
    if (method === 'tools/list') return { ...answer, result: mendedList(answer.result, onProblem) } as never;
    if (method === 'tools/call') return { ...answer, result: mendedResult(answer.result) } as never;
    return message;
  };
  let handler: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => handler,
    set: (next: Transport['onmessage']) => {
      handler = next && ((message, extra) => next(mended(message) as never, extra));
    },
  });
  return transport;
}

function mendedList({ nextCursor, ...result }: Members, onProblem: (problem: string) => void): Members {
  if (!Array.isArray(result.tools)) return result;
  const tools = result.tools.flatMap((tool: unknown) => {
    const read = mendedTool(tool);
    if (typeof read !== 'string') return [read];
    onProblem(read);
    return [];
  });
  return { ...result, tools, ...(typeof nextCursor === 'string' && { nextCursor }) };
}

/** The tool with the members that are used; a text: why it is left out. */
function mendedTool(tool: unknown): Members | string {
  if (!isObject(tool) || typeof tool.name !== 'string') return 'A tool without a name is left out.';
  const { name, description, inputSchema } = tool;
  const left = `The tool ${sanitizeLine(name.slice(0, MAX_NAME_CHARACTERS))} is left out:`;
  if (inputSchema === undefined) return `${left} it has no schema of its arguments.`;
  if (!isObject(inputSchema)) return `${left} the schema of its arguments is not an object.`;
  const { type = 'object' } = inputSchema;
  const isForObject = type === 'object' || (Array.isArray(type) && type.includes('object'));
  if (!isForObject) return `${left} its arguments are not an object.`;
  return {
    name,
    ...(typeof description === 'string' && { description }),
    inputSchema: inputSchema.type === 'object' ? inputSchema : { ...inputSchema, type: 'object' },
  };
}

function mendedResult({ content, structuredContent, isError, ...result }: Members): Members {
  const pieces = Array.isArray(content)
    ? content
    : typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : [];
  const isStructured = isObject(structuredContent);
  const other =
    isStructured || structuredContent === undefined || structuredContent === null ? [] : [structuredContent];
  return {
    ...result,
    content: [...pieces.map(mendedPiece), ...other.map((value) => textPiece(JSON.stringify(value)))],
    ...(isStructured && { structuredContent }),
    ...(isError === true && { isError }),
  };
}

function mendedPiece(piece: unknown): Members {
  if (!isObject(piece)) return typeof piece === 'string' ? textPiece(piece) : unknownPiece(typeof piece);
  const { type, text, data, mimeType, uri, name, title, description, resource } = piece;
  const texts = { ...(isText(title) && { title }), ...(isText(description) && { description }) };
  switch (type) {
    case 'text':
      return isText(text) ? textPiece(text) : unknownPiece(type);
    case 'image':
    case 'audio':
      return isBase64(data) ? { type, data, mimeType: isText(mimeType) ? mimeType : type } : unknownPiece(type);
    case 'resource_link':
      return isText(uri) ? { type, uri, name: isText(name) ? name : uri, ...texts } : unknownPiece(type);
    case 'resource':
      return mendedResource(resource);
    default:
      return unknownPiece(type);
  }
}

function mendedResource(resource: unknown): Members {
  const { uri = '', mimeType, text, blob } = isObject(resource) ? resource : {};
  const place = { uri: isText(uri) ? uri : '', ...(isText(mimeType) && { mimeType }) };
  if (isText(text)) return { type: 'resource', resource: { ...place, text } };
  return isBase64(blob) ? { type: 'resource', resource: { ...place, blob } } : unknownPiece('resource');
}

function unknownPiece(type: unknown): Members {
  const named = isText(type) && type !== '' ? `of the type ${sanitizeLine(type.slice(0, MAX_NAME_CHARACTERS))}` : '';
  return textPiece(`[a piece ${named || 'without a type'} that cannot be read]`);
}

function textPiece(text: string): Members {
  return { type: 'text', text };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isBase64(value: unknown): value is string {
  return isText(value) && BASE64.test(value);
}
