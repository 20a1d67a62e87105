// `SECOND_TRY=1 npm test`: a test that fails is reported and tried once more. A check that decides about a change must
// not depend on how busy its machine was for a moment; a fault of the program fails twice, because the examples are the
// same each time.
export default function tryTwice(): void {
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
}
