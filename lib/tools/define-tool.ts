// A tool in a few lines, for programs that embed ollm: its name and arguments describe its effect, and a decision needs
// no look at the disk. A program that can describe the effect of a call more exactly implements `Tool`.
import { checkArguments, wrongArgument } from '../errors/arguments.ts';
import type { OutputRefusal, Tool, ToolMeans, ToolOutput } from './tool.ts';

export interface ToolDescription<Args> {
  /** `[a-zA-Z0-9_-]{1,64}` */
  readonly name: string;
  /** What a model is told of it. */
  readonly description: string;
  /** JSON Schema of the arguments: an object. Default: any object. */
  readonly parameters?: object | undefined;
  /** Whether nothing is changed by it. Such calls run unasked, and side by side. Default: no. */
  readonly isReadOnly?: boolean | undefined;
  /** What this call does, in one line for the user who is asked. Default: the name with the arguments. */
  readonly summary?: ((args: Args) => string) | undefined;
  /** Returns why a result is refused, in a sentence for the model and the journal; undefined if it is not. */
  readonly validateOutput?: ((output: ToolOutput, args: Args) => OutputRefusal | Promise<OutputRefusal>) | undefined;
  /** Carries a call out. Throw a ToolFailure to tell the model about an error. */
  readonly run: (args: Args, means: ToolMeans) => Promise<string | ToolOutput> | string | ToolOutput;
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Makes a tool of a function. Its arguments have been held against `parameters` when it is called.
 *
 * @example
 * const weather = defineTool<{ city: string }>({
 *   name: 'weather',
 *   description: 'The weather of a city now.',
 *   parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
 *   isReadOnly: true,
 *   run: async ({ city }) => `Sunny in ${city}.`,
 * });
 * @throws OllmError USAGE: the name is not one that all providers take
 */
export function defineTool<Args extends object = Readonly<Record<string, unknown>>>(
  description: ToolDescription<Args>,
): Tool {
  checkArguments('defineTool', { description: { name: 'text', run: 'function' } }, [description]);
  const { name, parameters = { type: 'object' }, isReadOnly = false, run, validateOutput } = description;
  if (!NAME.test(name))
    throw wrongArgument('defineTool', 'description.name', 'a name of letters, digits, _ and -', name);
  const summary = description.summary ?? ((args: Args) => `${name} ${JSON.stringify(args)}`);
  return {
    name,
    description: description.description,
    parameters,
    origin: 'program',
    ...(validateOutput && { validateOutput: (output, args) => validateOutput(output, args as Args) }),
    async plan(raw) {
      // The schema has been checked; that it says what `Args` says is up to the caller.
      const args = structuredClone(raw) as Args;
      return {
        action: { tool: name, summary: summary(args), isReadOnly, accesses: [] },
        async run(means) {
          const output = await run(args, means);
          return typeof output === 'string' ? { content: output } : output;
        },
      };
    },
  };
}
