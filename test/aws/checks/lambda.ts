import { type Check, LAXER } from './check.ts'

const PAGE = 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html'

/** The message's own id stands where this is. */
export const OWN_ID = 'OWN_ID'

const OF_MAPPING = 'src/library/run/deliver'

const ANSWERS: readonly (readonly [string, unknown, 'kept' | 'deleted', string | undefined])[] = [
  ['null', null, 'deleted', PAGE],
  ['a list without failures', { batchItemFailures: [] }, 'deleted', PAGE],
  ['its id', { batchItemFailures: [{ itemIdentifier: OWN_ID }] }, 'kept', PAGE],
  ['an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }, 'kept', PAGE],
  [
    'an id that is not in the batch',
    { batchItemFailures: [{ itemIdentifier: 'no' }] },
    'kept',
    PAGE,
  ],
  ['its id under a wrong name', { batchItemFailures: [{ id: OWN_ID }] }, 'kept', PAGE],
  ['a list under a wrong name', { failures: [{ itemIdentifier: OWN_ID }] }, 'deleted', undefined],
]

/** MiniStack reads the list of failures only. */
const UNREAD: readonly string[] = [
  'an empty id',
  'an id that is not in the batch',
  'its id under a wrong name',
]

/** With ReportBatchItemFailures. */
export const LAMBDA_CHECKS: readonly Check[] = ANSWERS.map(([what, answer, expected, source]) => ({
  name: `a function answers its queue with ${what}`,
  expected,
  source,
  reliesOn: OF_MAPPING,
  ...(UNREAD.includes(what) && { otherwise: { ministack: ['deleted', LAXER] as const } }),
  run: async ({ answered }) => {
    if (answered === undefined) throw new Error('there is no function to answer')
    return answered(answer)
  },
}))
