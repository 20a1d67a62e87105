// What a user is asked before a call runs, and the answers.
import { route } from './route.ts';
import { listOf, shape } from './schema.ts';

const group = 'Questions';

export const QUESTION_ROUTES = [
  route({
    name: 'listQuestions',
    method: 'GET',
    path: '/api/llm/questions',
    group,
    does: 'Questions that are open in all sessions, the oldest first.',
    answer: { type: 'object', required: ['questions'], properties: { questions: listOf(shape('Question')) } },
    errors: [],
  }),
  route({
    name: 'listQuestionsOf',
    method: 'GET',
    path: '/api/llm/sessions/{id}/questions',
    group,
    does: 'Questions that are open in a session.',
    answer: { type: 'object', required: ['questions'], properties: { questions: listOf(shape('Question')) } },
    errors: ['INVALID_PARAMETER', 'SESSION_NOT_FOUND'],
  }),
  route({
    name: 'getQuestion',
    method: 'GET',
    path: '/api/llm/sessions/{id}/questions/{questionId}',
    group,
    does: 'A question in full, and how it ended.',
    answer: {
      type: 'object',
      required: ['question'],
      properties: { question: shape('Question'), end: shape('QuestionEnd') },
    },
    errors: ['INVALID_PARAMETER', 'SESSION_NOT_FOUND', 'QUESTION_NOT_FOUND'],
  }),
  route({
    name: 'answerQuestion',
    method: 'POST',
    path: '/api/llm/sessions/{id}/questions/{questionId}',
    group,
    does: 'Answer it. The first answer counts; a later one is refused with how it ended.',
    body: {
      type: 'object',
      additionalProperties: false,
      required: ['decision', 'hash'],
      properties: {
        decision: { enum: ['once', 'always', 'never', 'edits', 'no'] },
        hash: { type: 'string', maxLength: 128, description: 'Of the question as it was shown.' },
        words: { type: 'string', maxLength: 10_000, description: 'With `no`: the reason for the model.' },
      },
    },
    answer: shape('QuestionEnd'),
    writes: true,
    errors: [
      'INVALID_PARAMETER',
      'INVALID_REQUEST_BODY',
      'SESSION_NOT_FOUND',
      'QUESTION_NOT_FOUND',
      'QUESTION_CHANGED',
      'ALREADY_DECIDED',
      'NOT_ALLOWED_TO_ANSWER',
    ],
  }),
] as const;
