// Writes docs/configuration.md from schemas/config.json and the table of what a project may set. Only the words around
// the tables stand here.
import { PROJECT_RULES } from '../lib/config/project-rules.ts';
import { variableOf } from '../lib/config/variables.ts';
import { type NamedSetting, type SettingSchema, settingsOf } from './settings.ts';

const INTRODUCTION = `# Configuration

<!-- Generated from schemas/config.json by "npm run generate". Change the schema, not this page. -->

\`\`\`yaml
# ~/.ollm/config.yaml
provider: ollama
model: llama3.2:3b
services:
  session:
    maxSessions: 200
\`\`\`

Every setting has a default, so you can start without a file. \`ollm config\` prints the current value of each setting and
its source: a file and line, a variable, a flag or the default. \`ollm config get KEY\` prints one of them. In the place
of each part that may be a secret, such as a key among the arguments of an MCP server, both have \`[hidden]\`;
\`ollm config get KEY --show-secrets\` prints the value as it is.

\`\`\`sh
ollm config set model llama3.2:3b                       # in your config.yaml; comments and order stay
ollm config set tools.allow 'bash(npm test),bash(ls)'   # a list; JSON does it too
ollm config unset model                                 # the default counts again
ollm config edit                                        # all of it, in $VISUAL, else $EDITOR, vi or nano
\`\`\`

\`set\` rejects a value with which ollm would not start. It also rejects secrets: a setting names the variable or the file
that contains the secret. \`edit\` opens a copy of the file and replaces the file once the copy is valid. All three commands
also work with an invalid file, so you can use them to repair it.

## Layers

A later layer overrides an earlier one, setting by setting. A list replaces the earlier list, except for lists of a project
that forbid something: their items are added to yours.

1. The defaults of this page.
2. Your file: \`config.yaml\` in \`$OLLM_HOME\`, or the file that \`--config FILE\` names. \`$OLLM_HOME\` is \`~/.ollm\` by
   default; \`--home\` or the variable \`OLLM_HOME\`, an absolute path, changes that. Settings can start programs, so ollm
   rejects a file that belongs to another user or that other users can write. If other users can write the directory, ollm
   removes their permission and prints a warning. \`~\` is \`HOME\`, or your home directory by the system if \`HOME\` is empty
   or not an absolute path.
3. The project's file: the nearest \`.ollm/config.yaml\` in the current directory or above it. It can only restrict ollm
   further, so it may set only some keys; the tables below name them. Other keys, and a file that belongs to another user,
   are ignored with a warning. If \`trustedDirectories\` in your file contains the directory, and only you can write the
   project's file, it may set every key.
4. Variables. The name of a variable is \`OLLM_\` and the key in capitals, with \`_\` between the words of a name and \`__\`
   for each dot: \`services.session.maxSessions\` is \`OLLM_SERVICES__SESSION__MAX_SESSIONS\`. The items of a list are
   separated by commas; yes and no are \`true\` and \`false\`; an empty variable is ignored. \`OLLAMA_HOST\` sets
   \`providers.ollama.host\` unless an \`OLLM_\` variable sets it.
5. Flags: \`--provider\`, \`--model\`, \`--log-level\`, \`--ephemeral\`.

A path may begin with \`~/\`. A relative path starts from the directory of its layer: \`$OLLM_HOME\` for the defaults, the
directory of your file, the root of the project, or the current directory for variables and flags.

## In an editor

The package contains a JSON Schema of the file, \`schemas/config.json\`. If the first line of \`config.yaml\` names it, an
editor with the YAML language server completes and checks the keys. \`npm root -g\` prints the directory of the packages:

\`\`\`yaml
# yaml-language-server: $schema=/usr/local/lib/node_modules/ollm/schemas/config.json
\`\`\`

## When something is wrong

An invalid file in any layer ends the command with exit code 2, before anything runs:

\`\`\`
/home/me/.ollm/config.yaml:4:3: services.sesion is not a setting; did you mean services.session?
\`\`\`

The older keys \`chat.retention.mode\`, \`maxAge\`, \`maxItems\`, \`storeToolOutputs\` and \`encryptAtRest\`, and
\`retention.mode\` and \`maxAge\`, still set \`services.session.mode\`, \`services.session.maxAge\` and \`retention.…\`. A warning
names the new key.

An \`OLLM_\` variable without a setting causes a warning. ollm never prints passwords in addresses, or a value whose key
looks like that of a secret.
`;

/** Which groups get a section of their own: a key's parts but for the last. */
const groupOf = ({ key }: NamedSetting) => key.split('.').slice(0, -1).join('.');

export function configurationPage(schema: SettingSchema): string {
  const settings = settingsOf(schema);
  const groups = [...new Set(settings.map(groupOf))];
  const sections = groups.map((group) => {
    const heading = group === '' ? '## Settings' : `### ${group}`;
    const description = group === '' ? [] : [memberOf(schema, group)?.description ?? '', ''];
    const rows = settings.filter((setting) => groupOf(setting) === group).map(row);
    return [heading, '', ...description, ...HEAD, ...rows, ''].join('\n');
  });
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

const HEAD = ['| key | is | default | in a project’s file | variable |', '|---|---|---|---|---|'];

function row({ key, schema }: NamedSetting): string {
  const name = key.split('.').at(-1) ?? key;
  const value = schema.default === undefined ? '–' : shown(schema);
  const project = PROJECT_RULES[key]?.words ?? 'no';
  return `| \`${name}\` | ${schema.description} ${limits(schema)} | ${value} | ${project} | \`${variableOf(key)}\` |`;
}

/** What a value is called, where the name of its type would not say it. */
const WORDS: Readonly<Record<string, string>> = {
  array: 'list of strings',
  boolean: '`true` or `false`',
  object: 'names with members',
};

function limits({ type, enum: values, minimum, maximum, format }: SettingSchema): string {
  if (values) return `*${values.map((value) => `\`${value}\``).join(', ')}*`;
  if (format === 'path') return type === 'array' ? '*list of paths*' : '*path*';
  const words = WORDS[type ?? 'string'] ?? type;
  const from = minimum === undefined ? '' : `, from ${minimum}`;
  const to = maximum === undefined ? '' : ` to ${maximum}`;
  return `*${words}${from}${to}*`;
}

function shown({ default: value, format }: SettingSchema): string {
  if (!Array.isArray(value)) return format === 'path' ? `\`$OLLM_HOME/${value}\`` : `\`${value}\``;
  return value.length === 0 ? 'none' : value.map((item) => `\`${item}\``).join(', ');
}

function memberOf(schema: SettingSchema, key: string): SettingSchema | undefined {
  let member: SettingSchema | undefined = schema;
  for (const part of key.split('.')) member = member?.properties?.[part];
  return member;
}
