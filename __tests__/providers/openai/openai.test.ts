import { providerContract } from '../provider.contract.ts';
import { subjectOf } from '../vendor-scenes.ts';
import { responsesDialect } from './dialect.ts';

providerContract('openai', subjectOf(responsesDialect));
