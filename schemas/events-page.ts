// Writes docs/events.md from the event schemas: what an event is, the list of types, and the members of each.
// Only the words around the tables stand here; everything in a table is what the schema says.

export interface SchemaNode {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
}

export interface NamedSchema {
  readonly type: string;
  readonly schema: SchemaNode;
}

const INTRODUCTION = `# Events

<!-- Generated from schemas/events/ by "npm run generate". Change the schema, not this page. -->

An event is a fact that happened to a session. It is one line of the journal and is never changed:

\`\`\`json
{"seq":4,"ts":"2026-11-21T20:49:00.123Z","type":"message.added","turn":1,"data":{"role":"user","parts":[{"type":"text","text":"Hello"}],"tokens":{"count":1,"method":"counted"},"trusted":true},"prev":"…","xxh64":"…"}
\`\`\`

\`data\` is what this page describes; the members around it belong to the [journal format](journal-format.md). What only
passes by while a turn runs, such as a piece of a reply on its way to the screen, is no event and is not stored.

- Each type has a JSON Schema in \`schemas/events/\`. Types and validators of the program are made from the same files.
- Types and members that a reader does not know are kept, counted and handed on. New members are optional, so that old
  journals stay valid.
- \`tokens\` is a number with its origin: \`{"count": 12, "method": "counted"}\`. \`method\` is \`reported\` (by the provider),
  \`counted\` (by the tokenizer of the model's family), \`estimated\` or \`unknown\`.
- \`trusted: false\` marks text that came from outside. It is put before a model as data, and can grant nothing.
- Programs may append any of these through \`ollm append\`, except \`session.created\`, \`source.*\`, \`writer.*\`, \`journal.*\`
  and a \`tool.decided\` by \`user\` or by a \`grant\`: those only ollm itself writes.

An appended event is stored as it was given or refused. \`EVENT_INEXACT\`: a number that a
double does not hold: a whole number beyond 2^53 that would be stored as another, more digits than the double has, as in
\`0.1234567890123456789\`, \`1e400\`, \`1e-400\`, or -0; write it as a text. \`EVENT_CONFLICT\`: another event has this \`id\`; the same event again is stored once.
\`EVENT_DANGLING\`: \`head\`, \`covers\`, \`keptFrom\` or \`seq\` name an event that is not there, a call was not requested or has
ended, \`turn\` is more than one ahead, or an attachment is not in \`blobs/\`. A type that is not listed here may carry
\`"ignorable": true\`: then readers pass over it. \`session.append\` of the library takes such a type with this mark only.

## A turn

\`turn.started\`, then \`message.added\` by the user. For each request to the model: \`message.added\` by the assistant, if it
said something, and one \`tool.requested\` for each call that it asked for; then \`usage.reported\`. For each call:
\`tool.decided\`, \`tool.started\` (on disk before the side effect) and \`tool.finished\`. At last \`turn.ended\`.

While an answer streams for longer than two seconds, \`message.streamed\` stores what arrived since, at least every two
seconds: text and reasoning, without secrets. These events are ignorable, and count for nothing once the \`message.added\`
of the answer is stored. An answer that was cut off by a kill has none: the next opening makes it of them, with \`finish\`
\`failed\`.

After a crash, the next opening closes what was left open. A call gets \`tool.finished\`: with status \`unknown\` where
\`tool.started\` is in the journal, because it may have had an effect; with \`denied\` where it had been denied; and with
\`cancelled\` where it was not decided on, or was allowed and did not start: then it did not run. Where damage or the policy
\`process\` may have cost events, it is \`unknown\` in each case. No call is run again by itself. The turn gets \`turn.ended\`
with status \`interrupted\`.

## What imports bring

Sessions of other programs know less in some places and more in others. Members for them are optional, so that other journals
do without.

- \`at\`: when it happened. \`ts\` is when it was stored. Wherever a time is shown or sorted by, it is \`at\` where there is one.
- \`origin\`: the record of the source that the event was made from.
- \`message\`: parts of one answer in several events are one message with its calls; of several reports on one message the last
  one holds.
- \`tokens\` that are missing are estimated and marked \`estimated\`; \`durationMs\` that is missing is not known.
- \`synthetic\`: a message of a program in the role of the user. It begins no turn, makes no title and does not reset the loop guard.
- \`subagent\`: the session in which a call's own agent works. \`author\`: who wrote or decided, where several people take part.
- \`tool.decided\` by \`agent\` or \`import\`: the decision was made elsewhere.

## What changes the conversation without removing anything

- \`branch.moved\`: what comes next continues after \`head\`. Messages, calls, retrieved texts and compactions behind it no
  longer count, and count again when another move leads back to them. Title, model, tools and context entries are settings
  and stay; so does the system prompt, and what was spent stays spent.
- \`compaction.completed\`: everything before \`keptFrom\`, the system prompt aside, is replaced by \`summary\` for the model, or
  everything before the event by \`messages\`. \`compaction.undone\` takes that back. The newest summary takes the place of older ones.
- \`message.replaced\`: the message has other parts from here on, at its old place.
- A request holds the active context entries. Those that were there before the first message to this model, or at the last compaction, are
  between the system prompt and the messages; one that came or changed since is between the messages, at the place of its event, and what it
  replaces stays ([why](decisions/0037-changed-context-stays-where-it-was-sent.md)). What was removed with the reason \`user\`, or
  cleared, is in no request; what expired is followed by a note.
- A context entry leaves with \`context.removed\`, with \`context.cleared\`, or when an event of the conversation
  happens whose time is not before its \`expiresAt\`.
`;

/** The whole page. */
export function eventsPage(events: readonly NamedSchema[], messages: { $defs?: Record<string, SchemaNode> }): string {
  const list = events.map(({ type, schema }) => `| [\`${type}\`](#${anchor(type)}) | ${cell(schema.description)} |`);
  const shared = Object.entries(messages.$defs ?? {})
    .filter(([, schema]) => schema.properties !== undefined)
    .map(([name, schema]) => section(name, schema, 3));
  return [
    INTRODUCTION,
    '## All types\n',
    '| type | what happened |\n|---|---|',
    `${list.join('\n')}\n`,
    ...events.map(({ type, schema }) => section(`\`${type}\``, schema, 3)),
    '## What messages are made of\n',
    ...shared,
  ].join('\n');
}

function section(heading: string, schema: SchemaNode, level: number): string {
  const rows = members(schema);
  const table = rows.length === 0 ? 'No members.' : `| member | value | |\n|---|---|---|\n${rows.join('\n')}`;
  const text = schema.description === undefined ? [] : [`${schema.description}\n`];
  return [`${'#'.repeat(level)} ${heading}\n`, ...text, `${table}\n`].join('\n');
}

/** One row for each member, nested ones by their path. */
function members(schema: SchemaNode, prefix = ''): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}${schema.required?.includes(name) ? '' : '?'}`;
    const nested = member.items?.properties === undefined ? member : member.items;
    const inner = members(nested, `${prefix}${name}${nested === member ? '.' : '[].'}`);
    return [`| \`${path}\` | ${valueText(member)} | ${cell(member.description)} |`, ...inner];
  });
}

function valueText(schema: SchemaNode): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  const reference = schema.$ref?.split('/').at(-1);
  if (reference !== undefined) return reference;
  if (schema.items !== undefined) return `array of ${valueText(schema.items)}`;
  return schema.type ?? 'any';
}

function cell(text: string | undefined): string {
  return (text ?? '').replaceAll('|', '\\|');
}

/** As GitHub makes it of a heading. */
function anchor(type: string): string {
  return type.replaceAll('.', '');
}
