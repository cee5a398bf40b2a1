import { type Fix, nameFor } from '../fix.ts'
import type { DeployedQueue } from '../deployment.ts'
import { type DeliveryRule, type Severity, SQS_PAGES } from '../rule.ts'
import { redrivePairs, sources } from './mappedQueues.ts'

const SOURCE = `${SQS_PAGES}/sqs-dead-letter-queues.html`
const FOURTEEN_DAYS = 1_209_600
const FOUR_DAYS = 345_600
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
        fix: newDeadLetters(source),
      })),
}

function newDeadLetters({ id, kind }: DeployedQueue): readonly Fix[] {
  const queue = nameFor(id, 'DeadLetters')
  return [
    { add: 'queue', id: queue, kind, source: id },
    { change: 'queue', id, to: { deadLetter: { queue, maxReceiveCount: LEAST_RECEIVES } } },
  ]
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
          fix: [
            { change: 'queue', id, to: { deadLetter: { ...deadLetter, maxReceiveCount: least } } },
          ],
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
      const longest: Fix = { change: 'queue', id: target.id, to: { retention: FOURTEEN_DAYS } }
      const shorter: Fix = { change: 'queue', id: source.id, to: { retention: FOUR_DAYS } }
      return [
        {
          subject: target.id,
          problem: `It keeps messages for ${kept} s, its source ${source.id} for ${before ?? 'an unknown number of'} s.`,
          consequence:
            source.kind === 'fifo'
              ? 'Dead letters expire before an operator has looked.'
              : 'The age of a dead letter counts from its first queue: it expires before an operator has looked.',
          cure: `Set its MessageRetentionPeriod to ${FOURTEEN_DAYS} (14 days), that of the source to less.`,
          fix: [
            ...(kept < FOURTEEN_DAYS ? [longest] : []),
            ...(before !== undefined && before >= FOURTEEN_DAYS ? [shorter] : []),
          ],
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
        fix: [{ change: 'queue', id: target.id, to: { kind: source.kind } }],
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
          fix: [
            {
              change: 'queue',
              id,
              to: { redriveAllow: { permission: 'byQueue', sources: [...given, source.id] } },
            },
          ],
        },
      ]
    }),
}

export const DEAD_LETTER_RULES: readonly DeliveryRule[] = [exists, receives, retention, type, allow]
