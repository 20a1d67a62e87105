// The contracts of journals, stores, folds and sessions as test cases for any test runner, exported as `ollm/contracts`
// and `@ollm/journal/contracts`. docs/own-store.md is the guide.

export type { ContractCase, OpenedStore, OpenStore } from './library/contracts/case.ts';
export { foldContract } from './library/contracts/fold-contract.ts';
export { journalContract } from './library/contracts/journal-contract.ts';
export { sessionContract } from './library/contracts/session-contract.ts';
export { storeContract } from './library/contracts/store-contract.ts';
