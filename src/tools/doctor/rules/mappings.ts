import type { DeployedMapping, DeployedQueue } from '../deployment.ts'
import { type DeliveryRule, DYNAMODB_PAGES, LAMBDA_PAGES, rule, SQS_PAGES } from '../rule.ts'
import { mappedQueues, redrivePairs } from './mappedQueues.ts'

const PARAMETERS = `${LAMBDA_PAGES}/services-sqs-parameters.html`
const REFUSED = 'Lambda refuses the mapping, and the deployment fails.'
/** Lambda stops a chain at the 16th invocation; after 12 resends Lineclear retries by visibility timeout instead. */
const MOST_HOPS = 12
const LIMIT =
  'Set ScalingConfig.MaximumConcurrency (2 to 1,000) to what your tables and providers can take.'

export const MAPPING_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'partial-failures',
    severity: 'error',
    needs: ['mappings'],
    source: `${LAMBDA_PAGES}/services-sqs-errorhandling.html`,
    find: ({ mappings }) => mappings.filter(({ itemFailures }) => itemFailures === 'ignored'),
    problem: 'ReportBatchItemFailures is not set.',
    consequence:
      'Lambda ignores which records failed, and deletes them with the others: they are lost.',
    cure: 'Set FunctionResponseTypes: [ReportBatchItemFailures].',
  }),
  rule({
    id: 'batch-size',
    severity: 'error',
    needs: ['mappings', 'functions'],
    source: PARAMETERS,
    find: (deployment) =>
      mappedQueues(deployment)
        .filter(({ mapping, queue }) => isWrongBatch(mapping, queue))
        .map(({ mapping, queue: { kind } }) => ({ ...mapping, kind })),
    problem: ({ batchSize, window, kind }) =>
      `The batch size is ${batchSize}, the window ${window} s, the queue ${kind}.`,
    consequence: REFUSED,
    cure: 'Standard queues: up to 10,000 with a window of 1 s or more. FIFO: up to 10, no window.',
  }),
  rule({
    id: 'maximum-concurrency',
    severity: 'warning',
    needs: ['mappings', 'functions'],
    source: `${LAMBDA_PAGES}/services-sqs-scaling.html`,
    find: (deployment) =>
      mappedQueues(deployment)
        .filter(({ mapping, queue }) => isWrongConcurrency(mapping, queue))
        .map(({ mapping }) => mapping),
    problem: ({ maximumConcurrency: most, pollers }) =>
      most === undefined
        ? 'Nothing limits its concurrency.'
        : `MaximumConcurrency is ${most}, its pollers are ${pollers}.`,
    consequence: ({ maximumConcurrency: most }) =>
      most === undefined
        ? 'A backlog starts up to 1,250 concurrent invocations, which throttle other functions and use up receives.'
        : REFUSED,
    cure: ({ maximumConcurrency: most }) =>
      most === undefined ? LIMIT : `${LIMIT} Leave it out with provisioned pollers.`,
  }),
  rule({
    id: 'recursion',
    severity: 'warning',
    needs: ['mappings', 'functions', 'recursion'],
    source: `${LAMBDA_PAGES}/invocation-recursion.html`,
    find: (deployment, { maxAttempts }) =>
      mappedQueues(deployment).flatMap(({ function: { id, recursiveLoop } }) => {
        const needed = maxAttempts > MOST_HOPS ? 'Allow' : 'Terminate'
        return recursiveLoop === needed ? [] : [{ id, recursiveLoop, needed, maxAttempts }]
      }),
    problem: ({ recursiveLoop, maxAttempts }) =>
      `RecursiveLoop is ${recursiveLoop}, and a record has up to ${maxAttempts} attempts.`,
    consequence: ({ needed }) =>
      needed === 'Allow'
        ? 'Lambda cuts a chain at 16 invocations; attempts after the 12th wait by visibility timeout and use up receives.'
        : 'Nothing stops an endless loop between functions; this number of attempts does not need it.',
    cure: ({ needed }) =>
      `Set RecursiveLoop: ${needed === 'Allow' ? 'Allow, with an alarm on invocations' : needed}.`,
  }),
  rule({
    id: 'event-filter',
    severity: 'error',
    needs: ['mappings'],
    source: `${LAMBDA_PAGES}/with-sqs-filtering.html`,
    find: ({ mappings }, { form }) =>
      mappings.filter(({ filters }) => filters.some((pattern) => refusesCopies(pattern, form))),
    problem: 'Its event filter matches on data that a resend has in another place.',
    consequence: 'Lambda deletes messages that do not match: retries are lost silently.',
    cure: "Filter at the SNS subscription, or only on the body with retry.form 'transparent'.",
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
    cure: ({ from }) =>
      from === 'account'
        ? 'If lineclear pause does not list it, enable it; if it does, wait, or lineclear resume.'
        : 'Leave Enabled out, and stop consumers by lineclear pause: it has an end, and status shows it.',
  }),
]

function isWrongBatch({ batchSize, window }: DeployedMapping, { kind }: DeployedQueue): boolean {
  if (batchSize === undefined || window === undefined) return false
  if (batchSize < 1 || batchSize > 10_000 || window > 300) return true
  return kind === 'fifo' ? batchSize > 10 || window > 0 : batchSize > 10 && window < 1
}

function isWrongConcurrency(
  { maximumConcurrency: most, pollers }: DeployedMapping,
  { kind }: DeployedQueue,
): boolean {
  if (most === undefined) return pollers === 'on demand' && kind === 'standard'
  return pollers === 'provisioned' || (most !== 'unknown' && (most < 2 || most > 1_000))
}

/** A wrapped copy has another body, and every copy carries its identity and count in Lineclear's attributes. */
function refusesCopies(pattern: string, form: 'transparent' | 'wrapped'): boolean {
  const onFramework = /"(uniquerequestid|lineclear|ApproximateReceiveCount|messageId)"/.test(
    pattern,
  )
  return onFramework || (form === 'wrapped' && /"(body|messageAttributes)"/.test(pattern))
}

export const REGION_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'mapping-region',
    severity: 'error',
    needs: ['mappings', 'functions'],
    source: `${LAMBDA_PAGES}/services-sqs-configure.html`,
    find: (deployment) =>
      mappedQueues(deployment)
        .filter(({ queue, function: { region } }) => areApart(queue.region, region))
        .map(({ mapping: { id }, queue, function: consumer }) => ({ id, queue, consumer })),
    problem: ({ queue, consumer }) =>
      `${queue.id} is in ${queue.region}, ${consumer.id} in ${consumer.region}.`,
    consequence: 'Lambda refuses the mapping: a function consumes queues of its own Region only.',
    cure: 'Deploy both into one Region.',
  }),
  rule({
    id: 'dead-letter-region',
    severity: 'error',
    needs: [],
    source: `${SQS_PAGES}/sqs-dead-letter-queues.html`,
    find: (deployment) =>
      redrivePairs(deployment)
        .filter(({ source, target }) => areApart(source.region, target.region))
        .map(({ source, target }) => ({ ...source, target })),
    problem: ({ region, target }) =>
      `It is in ${region}, its dead-letter queue ${target.id} in ${target.region}.`,
    consequence: 'SQS refuses the redrive policy, and the deployment fails.',
    cure: 'Deploy both into one Region.',
  }),
  rule({
    id: 'table-region',
    severity: 'warning',
    needs: ['mappings', 'functions', 'table'],
    source: `${DYNAMODB_PAGES}/V2globaltables_HowItWorks.html`,
    find: (deployment) => {
      const { table } = deployment
      if (table === undefined || table.regions.length > 1) return []
      return mappedQueues(deployment)
        .filter(({ function: { region } }) => areApart(region, table.region))
        .map(({ function: { id, region } }) => ({ id, region, table }))
    },
    problem: ({ region, table }) => `It is in ${region}, the table ${table.id} in ${table.region}.`,
    consequence: 'Every claim crosses Regions: a fault of either one stops the consumer.',
    cure: 'Deploy the table and its consumers into one Region.',
  }),
]

/** Whether two resources are known to be in different Regions. */
function areApart(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other
}
