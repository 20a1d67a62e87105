// Loads the parts that an answer needs and a prompt does not: RxJS, the turn, compaction, Markdown, and the messages of
// a resumed session. It is loaded once the prompt is there, while the user reads and types, so that neither the prompt
// nor the first answer waits for it.
import type { ask } from '../app/ask.ts';
import type { Session } from '../session/session.ts';
import type { AnswerScreen } from './render/answer-screen.ts';
import type { Highlighter } from './render/highlight.ts';
import type { saidLines } from './render/said-lines.ts';
import type { AnswerStream, MarkdownStreamOptions } from './render/stream.ts';

/** Time for the prompt to be drawn. */
const DELAY_MS = 20;

/**
 * Loads it all in the background; a part that cannot be loaded fails where it is needed. Returns how to cancel that.
 */
export function warmUp(session: Pick<Session, 'states'>): () => void {
  const timer = setTimeout(() => {
    void Promise.allSettled([loadAsk(), loadAnswerScreen()]);
    // For hashes. Not imported: a module of it would load parts that nothing here needs.
    process.getBuiltinModule('node:crypto');
    // Where they come from a state file, they are made objects when they are first looked at.
    void session.states.view.timeline.entries;
  }, DELAY_MS).unref();
  return () => clearTimeout(timer);
}

export async function loadAsk(): Promise<typeof ask> {
  return (await import('../app/ask.ts')).ask;
}

export interface AnswerScreenParts {
  readonly AnswerScreen: typeof AnswerScreen;
  readonly saidLines: typeof saidLines;
  readonly answerStream: (options: AnswerStreamOptions) => AnswerStream;
}

export interface AnswerStreamOptions extends Omit<MarkdownStreamOptions, 'lex' | 'highlighter'> {
  /** Whether it is rendered, and not shown as it comes. */
  readonly markdown: boolean;
}

/** One for all answers: a grammar is loaded once. */
let highlighter: Highlighter | undefined;

export async function loadAnswerScreen(): Promise<AnswerScreenParts> {
  const [
    { AnswerScreen },
    { loadLexer },
    { saidLines },
    { MarkdownStream, PlainStream },
    { Highlighter: CodeHighlighter },
  ] = await Promise.all([
    import('./render/answer-screen.ts'),
    import('./render/markdown.ts'),
    import('./render/said-lines.ts'),
    import('./render/stream.ts'),
    import('./render/highlight.ts'),
  ]);
  highlighter ??= new CodeHighlighter();
  const shared = highlighter;
  const lex = await loadLexer();
  const answerStream = ({ markdown, ...options }: AnswerStreamOptions): AnswerStream =>
    markdown ? new MarkdownStream({ ...options, lex, highlighter: shared }) : new PlainStream();
  return { AnswerScreen, saidLines, answerStream };
}
