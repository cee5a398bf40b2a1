import type { DeployedFunction, DeployedMapping, DeployedQueue } from '../deployment.ts'
import { LAMBDA_PAGES, type Violation, type DeliveryRule } from '../rule.ts'
import { mappedQueues } from './mappedQueues.ts'

const HTML = 'services-sqs-parameters.html'
/** Lambda stops a chain at the 16th invocation; after 12 resends Lineclear retries by visibility timeout instead. */
const MOST_HOPS = 12

const itemFailures: DeliveryRule = {
  id: 'partial-failures',
  severity: 'error',
  needs: ['mappings'],
  source: `${LAMBDA_PAGES}/services-sqs-errorhandling.html`,
  check: ({ mappings }) =>
    mappings
      .filter((mapping) => mapping.itemFailures === 'ignored')
      .map(({ id }) => ({
        subject: id,
        problem: 'ReportBatchItemFailures is not set.',
        consequence:
          'Lambda ignores which records failed, and deletes them with the others: they are lost.',
        cure: 'Set FunctionResponseTypes: [ReportBatchItemFailures].',
      })),
}

const batch: DeliveryRule = {
  id: 'batch-size',
  severity: 'error',
  needs: ['mappings', 'functions'],
  source: `${LAMBDA_PAGES}/${HTML}`,
  check: (deployment) =>
    mappedQueues(deployment).flatMap(({ mapping, queue }) => {
      const wrong = wrongBatch(mapping, queue)
      if (wrong === undefined) return []
      return [
        {
          subject: mapping.id,
          problem: wrong,
          consequence: 'Lambda refuses the mapping, and the deployment fails.',
          cure: 'Standard queues: up to 10,000 with a window of 1 s or more. FIFO: up to 10, no window.',
        },
      ]
    }),
}

function wrongBatch(
  { batchSize, window }: DeployedMapping,
  { kind }: DeployedQueue,
): string | undefined {
  if (batchSize === undefined || window === undefined) return undefined
  const at = `The batch size is ${batchSize}, the window ${window} s, the queue ${kind}.`
  if (batchSize < 1 || batchSize > 10_000 || window > 300) return at
  if (kind === 'fifo') return batchSize > 10 || window > 0 ? at : undefined
  return batchSize > 10 && window < 1 ? at : undefined
}

const concurrency: DeliveryRule = {
  id: 'maximum-concurrency',
  severity: 'warning',
  needs: ['mappings', 'functions'],
  source: `${LAMBDA_PAGES}/services-sqs-scaling.html`,
  check: (deployment) =>
    mappedQueues(deployment).flatMap(({ mapping, queue }) => {
      const problem = wrongConcurrency(mapping, queue)
      return problem === undefined ? [] : [{ subject: mapping.id, ...problem }]
    }),
}

function wrongConcurrency(
  mapping: DeployedMapping,
  { kind }: DeployedQueue,
): Omit<Violation, 'subject'> | undefined {
  const { maximumConcurrency, pollers } = mapping
  const cure =
    'Set ScalingConfig.MaximumConcurrency (2 to 1,000) to what your tables and providers can take.'
  if (maximumConcurrency === undefined) {
    if (pollers === 'provisioned' || kind === 'fifo') return undefined
    return {
      problem: 'Nothing limits its concurrency.',
      consequence:
        'A backlog starts up to 1,250 concurrent invocations, which throttle other functions and use up receives.',
      cure,
    }
  }
  const inRange =
    maximumConcurrency === 'unknown' || (maximumConcurrency >= 2 && maximumConcurrency <= 1_000)
  if (inRange && pollers === 'on demand') return undefined
  return {
    problem: `MaximumConcurrency is ${maximumConcurrency}, its pollers are ${pollers}.`,
    consequence: 'Lambda refuses the mapping, and the deployment fails.',
    cure: `${cure} Leave it out with provisioned pollers.`,
  }
}

const recursion: DeliveryRule = {
  id: 'recursion',
  severity: 'warning',
  needs: ['mappings', 'functions', 'recursion'],
  source: `${LAMBDA_PAGES}/invocation-recursion.html`,
  check: (deployment, { maxAttempts }) =>
    mappedQueues(deployment).flatMap(({ function: found }) => wrongRecursion(found, maxAttempts)),
}

function wrongRecursion({ id, recursiveLoop }: DeployedFunction, attempts: number): Violation[] {
  const cut = recursiveLoop === 'Terminate' && attempts > MOST_HOPS
  const open = recursiveLoop === 'Allow' && attempts <= MOST_HOPS
  if (!cut && !open) return []
  return [
    {
      subject: id,
      problem: `RecursiveLoop is ${recursiveLoop}, and a record has up to ${attempts} attempts.`,
      consequence: cut
        ? 'Lambda cuts a chain at 16 invocations; attempts after the 12th wait by visibility timeout and use up receives.'
        : 'Nothing stops an endless loop between functions; this number of attempts does not need it.',
      cure: `Set RecursiveLoop: ${cut ? 'Allow, with an alarm on invocations' : 'Terminate'}.`,
    },
  ]
}

const filters: DeliveryRule = {
  id: 'event-filter',
  severity: 'error',
  needs: ['mappings'],
  source: `${LAMBDA_PAGES}/with-sqs-filtering.html`,
  check: ({ mappings }, { form }) =>
    mappings
      .filter((mapping) => mapping.filters.some((pattern) => refusesCopies(pattern, form)))
      .map(({ id }) => ({
        subject: id,
        problem: 'Its event filter matches on data that a resend has in another place.',
        consequence: 'Lambda deletes messages that do not match: retries are lost silently.',
        cure: "Filter at the SNS subscription, or only on the body with retry.form 'transparent'.",
      })),
}

/** A wrapped copy has another body, and every copy carries its identity and count in Lineclear's attributes. */
function refusesCopies(pattern: string, form: 'transparent' | 'wrapped'): boolean {
  const onFramework = /"(uniquerequestid|lineclear|ApproximateReceiveCount|messageId)"/.test(
    pattern,
  )
  return onFramework || (form === 'wrapped' && /"(body|messageAttributes)"/.test(pattern))
}

const disabled: DeliveryRule = {
  id: 'mapping-disabled',
  severity: 'question',
  needs: ['mappings'],
  source: `${LAMBDA_PAGES}/${HTML}`,
  check: ({ from, mappings, queues }) =>
    mappings
      .filter(({ state }) => state === 'disabled')
      .map(({ id, queue }) => {
        const kept = queues.find((each) => each.id === queue)?.retention
        return {
          subject: id,
          problem: 'It is disabled.',
          consequence: `Its messages wait, and SQS deletes them ${kept === undefined ? 'after the retention of the queue' : `${kept} s after they were sent`}.`,
          cure:
            from === 'account'
              ? 'If lineclear pause does not list it, enable it; if it does, wait, or lineclear resume.'
              : 'Leave Enabled out, and stop consumers by lineclear pause: it has an end, and status shows it.',
        }
      }),
}

export const MAPPING_RULES: readonly DeliveryRule[] = [
  itemFailures,
  batch,
  concurrency,
  recursion,
  filters,
  disabled,
]

const taken: DeliveryRule = {
  id: 'taken-name',
  severity: 'error',
  needs: [],
  source:
    'https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-generated-resources.html',
  check: ({ takenNames = [] }) =>
    takenNames.map(({ id, type, maker, madeType }) => ({
      subject: id,
      problem: `It is an ${type}, and of ${maker} SAM makes an ${madeType} with the same logical id.`,
      consequence: 'SAM refuses the template, and the deployment fails.',
      cure: 'Rename the event or this resource. A queue or table that is deployed already keeps its name: another logical id is a new, empty one.',
    })),
}

export const SAM_RULES: readonly DeliveryRule[] = [taken]
