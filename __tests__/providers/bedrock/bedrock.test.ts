import { providerContract } from '../provider.contract.ts';
import { subjectOf } from '../vendor-scenes.ts';
import { converse } from './dialect.ts';

providerContract('bedrock', subjectOf(converse));
