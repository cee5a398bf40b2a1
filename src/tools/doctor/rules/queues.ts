import { type DeliveryRule, rule, SQS_PAGES } from '../rule.ts'
import { mappedQueues, redrivePairs, sources } from './mappedQueues.ts'

const FOUR_DAYS = 345_600
const MIB = 1_048_576
const FOURTEEN_DAYS = 1_209_600
/** Deferrals and delays by visibility also count as receives, although Lineclear does not count them as attempts. */
const LEAST_RECEIVES = 10
/** Attempts of a record that may have failed before its circuit opened: each was a receive. */
const FAILED_BEFORE = 5
const DEAD_LETTERS = `${SQS_PAGES}/sqs-dead-letter-queues.html`

export const QUEUE_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'visibility-timeout',
    severity: 'warning',
    needs: ['mappings', 'functions'],
    source: `${SQS_PAGES}/sqs-configure-lambda-function-trigger.html`,
    find: (deployment) =>
      mappedQueues(deployment).flatMap(({ mapping, queue, function: consumer }) => {
        const { id, visibilityTimeout: given } = queue
        const { timeout } = consumer
        if (timeout === undefined || given === undefined) return []
        const least = 6 * timeout + (mapping.window ?? 0)
        if (given >= least) return []
        // Lambda compares the two when a mapping is made or changed.
        const severity = given < timeout ? 'error' : 'warning'
        return [{ id, severity, given, consumer: consumer.id, timeout, least } as const]
      }),
    problem: ({ given, consumer, timeout }) =>
      `Its visibility timeout is ${given} s, the timeout of ${consumer} ${timeout} s.`,
    consequence: ({ severity }) =>
      severity === 'error'
        ? 'Lambda refuses to make such a mapping. Where it is there already, messages are delivered again while a long attempt runs; each such delivery is deferred and uses up a receive.'
        : 'Lambda holds messages before it invokes the function, while it is throttled or gathers a batch, and tries again. If too little of the visibility timeout is left then, they are delivered again while the attempt runs; each such delivery is deferred and uses up a receive.',
    cure: ({ least }) =>
      `Set VisibilityTimeout to ${least} or more: six times the timeout, plus the batching window.`,
  }),
  rule({
    id: 'source-retention',
    severity: 'error',
    needs: [],
    source: DEAD_LETTERS,
    find: (deployment) =>
      sources(deployment).flatMap(({ id, retention, visibilityTimeout, deadLetter }) => {
        if (retention === undefined || visibilityTimeout === undefined) return []
        const needed = visibilityTimeout * (deadLetter?.maxReceiveCount ?? 0)
        return retention > needed ? [] : [{ id, retention, needed }]
      }),
    problem: ({ retention, needed }) =>
      `It keeps messages for ${retention} s; ${needed} s pass before SQS moves one that keeps failing.`,
    consequence: 'Failing messages expire before they become dead letters: they are lost.',
    cure: `Set MessageRetentionPeriod to ${FOUR_DAYS} (four days) or more.`,
  }),
  rule({
    id: 'queue-policies',
    severity: 'error',
    needs: [],
    source:
      'https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queuepolicy.html',
    find: ({ queues }) => queues.filter(({ policies }) => policies.length > 1),
    problem: ({ policies }) => `${policies.join(' and ')} each set its policy.`,
    consequence:
      'A queue has one policy, and the last replaces the others: what these allow, such as the deliveries of a topic, is refused and lost.',
    cure: 'Put all statements into one of them.',
  }),
  rule({
    id: 'queue-encryption',
    severity: 'warning',
    needs: [],
    source: `${SQS_PAGES}/sqs-server-side-encryption.html`,
    find: ({ queues }) => queues.filter(({ encryption }) => encryption === 'none'),
    problem: 'Its messages are not encrypted at rest.',
    consequence: 'Payloads, those of dead letters too, are stored unencrypted for days.',
    cure: 'Set SqsManagedSseEnabled: true.',
  }),
  rule({
    id: 'dead-letter-queue',
    severity: 'error',
    needs: [],
    source: DEAD_LETTERS,
    find: (deployment) => sources(deployment).filter(({ deadLetter }) => deadLetter === undefined),
    problem: 'It has no dead-letter queue.',
    consequence:
      'A message that kills its function is redelivered until it expires, and rejected records have nowhere to go.',
    cure: `Give it a RedrivePolicy with a queue of its own and maxReceiveCount ${LEAST_RECEIVES}.`,
  }),
  rule({
    id: 'max-receive-count',
    severity: 'error',
    needs: [],
    source: DEAD_LETTERS,
    find: (deployment) =>
      sources(deployment).flatMap(({ id, deadLetter }) => {
        const given = deadLetter?.maxReceiveCount
        return given === undefined || given >= LEAST_RECEIVES ? [] : [{ id, given }]
      }),
    problem: ({ given }) => `maxReceiveCount is ${given}.`,
    consequence:
      'SQS moves records that are deferred, throttled or still have attempts left, without their error.',
    cure: `Set maxReceiveCount to ${LEAST_RECEIVES} or more: it is only the safety net for maxAttempts.`,
  }),
  rule({
    id: 'dead-letter-retention',
    severity: 'error',
    needs: [],
    source: `${SQS_PAGES}/setting-up-dead-letter-queue-retention.html`,
    find: (deployment) =>
      redrivePairs(deployment).flatMap(({ source, target: { id, retention: kept } }) => {
        const { retention: before, kind } = source
        if (kept === undefined) return []
        const isLonger = kind === 'fifo' || before === undefined || kept > before
        if (kept >= FOURTEEN_DAYS && isLonger) return []
        return [{ id, kept, before: before ?? 'an unknown number of', source: source.id, kind }]
      }),
    problem: ({ kept, before, source }) =>
      `It keeps messages for ${kept} s, its source ${source} for ${before} s.`,
    consequence: ({ kind }) =>
      kind === 'fifo'
        ? 'Dead letters expire before an operator has looked.'
        : 'The age of a dead letter counts from its first queue: it expires before an operator has looked.',
    cure: `Set its MessageRetentionPeriod to ${FOURTEEN_DAYS} (14 days), that of the source to less.`,
  }),
  rule({
    id: 'dead-letter-size',
    severity: 'warning',
    needs: [],
    source: `${SQS_PAGES}/quotas-messages.html`,
    find: (deployment) =>
      redrivePairs(deployment).flatMap(({ source, target: { id, largestMessage: given } }) => {
        const largest = source.largestMessage === 'default' ? MIB : source.largestMessage
        if (given === 'default' || given === undefined || largest === undefined) return []
        return given >= largest ? [] : [{ id, given, largest, source: source.id }]
      }),
    problem: ({ given, largest, source }) =>
      `It takes messages of ${given} bytes, its source ${source} of ${largest} bytes.`,
    consequence:
      'A dead letter that is too large loses its error and is compressed; one that still does not fit stays on its source.',
    cure: 'Set MaximumMessageSize of both to the same, at best 1048576.',
  }),
  rule({
    id: 'redrive-allow',
    severity: 'error',
    needs: [],
    source: `${SQS_PAGES}/sqs-configure-dead-letter-queue.html`,
    find: (deployment) =>
      redrivePairs(deployment).flatMap(({ source, target: { id, redriveAllow } }) => {
        const isOpen = redriveAllow === undefined || redriveAllow.permission === 'allowAll'
        const given = redriveAllow?.permission === 'byQueue' ? redriveAllow.sources : []
        if (given.some((each) => each === source.id || each.includes('${'))) return []
        return [{ id, severity: isOpen ? 'note' : 'error', isOpen, source: source.id } as const]
      }),
    problem: ({ source }) => `Its RedriveAllowPolicy does not name ${source} as its source.`,
    consequence: ({ isOpen }) =>
      isOpen
        ? 'Any queue of the account can use it for dead letters, and a redrive may send them to the wrong queue.'
        : 'SQS refuses the dead letters of that queue.',
    cure: ({ source }) =>
      `Set redrivePermission: byQueue with the ARN of ${source} in sourceQueueArns.`,
  }),
]

/** How long `circuitBreaker` hides a record at first. Seconds, as all times here. */
const FIRST = 30
/** SQS hides a message for 12 hours, and Lineclear stays a minute below. */
const LONGEST = 43_140

/**
 * How often a record is received while its circuit is open: it is hidden for as long as the circuit has been open, for 12 hours after its first
 * receive, and then for 12 hours each time.
 */
export function receivesWhileOpen(seconds: number): number {
  let receives = 1
  for (let time = FIRST; time < seconds; receives += 1) {
    time = Math.min(2 * time, time < LONGEST ? LONGEST : time + LONGEST)
  }
  return receives
}

export const CIRCUIT_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'circuit-breaker-receives',
    severity: 'warning',
    needs: [],
    source: DEAD_LETTERS,
    find: (deployment, { circuitBreaker }) =>
      (circuitBreaker === 'none' ? [] : sources(deployment)).flatMap(
        // SQS keeps messages for 4 days, if nothing else is known.
        ({ id, retention = FOUR_DAYS, deadLetter }) => {
          const given = deadLetter?.maxReceiveCount
          const least = receivesWhileOpen(retention) + FAILED_BEFORE
          return given === undefined || given >= least ? [] : [{ id, given, retention, least }]
        },
      ),
    problem: ({ given, retention }) =>
      `maxReceiveCount is ${given}, and it keeps messages for ${retention} s.`,
    consequence:
      'While a circuit is open, records are received now and then and hidden again: in a long outage SQS moves them to the dead-letter queue without an attempt.',
    cure: ({ least }) =>
      `Set maxReceiveCount to ${least} or more, which bears an outage for as long as it keeps messages.`,
  }),
]
