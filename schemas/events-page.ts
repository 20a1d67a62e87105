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

This page describes \`data\`. The [journal format](journal-format.md) describes the other members. Signals of a running turn,
such as pieces of an answer for the screen, are not events and are not stored.

- Each type has a JSON Schema in \`schemas/events/\`. The types and validators of the program are generated from these files.
- A reader keeps, counts and passes on types and members that it does not know. New members are optional, so old journals
  stay valid.
- \`tokens\` is a number with its origin: \`{"count": 12, "method": "counted"}\`. \`method\` is \`reported\` (by the provider),
  \`counted\` (by the tokenizer of the model's family), \`estimated\` or \`unknown\`.
- \`trusted: false\` marks text from outside. A model gets it as data, and it cannot grant anything.
- Programs can append all types with \`ollm append\`, except \`session.created\`, \`source.*\`, \`writer.*\`, \`journal.*\`, and
  \`tool.decided\` by \`user\` or by a \`grant\`: only ollm itself writes these.

An appended event is stored unchanged, or rejected with one of these codes:

- \`EVENT_INEXACT\`: a double cannot represent a number in it: a whole number beyond 2^53, more digits than a double has
  (\`0.1234567890123456789\`), \`1e400\`, \`1e-400\` or -0. Write the number as a text.
- \`EVENT_CONFLICT\`: a different event has this \`id\`. An equal event with the same \`id\` is stored once.
- \`EVENT_DANGLING\`: \`head\`, \`covers\`, \`keptFrom\` or \`seq\` names an event that does not exist, a call was not requested or
  has ended, \`turn\` is more than one ahead, or an attachment is not in \`blobs/\`.

An event of your own type can have \`"ignorable": true\`: readers then skip it. \`session.append\` of the library accepts your
own types only with this mark.

## A turn

A turn begins with \`turn.started\` and the \`message.added\` of the user. Each request to the model gives \`message.added\` by the
assistant, if the answer has text, one \`tool.requested\` for each call, and \`usage.reported\`. Each call gives \`tool.decided\`,
\`tool.started\` (on disk before the side effect) and \`tool.finished\`. The turn ends with \`turn.ended\`.

If an answer streams for longer than two seconds, \`message.streamed\` stores the new text and reasoning at least every two
seconds, without secrets. These events are ignorable, and readers skip them once the \`message.added\` of the answer is
stored. If the process is killed before that, the next opening makes this \`message.added\` from them, with \`finish\`
\`failed\`.

After a crash, the next opening ends all open calls and turns. An open call gets \`tool.finished\` with one of these states:

- \`unknown\` if the journal has its \`tool.started\`, because the call may have had an effect;
- \`denied\` if it was denied;
- \`cancelled\` if it was not decided, or allowed and not started: it did not run.

If events may be missing, because of damage or the policy \`process\`, the state is \`unknown\` in every case. No call runs again
without a new request. The turn gets \`turn.ended\` with status \`interrupted\`.

## Imported sessions

Sessions of other programs have fewer facts in some places and more in others. The members for these facts are optional:

- \`at\`: the time of the fact; \`ts\` is the time at which it was stored. Lists show and sort by \`at\` if it exists.
- \`origin\`: the record of the source from which the event was made.
- \`message\`: the answer to which the event belongs. Events with the same \`message\` are one message with its calls; of several
  usage reports on one message, the last one counts.
- \`tokens\`: missing numbers are estimated and marked \`estimated\`. A missing \`durationMs\` is unknown.
- \`synthetic\`: a message of a program in the role of the user. It does not begin a turn, make a title or reset the loop guard.
- \`subagent\`: the session in which a call's own agent works.
- \`author\`: the person who wrote or decided, if several people take part.
- \`tool.decided\` by \`agent\` or \`import\`: the decision was made elsewhere.

## Changes that remove nothing

- \`branch.moved\`: the next event continues after \`head\`. Messages, calls, retrieved texts and compactions after \`head\` are
  left out, until another move leads back to them. Title, model, tools, context entries and the system prompt are settings
  and stay. Tokens and costs stay counted.
- \`compaction.completed\`: in requests, \`summary\` replaces everything before \`keptFrom\` except the system prompt, or
  \`messages\` replace everything before the event. \`compaction.undone\` reverts that. The newest summary replaces older ones.
- \`message.replaced\`: later requests contain the new parts, at the place of the old message.
- A request contains the active context entries. Entries from before the first message to this model, or before the last
  compaction, are between the system prompt and the messages. A later or changed entry is between the messages, at the place
  of its event, and the entry that it replaces stays ([why](decisions/0037-changed-context-stays-where-it-was-sent.md)).
  Entries that were cleared, or removed with the reason \`user\`, are in no request. A note follows an expired entry.
- A context entry ends with \`context.removed\`, with \`context.cleared\`, or with the first event of the conversation at or
  after its \`expiresAt\`.
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
