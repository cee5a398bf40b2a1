import { type DeliveryRule, SQS_PAGES } from '../rule.ts'
import { mappedQueues, sources } from './mappedQueues.ts'

const visibility: DeliveryRule = {
  id: 'visibility-timeout',
  severity: 'error',
  needs: ['mappings', 'functions'],
  source: `${SQS_PAGES}/sqs-configure-lambda-function-trigger.html`,
  check: (deployment) =>
    mappedQueues(deployment).flatMap(({ mapping, queue, function: { id, timeout } }) => {
      if (timeout === undefined || queue.visibilityTimeout === undefined) return []
      const least = 6 * timeout + (mapping.window ?? 0)
      if (queue.visibilityTimeout >= least) return []
      return [
        {
          subject: queue.id,
          problem: `Its visibility timeout is ${queue.visibilityTimeout} s, the timeout of ${id} ${timeout} s.`,
          consequence:
            'Messages are redelivered while an attempt still runs; each delivery is deferred and uses up a receive.',
          cure: `Set VisibilityTimeout to ${least} or more: six times the timeout, plus the batching window.`,
        },
      ]
    }),
}

const expiry: DeliveryRule = {
  id: 'source-retention',
  severity: 'error',
  needs: [],
  source: `${SQS_PAGES}/sqs-dead-letter-queues.html`,
  check: (deployment) =>
    sources(deployment).flatMap(({ id, retention, visibilityTimeout, deadLetter }) => {
      if (retention === undefined || visibilityTimeout === undefined) return []
      const needed = visibilityTimeout * (deadLetter?.maxReceiveCount ?? 0)
      if (retention > needed) return []
      return [
        {
          subject: id,
          problem: `It keeps messages for ${retention} s; ${needed} s pass before SQS moves one that keeps failing.`,
          consequence: 'Failing messages expire before they become dead letters: they are lost.',
          cure: 'Set MessageRetentionPeriod to 345600 (four days) or more.',
        },
      ]
    }),
}

const encryption: DeliveryRule = {
  id: 'queue-encryption',
  severity: 'warning',
  needs: [],
  source: `${SQS_PAGES}/sqs-server-side-encryption.html`,
  check: ({ queues }) =>
    queues
      .filter((queue) => queue.encryption === 'none')
      .map(({ id }) => ({
        subject: id,
        problem: 'Its messages are not encrypted at rest.',
        consequence: 'Payloads, those of dead letters too, are stored unencrypted for days.',
        cure: 'Set SqsManagedSseEnabled: true.',
      })),
}

export const QUEUE_RULES: readonly DeliveryRule[] = [visibility, expiry, encryption]
