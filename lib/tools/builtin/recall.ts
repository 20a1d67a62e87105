// Lets a model look for passages of the project and of earlier sessions about it. Each result is a quotation with its
// place.
import { type Tool, ToolFailure } from '../tool.ts';
import { builtinTool, limitOf } from './builtin-tool.ts';

/** A passage, by its place. */
interface RecalledPassage {
  /** `path:line`, or `agent:id#KEY`. */
  readonly place: string;
  readonly about: string;
  readonly text: string;
}

/** The passages of this project. */
export interface RecallPort {
  /** Best first. `notes`: places that were not searched, each as a sentence. */
  find(
    question: string,
    options: { readonly kind: 'file' | 'session' | undefined; readonly limit: number; readonly signal: AbortSignal },
  ): Promise<{ readonly passages: readonly RecalledPassage[]; readonly notes: readonly string[] }>;
}

const LIMIT = { standard: 5, maximum: 20 };
const KINDS = { project: undefined, files: 'file', sessions: 'session' } as const;

export function recallTool(recall: RecallPort): Tool {
  return builtinTool({
    name: 'recall',
    description:
      'Finds passages that answer a question: in the files of this project, in earlier conversations about it, and in what tools brought back there, such as the error of a failed build. Give a question or the words that the passage should hold.',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 1000, description: 'The question, or the words of one.' },
      scope: {
        type: 'string',
        enum: ['project', 'files', 'sessions'],
        description: 'Where to look. Default: project, which is both.',
      },
      limit: limitOf('passages found', LIMIT),
    },
    required: ['query'],
    examples: [{ query: 'why did the build fail', scope: 'sessions' }],
    async plan({ query, scope = 'project', limit = LIMIT.standard }) {
      if (query.trim() === '') throw new ToolFailure('query must hold a word to look for.');
      return {
        action: {
          tool: 'recall',
          summary: `Look in the ${scope === 'project' ? 'project and its sessions' : scope} for ${JSON.stringify(query)}`,
          isReadOnly: true,
          accesses: [],
        },
        async run({ signal }) {
          const { passages, notes } = await recall.find(query, { kind: KINDS[scope], limit, signal });
          const found = passages.map(
            ({ place, about, text }) => `[${place}${about === '' ? '' : ` · ${about}`}]\n${text}`,
          );
          const none = passages.length === 0 ? [`No passage answers ${JSON.stringify(query)}. Try other words.`] : [];
          return { content: [...found, ...none, ...notes].join('\n\n') };
        },
      };
    },
  });
}
