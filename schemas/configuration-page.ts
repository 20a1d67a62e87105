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

Nothing has to be configured. \`ollm config\` shows every setting as it is now with the file and line, the variable or the
flag that set it, and \`ollm config get KEY\` one of them.

\`\`\`sh
ollm config set model llama3.2:3b                       # in your config.yaml; comments and order stay
ollm config set tools.allow 'bash(npm test),bash(ls)'   # a list; JSON does it too
ollm config unset model                                 # the default counts again
ollm config edit                                        # all of it, in $VISUAL, else $EDITOR, vi or nano
\`\`\`

\`set\` refuses what a start would refuse, and the value of a secret: a setting names the variable or the file that holds
it. \`edit\` opens a draft next to the file and puts it in its place once it is free of problems. These commands work with a
file that no run would start with, too, so that they can repair it.

## Layers

Later ones win, setting by setting. Lists are replaced, not joined; only those of a project that narrow are added to yours.

1. The defaults of this page.
2. Your file: \`config.yaml\` in \`$OLLM_HOME\`, which is \`~/.ollm\` unless \`--home\` or the variable says otherwise.
   \`--config FILE\` takes its place. A file that belongs to another user, or that others can write, is refused: it can start
   programs. \`~\` is \`HOME\`; where that is empty or not an absolute path, the directory that the system has for you.
   \`OLLM_HOME\` must be an absolute path; a directory of yours that others can write is closed to them, with a warning.
3. The project's file: the nearest \`.ollm/config.yaml\` in the current directory or above it. It may only narrow what is
   allowed, so it sets some keys and not others; the tables say which. What it may not set is ignored, with a warning, and
   so is a file that belongs to another user. Once you name its directory in \`trustedDirectories\` of your file, it counts
   like yours, as long as only you can write it.
4. Variables. The name follows from the key by one rule: \`OLLM_\`, then the key in capitals, with \`_\` between the words of
   a name and \`__\` for each dot. \`services.session.maxSessions\` is \`OLLM_SERVICES__SESSION__MAX_SESSIONS\`. A list is
   separated by commas, yes and no are \`true\` and \`false\`; an empty variable counts as none. \`OLLAMA_HOST\` sets
   \`providers.ollama.host\` where no \`OLLM_\` variable does.
5. Flags: \`--provider\`, \`--model\`, \`--log-level\`, \`--ephemeral\`.

A path may begin with \`~/\`. One that is not absolute starts from the directory of the setting: \`$OLLM_HOME\` for the
defaults, the directory of your file, the root of the project, the current directory for variables and flags.

## In an editor

The JSON Schema of the file comes with the package, as \`schemas/config.json\`. An editor with the YAML language server
completes and checks keys by it if the first line of \`config.yaml\` names it; \`npm root -g\` says where packages are:

\`\`\`yaml
# yaml-language-server: $schema=/usr/local/lib/node_modules/ollm/schemas/config.json
\`\`\`

## When something is wrong

A file that is not valid, in any layer, ends the command with exit code 2, and nothing runs on settings that were only
half understood:

\`\`\`
/home/me/.ollm/config.yaml:4:3: services.sesion is not a setting; did you mean services.session?
\`\`\`

\`chat.retention.mode\`, \`maxAge\`, \`maxItems\`, \`storeToolOutputs\` and \`encryptAtRest\`, and \`retention.mode\` and \`maxAge\`, are
read as \`services.session.mode\`, \`services.session.maxAge\` and \`retention.…\`, with a warning that names the key to write.

An \`OLLM_\` variable that is not a setting is a warning. Values whose key sounds like a secret, and passwords in addresses,
are never printed.
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
