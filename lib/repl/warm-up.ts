// Loads the parts that an answer needs and a prompt does not: RxJS, the turn, compaction, Markdown, the messages of a
// resumed session, the package of the provider and its tokenizer. They are loaded once the prompt is there, while the
// user reads and types, so that neither the prompt nor the first answer waits for them.
import type { Conversation } from '../app/conversation.ts';
import type { ask } from '../lead/ask.ts';
import type { AnswerScreen } from './render/answer-screen.ts';
import type { AnswerStream, MarkdownStreamOptions } from './render/answer-stream.ts';
import type { Highlighter } from './render/highlight.ts';
import type { saidLines } from './render/said-lines.ts';

/** Time for the prompt to be drawn. */
const DELAY_MS = 20;

/**
 * Loads it all in the background; a part that cannot be loaded fails where it is needed. Returns how to cancel that.
 */
export function warmUp(conversation: Pick<Conversation, 'choice' | 'session'>): () => void {
  let timer = setTimeout(() => {
    void Promise.allSettled([loadAsk(), loadAnswerScreen()]).then(() => {
      if (isCancelled) return;
      // Takes a tenth of a second in one piece, in which no key is shown: after all else.
      timer = setTimeout(() => {
        import('../app/turn/load-for-turn.ts').then(({ loadForTurn }) => loadForTurn(conversation)).catch(() => {});
      }, DELAY_MS);
      timer.unref();
    });
    // For hashes. Not imported: a module of it would load parts that nothing here needs.
    process.getBuiltinModule('node:crypto');
    // Where they come from a state file, they are made objects when they are first looked at.
    void conversation.session.states.view.timeline.entries;
  }, DELAY_MS).unref();
  let isCancelled = false;
  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
}

export async function loadAsk(): Promise<typeof ask> {
  return (await import('../lead/ask.ts')).ask;
}

export interface AnswerScreenParts {
  readonly AnswerScreen: typeof AnswerScreen;
  readonly saidLines: typeof saidLines;
  readonly answerStream: (options: AnswerStreamOptions) => AnswerStream;
}

interface AnswerStreamOptions extends Omit<MarkdownStreamOptions, 'lex' | 'highlighter'> {
  /** Whether it is rendered, and not shown as it comes. */
  readonly markdown: boolean;
}

/** A single highlighter for all answers: a grammar is loaded once. */
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
    import('./render/answer-stream.ts'),
    import('./render/highlight.ts'),
  ]);
  highlighter ??= new CodeHighlighter();
  const shared = highlighter;
  const lex = await loadLexer();
  const answerStream = ({ markdown, ...options }: AnswerStreamOptions): AnswerStream =>
    markdown ? new MarkdownStream({ ...options, lex, highlighter: shared }) : new PlainStream();
  return { AnswerScreen, saidLines, answerStream };
}
