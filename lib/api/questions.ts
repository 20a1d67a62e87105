// The questions that a user is asked before a call runs, and the answers.
import { routesOf } from './route.ts';
import { listOf, object, optional, shape, strictObject } from './schema.ts';

const route = routesOf('Questions');

export const QUESTION_ROUTES = [
  route('listQuestions', 'GET /api/llm/questions', {
    does: 'Questions that are open in all sessions, the oldest first.',
    answer: object({ questions: listOf(shape('Question')) }),
  }),
  route('listQuestionsOf', 'GET /api/llm/sessions/{id}/questions', {
    does: 'Questions that are open in a session.',
    answer: object({ questions: listOf(shape('Question')) }),
  }),
  route('getQuestion', 'GET /api/llm/sessions/{id}/questions/{questionId}', {
    does: 'A question in full, and how it ended.',
    answer: object({ question: shape('Question'), end: optional(shape('QuestionEnd')) }),
    errors: ['QUESTION_NOT_FOUND'],
  }),
  route('answerQuestion', 'POST /api/llm/sessions/{id}/questions/{questionId}', {
    does: 'Answer it. The first answer counts; a later one is refused with how it ended.',
    body: strictObject({
      decision: { enum: ['once', 'always', 'never', 'edits', 'no'] },
      hash: { type: 'string', maxLength: 128, description: 'Of the question as it was shown.' },
      words: optional({ type: 'string', maxLength: 10_000, description: 'With `no`: the reason for the model.' }),
    }),
    answer: shape('QuestionEnd'),
    writes: true,
    errors: ['QUESTION_NOT_FOUND', 'QUESTION_CHANGED', 'ALREADY_DECIDED', 'NOT_ALLOWED_TO_ANSWER'],
  }),
] as const;
