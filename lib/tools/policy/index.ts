export { actionHash, type HashedCall } from './action-hash.ts';
export { type Approval, approvalOf } from './approval.ts';
export { type CreatedPolicy, createPolicy, type PolicyOptions, type PolicySettings } from './create-policy.ts';
export { createSessionGrants, type Grant, type GrantStore } from './grants.ts';
export { createPlaces, HIDDEN_AT_HOME, type PlacesOptions, type PolicyPlaces, PROTECTED_AT_HOME } from './places.ts';
