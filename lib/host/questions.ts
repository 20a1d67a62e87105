// The questions of the policy, put to all users at once. The first answer wins; a missing answer is a no. An answer
// covers exactly the shown action: it carries its hash.
import { hash } from 'node:crypto';
import { OllmError } from '../errors/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ids } from '../platform/ids.ts';
import { onAbort } from '../platform/waiting.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../tools/decision.ts';
import type { AskToGoOn } from '../turn/turn.ts';
import type { HostSignal } from './port/followers.ts';
import type { Actor } from './port/prompts.ts';
import type { Answer, AnswerDecision, QuestionEnd, UserQuestion } from './port/questions.ts';

interface QuestionsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  /** How long a question waits. */
  readonly answerMs: number;
  readonly signal: (sessionId: string, signal: HostSignal) => void;
}

interface Open {
  readonly question: UserQuestion;
  settle(end: QuestionEnd, words?: string): void;
}

/** What differs from question to question. */
type Asked = Pick<UserQuestion, 'sessionId' | 'kind' | 'hash' | 'summary' | 'reason' | 'call' | 'answers'>;

/** The number of ended questions that are remembered, for an answer that comes too late. */
const REMEMBERED = 1_000;

export class Questions {
  readonly #options: QuestionsOptions;
  readonly #open = new Map<string, Open>();
  readonly #ended = new Map<string, { readonly question: UserQuestion; readonly end: QuestionEnd }>();

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** The open questions of a session, or of all; the oldest first. */
  list(sessionId?: string): readonly UserQuestion[] {
    const all = [...this.#open.values()].map(({ question }) => question);
    return sessionId === undefined ? all : all.filter((question) => question.sessionId === sessionId);
  }

  /** A question that is open, or ended since the start (the last 1,000). @throws OllmError QUESTION_NOT_FOUND */
  get(sessionId: string, id: string): { readonly question: UserQuestion; readonly end?: QuestionEnd | undefined } {
    const found = this.#open.get(id) ?? this.#ended.get(id);
    if (found === undefined || found.question.sessionId !== sessionId) throw notFound(id);
    return 'end' in found ? found : { question: found.question };
  }

  /**
   * The first answer wins. It resolves when it is taken; the turn stores it as the event `tool.decided`, with author
   * and address.
   * @throws OllmError QUESTION_NOT_FOUND; ALREADY_DECIDED, with `data.end`: a `QuestionEnd`; QUESTION_CHANGED: the hash
   * is of something else, with `data.hash`; USAGE: a decision that is not offered; NOT_ALLOWED_TO_ANSWER
   */
  async answer(sessionId: string, id: string, { decision, hash: shown, words, by = {} }: Answer): Promise<QuestionEnd> {
    const { question, end } = this.get(sessionId, id);
    if (end !== undefined) throw decidedAlready(end);
    if (shown !== question.hash) throw changed(question);
    if (!question.answers.includes(decision)) throw notOffered(question, decision);
    const answered: QuestionEnd = { id, sessionId, how: 'answered', decision, ...by, at: this.#now() };
    this.#open.get(id)?.settle(answered, words);
    return answered;
  }

  /** Denies open questions: of one session, or of all. */
  closeAll(sessionId?: string): void {
    for (const { id, sessionId: of } of this.list(sessionId)) {
      this.#open.get(id)?.settle({ id, sessionId: of, how: 'closed', decision: 'no', at: this.#now() });
    }
  }

  /** For the turns of a session. `onEdits`: brings the session into this mode; without it that is not offered. */
  approver(sessionId: string, onEdits?: () => Promise<void>): Approver {
    return { ask: (request, signal) => this.#askAbout(sessionId, request, { signal, onEdits }) };
  }

  /** Answers for a user who was asked beforehand. Dangerous calls still need an answer of a user. */
  unattendedApprover(sessionId: string, { address }: Actor = {}): Approver {
    return {
      ask: async (request, signal) =>
        request.decision.dangerous === undefined
          ? { kind: 'once', author: UNATTENDED, address }
          : this.#askAbout(sessionId, request, { signal }),
    };
  }

  askToGoOn(sessionId: string): AskToGoOn {
    return async (requests, signal) => {
      const summary = `Go on after ${requests} requests to the model?`;
      const reason = 'The turn has made as many requests as it may without asking.';
      const shown = hash('sha256', `${sessionId} ${requests} ${this.#options.ids.uuid()}`, 'hex');
      const asked: Asked = { sessionId, kind: 'go-on', hash: shown, summary, reason, answers: ['once', 'no'] };
      return (await this.#ask(asked, signal)).end.decision === 'once';
    };
  }

  async #askAbout(
    sessionId: string,
    request: ApprovalRequest,
    { signal, onEdits }: { readonly signal: AbortSignal; readonly onEdits?: (() => Promise<void>) | undefined },
  ): Promise<ApprovalAnswer> {
    const asked = askedOf(sessionId, request, { offersEdits: onEdits !== undefined });
    const { end, words } = await this.#ask(asked, signal);
    if (end.how !== 'answered') return { kind: 'unanswered', reason: UNANSWERED[end.how] };
    if (end.decision === 'edits') await onEdits?.();
    return answerOf(end, words);
  }

  #ask(asked: Asked, signal: AbortSignal): Promise<{ readonly end: QuestionEnd; readonly words: string | undefined }> {
    const { ids, clock, answerMs } = this.#options;
    const { sessionId } = asked;
    const id = ids.uuid();
    const askedMs = clock.now();
    const question: UserQuestion = {
      ...asked,
      id,
      mayAnswer: 'owner',
      askedAt: new Date(askedMs).toISOString(),
      expiresAt: new Date(askedMs + answerMs).toISOString(),
    };
    return new Promise((resolve) => {
      const end = (how: QuestionEnd['how']) => settle({ id, sessionId, how, decision: 'no', at: this.#now() });
      const timer = setTimeout(() => end('expired'), answerMs);
      let stopListening: (() => void) | undefined;
      const settle = (ended: QuestionEnd, words?: string): void => {
        if (!this.#open.delete(id)) return;
        clearTimeout(timer);
        stopListening?.();
        this.#remember(question, ended);
        this.#options.signal(sessionId, { type: 'question-end', end: ended });
        resolve({ end: ended, words });
      };
      this.#open.set(id, { question, settle });
      this.#options.signal(sessionId, { type: 'question', question });
      stopListening = onAbort(signal, () => end('cancelled'));
    });
  }

  #remember(question: UserQuestion, end: QuestionEnd): void {
    this.#ended.set(question.id, { question, end });
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > REMEMBERED && oldest !== undefined) this.#ended.delete(oldest);
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

/** Stored as the author of calls that run without a question. */
const UNATTENDED = 'unattended';

const UNANSWERED: Readonly<Record<Exclude<QuestionEnd['how'], 'answered'>, string>> = {
  cancelled: 'The turn was stopped before a user answered.',
  expired: 'No user answered in time.',
  closed: 'The server ended before a user answered.',
};

function askedOf(
  sessionId: string,
  { callId, action, decision, sandbox, args, actionHash, asker }: ApprovalRequest,
  { offersEdits }: { readonly offersEdits: boolean },
): Asked {
  const { tool, summary, isReadOnly, isRemote = false, command, accesses, preview } = action;
  const { rule, reason, dangerous, grant, denial } = decision;
  return {
    sessionId,
    kind: 'call',
    hash: actionHash,
    summary: asker === undefined ? summary : `For the ${asker}: ${summary}`,
    reason,
    answers: [
      'once',
      ...(grant === undefined ? [] : (['always'] as const)),
      ...(denial === undefined ? [] : (['never'] as const)),
      ...(offersEdits && decision.isEdit === true ? (['edits'] as const) : []),
      'no',
    ],
    call: {
      ...{ callId, tool, args, isReadOnly, isRemote, command, accesses, preview },
      ...{ sandbox, rule, dangerous, grant, denial },
    },
  };
}

function answerOf({ decision, author, address }: QuestionEnd, words: string | undefined): ApprovalAnswer {
  const by = { author, address };
  if (decision === 'no') return { kind: 'no', words, ...by };
  return { kind: decision === 'edits' ? 'again' : decision, ...by };
}

function notFound(id: string): OllmError {
  return new OllmError('QUESTION_NOT_FOUND', `The session has no question ${JSON.stringify(id.slice(0, 60))}.`, {
    hint: 'It may be of a turn before the server was started: then it was denied.',
  });
}

function decidedAlready(end: QuestionEnd): OllmError {
  const { how, decision, author, address } = end;
  const from = address === undefined ? '' : ` from ${address}`;
  const by = author === undefined ? from : ` by ${author}`;
  const message = how === 'answered' ? `It was decided already${by}: ${decision}.` : UNANSWERED[how];
  return new OllmError('ALREADY_DECIDED', message, { hint: 'Nothing was changed by this answer.', data: { end } });
}

function changed({ id, hash: now }: UserQuestion): OllmError {
  return new OllmError('QUESTION_CHANGED', 'The answer is to something else than what is asked now.', {
    hint: 'Look at the question again, and answer with its hash.',
    data: { id, hash: now },
  });
}

function notOffered({ answers }: UserQuestion, decision: AnswerDecision): OllmError {
  return new OllmError('USAGE', `${JSON.stringify(decision)} is not an answer to this question.`, {
    hint: `Answer with one of: ${answers.join(', ')}.`,
  });
}
