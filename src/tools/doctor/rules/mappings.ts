import { type DeliveryRule, DYNAMODB_PAGES, LAMBDA_PAGES, rule, type Severity } from '../rule.ts'
import { mappedQueues } from './mappedQueues.ts'
import { calledBy, consumers, type Ownership, ownTable } from './ownership.ts'

const PARAMETERS = `${LAMBDA_PAGES}/services-sqs-parameters.html`

export const MAPPING_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'partial-failures',
    severity: 'error',
    needs: ['mappings'],
    source: `${LAMBDA_PAGES}/services-sqs-errorhandling.html`,
    // A consumer that fails its whole batch loses nothing without it; a handler of Lineclear reports each record.
    find: (deployment) =>
      deployment.mappings
        .filter(({ itemFailures }) => itemFailures === 'ignored')
        .map((each) => ({ id: each.id, from: deployment.from, whose: calledBy(deployment, each) }))
        .filter(({ whose }) => whose !== 'other')
        .map((wrong) => ({ ...wrong, severity: severityOf(wrong.whose) })),
    problem: 'ReportBatchItemFailures is not set.',
    consequence:
      'Lambda ignores which records failed, and deletes them with the others: they are lost.',
    cure: ({ from, id }) =>
      from === 'account'
        ? `aws lambda update-event-source-mapping --uuid ${id} --function-response-types ReportBatchItemFailures; and set FunctionResponseTypes: [ReportBatchItemFailures] in its template.`
        : 'Set FunctionResponseTypes: [ReportBatchItemFailures].',
  }),
  rule({
    id: 'maximum-concurrency',
    severity: 'warning',
    needs: ['mappings', 'functions'],
    source: `${LAMBDA_PAGES}/services-sqs-scaling.html`,
    find: (deployment) =>
      mappedQueues(deployment)
        .filter(({ mapping, queue }) => mapping.scaling === 'open' && queue.kind === 'standard')
        .map(({ mapping }) => mapping),
    problem: 'Nothing limits its concurrency.',
    consequence:
      'A backlog starts up to 1,250 concurrent invocations, which throttle other functions and use up receives.',
    cure: 'Set ScalingConfig.MaximumConcurrency (2 to 1,000) to what your tables and providers can take.',
  }),
  rule({
    id: 'recursion',
    severity: 'warning',
    needs: ['mappings', 'functions', 'recursion'],
    source: `${LAMBDA_PAGES}/invocation-recursion.html`,
    // Lambda stops a chain at the 16th invocation; after 12 resends Lineclear retries by visibility timeout instead.
    find: (deployment) =>
      consumers(deployment).filter(({ recursiveLoop }) => recursiveLoop !== 'Terminate'),
    problem: ({ recursiveLoop }) => `RecursiveLoop is ${recursiveLoop}.`,
    consequence:
      'Nothing stops an endless loop between functions. Only records with more than 12 attempts need it, whose later retries otherwise wait by visibility timeout and use up receives.',
    cure: 'Set RecursiveLoop: Terminate; with more than 12 attempts (retry.maxAttempts) Allow, with an alarm on invocations.',
  }),
  rule({
    id: 'event-filter',
    severity: 'error',
    needs: ['mappings'],
    source: `${LAMBDA_PAGES}/with-sqs-filtering.html`,
    find: (deployment) =>
      deployment.mappings
        .filter(({ filters }) => filters.some(refusesCopies))
        .map((each) => ({ id: each.id, whose: calledBy(deployment, each) }))
        .filter(({ whose }) => whose !== 'other')
        .map((wrong) => ({ ...wrong, severity: severityOf(wrong.whose) })),
    problem: 'Its event filter matches on data that a resend has in another place.',
    consequence: 'Lambda deletes messages that do not match: retries are lost silently.',
    cure: 'Filter at the SNS subscription, or only on the body.',
  }),
  rule({
    id: 'event-filter-redrive',
    severity: 'question',
    needs: ['mappings'],
    source: `${LAMBDA_PAGES}/with-sqs-filtering.html`,
    find: (deployment) =>
      deployment.mappings
        .filter(({ filters }) => filters.some(readsMessage) && !filters.some(refusesCopies))
        .filter((mapping) => calledBy(deployment, mapping) !== 'other'),
    problem:
      'Its event filter reads bodies or attributes; it cannot be seen whether messages have nine attributes or more.',
    consequence:
      'The dead letter of such a message, and one that was compressed, is wrapped: when it is redriven, Lambda deletes it silently.',
    cure: 'Send at most eight attributes, or filter at the SNS subscription. Take the filter off before such a letter is redriven.',
  }),
  rule({
    id: 'mapping-disabled',
    severity: 'question',
    needs: ['mappings'],
    source: PARAMETERS,
    find: ({ from, mappings, queues }) =>
      mappings
        .filter(({ state }) => state === 'disabled')
        .map(({ id, queue }) => {
          return { id, from, kept: queues.find((each) => each.id === queue)?.retention }
        }),
    problem: 'It is disabled.',
    consequence: ({ kept }) =>
      `Its messages wait, and SQS deletes them ${kept === undefined ? 'after the retention of the queue' : `${kept} s after they were sent`}.`,
    cure: ({ from, id }) =>
      from === 'account'
        ? `If lineclear pause does not list it: aws lambda update-event-source-mapping --uuid ${id} --enabled; if it does, wait, or lineclear resume.`
        : 'Leave Enabled out, and stop consumers by lineclear pause: it has an end, and status shows it.',
  }),
  rule({
    id: 'table-region',
    severity: 'warning',
    needs: ['mappings', 'functions', 'table'],
    source: `${DYNAMODB_PAGES}/V2globaltables_HowItWorks.html`,
    find: (deployment) =>
      consumers(deployment).flatMap((each) => {
        const table = ownTable(deployment, each)
        if (table === undefined || table.regions.length > 1) return []
        return areApart(each.region, table.region)
          ? [{ id: each.id, region: each.region, table }]
          : []
      }),
    problem: ({ region, table }) => `It is in ${region}, the table ${table.id} in ${table.region}.`,
    consequence: 'Every claim crosses Regions: a fault of either one stops the consumer.',
    cure: 'Deploy the table and its consumers into one Region.',
  }),
]

/** The severity of what breaks only a consumer of Lineclear. */
function severityOf(whose: Ownership): Severity {
  return whose === 'lineclear' ? 'error' : 'question'
}

/** A copy carries its identity and count in Lineclear's attributes. */
function refusesCopies(pattern: string): boolean {
  return /"(uniquerequestid|lineclear|ApproximateReceiveCount|messageId)"/.test(pattern)
}

/** In a dead letter that is wrapped, body and attributes of the message stand inside another body. */
function readsMessage(pattern: string): boolean {
  return /"(body|messageAttributes)"/.test(pattern)
}

/** Whether two resources are known to be in different Regions. */
function areApart(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other
}
