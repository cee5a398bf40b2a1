import { type DeliveryRule, type Severity, SQS_PAGES } from '../rule.ts'
import { redrivePairs, sources } from './mappedQueues.ts'

const SOURCE = `${SQS_PAGES}/sqs-dead-letter-queues.html`
const FOURTEEN_DAYS = 1_209_600
/** Deferrals and delays by visibility also count as receives, although Lineclear does not count them as attempts. */
const LEAST_RECEIVES = 10

const exists: DeliveryRule = {
  id: 'dead-letter-queue',
  severity: 'error',
  needs: [],
  source: SOURCE,
  check: (deployment) =>
    sources(deployment)
      .filter(({ deadLetter }) => deadLetter === undefined)
      .map((source) => ({
        subject: source.id,
        problem: 'It has no dead-letter queue.',
        consequence:
          'A message that kills its function is redelivered until it expires, and rejected records have nowhere to go.',
        cure: `Give it a RedrivePolicy with a queue of its own and maxReceiveCount ${LEAST_RECEIVES}.`,
      })),
}

const receives: DeliveryRule = {
  id: 'max-receive-count',
  severity: 'error',
  needs: [],
  source: SOURCE,
  check: (deployment, { maxAttempts }) => {
    const least = Math.max(LEAST_RECEIVES, maxAttempts + 4)
    return sources(deployment).flatMap(({ id, deadLetter }) => {
      const given = deadLetter?.maxReceiveCount
      if (deadLetter === undefined || given === undefined || given >= least) return []
      return [
        {
          subject: id,
          problem: `maxReceiveCount is ${given}.`,
          consequence:
            'SQS moves records that are deferred, throttled or still have attempts left, without their error.',
          cure: `Set maxReceiveCount to ${least} or more: it is only the safety net for maxAttempts.`,
        },
      ]
    })
  },
}

const retention: DeliveryRule = {
  id: 'dead-letter-retention',
  severity: 'error',
  needs: [],
  source: `${SQS_PAGES}/setting-up-dead-letter-queue-retention.html`,
  check: (deployment) =>
    redrivePairs(deployment).flatMap(({ source, target }) => {
      const [kept, before] = [target.retention, source.retention]
      if (kept === undefined) return []
      if (kept >= FOURTEEN_DAYS && (before === undefined || kept > before)) return []
      if (source.kind === 'fifo' && kept >= FOURTEEN_DAYS) return []
      return [
        {
          subject: target.id,
          problem: `It keeps messages for ${kept} s, its source ${source.id} for ${before ?? 'an unknown number of'} s.`,
          consequence:
            source.kind === 'fifo'
              ? 'Dead letters expire before an operator has looked.'
              : 'The age of a dead letter counts from its first queue: it expires before an operator has looked.',
          cure: `Set its MessageRetentionPeriod to ${FOURTEEN_DAYS} (14 days), that of the source to less.`,
        },
      ]
    }),
}

const type: DeliveryRule = {
  id: 'dead-letter-type',
  severity: 'error',
  needs: [],
  source: SOURCE,
  check: (deployment) =>
    redrivePairs(deployment)
      .filter(({ source, target }) => source.kind !== target.kind)
      .map(({ source, target }) => ({
        subject: target.id,
        problem: `It is a ${target.kind} queue, its source ${source.id} a ${source.kind} one.`,
        consequence: 'SQS refuses the redrive policy, and the deployment fails.',
        cure: `Make it a ${source.kind} queue.`,
      })),
}

const allow: DeliveryRule = {
  id: 'redrive-allow',
  severity: 'error',
  needs: [],
  source: `${SQS_PAGES}/sqs-configure-dead-letter-queue.html`,
  check: (deployment) =>
    redrivePairs(deployment).flatMap(({ source, target: { id, redriveAllow } }) => {
      const open = redriveAllow === undefined || redriveAllow.permission === 'allowAll'
      const given = redriveAllow?.permission === 'byQueue' ? redriveAllow.sources : []
      if (given.some((each) => each === source.id || each.includes('${'))) return []
      const severity: Severity = open ? 'note' : 'error'
      return [
        {
          subject: id,
          severity,
          problem: `Its RedriveAllowPolicy does not name ${source.id} as its source.`,
          consequence: open
            ? 'Any queue of the account can use it for dead letters, and a redrive may send them to the wrong queue.'
            : 'SQS refuses the dead letters of that queue.',
          cure: `Set redrivePermission: byQueue with the ARN of ${source.id} in sourceQueueArns.`,
        },
      ]
    }),
}

export const DEAD_LETTER_RULES: readonly DeliveryRule[] = [exists, receives, retention, type, allow]
