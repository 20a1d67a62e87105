// Calls that a model wrote into its answer as elements: <read_file><path>…</path></read_file>. Versions without calls
// of the provider's own have them so.
import type { JsonObject } from '../agent.ts';

const TOOLS = [
  'access_mcp_resource',
  'apply_diff',
  'apply_patch',
  'ask_followup_question',
  'attempt_completion',
  'browser_action',
  'codebase_search',
  'condense',
  'delete_file',
  'edit_file',
  'execute_command',
  'fetch_instructions',
  'generate_image',
  'insert_content',
  'list_code_definition_names',
  'list_files',
  'load_mcp_documentation',
  'new_rule',
  'new_task',
  'plan_mode_respond',
  'plan_mode_response',
  'read_file',
  'replace_in_file',
  'report_bug',
  'run_slash_command',
  'search_and_replace',
  'search_files',
  'search_replace',
  'switch_mode',
  'update_todo_list',
  'use_mcp_tool',
  'use_skill',
  'use_subagents',
  'web_fetch',
  'web_search',
  'write_to_file',
];
const BEGIN = new RegExp(`<(${TOOLS.join('|')})>`, 'g');
const PARAMETER = /<([a-z_0-9]{1,40})>/g;
/** What may hold elements itself: it goes to the last end of its name. */
const LONG = new Set(['content', 'diff', 'result', 'args', 'arguments', 'response']);

type CallPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly args: JsonObject };

/** The parts of the text in their order. A call without an end is text. */
export function piecesOf(text: string): readonly CallPiece[] {
  const pieces: CallPiece[] = [];
  let at = 0;
  BEGIN.lastIndex = 0;
  for (let found = BEGIN.exec(text); found !== null; found = BEGIN.exec(text)) {
    const name = found[1] ?? '';
    const end = endOf(name, text, BEGIN.lastIndex);
    // Without an end, no later one has it either: the answer broke off in it.
    if (end < 0) break;
    pieces.push({ kind: 'text', text: text.slice(at, found.index) });
    pieces.push({ kind: 'call', name, args: argumentsOf(text.slice(BEGIN.lastIndex, end)) });
    at = end + name.length + 3;
    BEGIN.lastIndex = at;
  }
  pieces.push({ kind: 'text', text: text.slice(at) });
  return pieces;
}

/** A file that is written may have the end of the call in it: the last one that comes before another call counts. */
function endOf(name: string, text: string, from: number): number {
  const next = text.indexOf(`<${name}>`, from);
  const end = text.lastIndexOf(`</${name}>`, next < 0 ? text.length : next);
  return end >= from ? end : -1;
}

function argumentsOf(text: string): JsonObject {
  const args: Record<string, string> = {};
  PARAMETER.lastIndex = 0;
  for (let found = PARAMETER.exec(text); found !== null; found = PARAMETER.exec(text)) {
    const name = found[1] ?? '';
    const from = PARAMETER.lastIndex;
    const end = LONG.has(name) ? text.lastIndexOf(`</${name}>`) : text.indexOf(`</${name}>`, from);
    if (end < from) continue;
    const value = text.slice(from, end);
    args[name] = LONG.has(name) ? value.replace(/^\n/, '').replace(/\n$/, '') : value.trim();
    PARAMETER.lastIndex = end + name.length + 3;
  }
  return args;
}
