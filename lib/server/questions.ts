// Questions of the policy, and their answers.
import type { QUESTION_ROUTES } from '../api/questions.ts';
import type { Handlers, NamesOf } from './context.ts';
import { ownId } from './turns.ts';

export const questionHandlers: Handlers<NamesOf<typeof QUESTION_ROUTES>> = {
  async listQuestions({ context }) {
    return { questions: context.host.questions.list() };
  },

  async listQuestionsOf({ parameters, context }) {
    return { questions: context.host.questions.list(await ownId(context, parameters.id)) };
  },

  async getQuestion({ parameters, context }) {
    return context.host.questions.get(await ownId(context, parameters.id), parameters.questionId);
  },

  async answerQuestion({ parameters, body, context, by }) {
    const id = await ownId(context, parameters.id);
    return context.host.questions.answer(id, parameters.questionId, { ...body, by });
  },
};
