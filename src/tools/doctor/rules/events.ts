import type { Deployment, DeployedQueue, EventSource, PolicyStatement } from '../deployment.ts'
import { type DeliveryRule, EVENTS_PAGES, S3_PAGES, SQS_PAGES } from '../rule.ts'
import { isPerhaps, sends } from './mappedQueues.ts'

const policy: DeliveryRule = {
  id: 'event-queue-policy',
  severity: 'error',
  needs: ['events'],
  source: `${EVENTS_PAGES}/eb-use-resource-based.html`,
  check: (deployment) =>
    deployment.eventSources.flatMap((source) =>
      targets(deployment, source)
        .filter((queue) => !admits(queue, source))
        .map(({ id }) => ({
          subject: id,
          problem: `Its policy does not allow ${source.service} to send to it for ${source.id}.`,
          consequence:
            source.service === 's3.amazonaws.com'
              ? 'S3 refuses the notification, and the deployment fails.'
              : 'EventBridge tries no event again that it may not deliver: it is lost.',
          cure: `Allow ${source.service} sqs:SendMessage, with aws:SourceArn = ${source.id}.`,
        })),
    ),
}

function targets({ queues }: Deployment, { queue, deadLetter }: EventSource): DeployedQueue[] {
  return queues.filter(({ id }) => id === queue || id === deadLetter)
}

function admits({ policy: statements }: DeployedQueue, { id, service }: EventSource): boolean {
  return statements.some(
    ({ effect, principals, actions, sourceArns }) =>
      effect === 'Allow' &&
      (principals.includes(service) || principals.includes('*')) &&
      sends({ actions }) &&
      (sourceArns.length === 0 || sourceArns.some((arn) => isPerhaps(arn, id))),
  )
}

const open: DeliveryRule = {
  id: 'queue-open',
  severity: 'error',
  needs: [],
  source: `${SQS_PAGES}/sqs-security-best-practices.html`,
  check: ({ queues }) =>
    queues.flatMap(({ id, policy: statements }) => {
      const open = statements.filter(isOpen).flatMap(({ principals }) => principals)
      const [worst] = open.includes('*') ? ['anyone'] : open.filter((each) => SERVICES.has(each))
      if (worst === undefined) return []
      return [
        {
          subject: id,
          problem: `Its policy lets ${worst} send to it, for any account.`,
          consequence:
            'Strangers can make requests of any content, and end those of others under their ids.',
          cure: 'Add a condition on aws:SourceArn or aws:SourceAccount, or name the principals.',
        },
      ]
    }),
}

/** They send for every principal that may configure them. Topics: `queue-policy`. */
const SERVICES: ReadonlySet<string> = new Set(['events.amazonaws.com', 's3.amazonaws.com'])

function isOpen({ effect, actions, isConditional }: PolicyStatement): boolean {
  return effect === 'Allow' && !isConditional && sends({ actions })
}

const deadLetter: DeliveryRule = {
  id: 'event-dead-letter',
  severity: 'error',
  needs: ['events'],
  source: `${EVENTS_PAGES}/eb-rule-dlq.html`,
  check: ({ eventSources, queues }) =>
    eventSources.flatMap(({ id, service, queue, deadLetter: target }) => {
      if (service !== 'events.amazonaws.com') return []
      const shared = queues.some(
        (each) => each.id === queue && target !== undefined && each.deadLetter?.queue === target,
      )
      if (target !== undefined && !shared) return []
      return [
        {
          subject: id,
          problem: shared
            ? `What it cannot deliver goes to the dead-letter queue of ${queue} itself.`
            : `Its target ${queue} has no dead-letter queue.`,
          consequence: shared
            ? 'It cannot be told apart from failed records, nor redriven.'
            : 'While a queue policy or key is wrong, every event is lost.',
          cure: 'Set DeadLetterConfig on the target, with a queue of its own.',
        },
      ]
    }),
}

const key: DeliveryRule = {
  id: 'event-queue-key',
  severity: 'error',
  needs: ['events'],
  source: `${SQS_PAGES}/sqs-key-management.html`,
  check: (deployment) =>
    deployment.eventSources.flatMap((source) =>
      targets(deployment, source)
        .filter(({ encryption }) => encryption === 'aws managed kms')
        .map(({ id }) => ({
          subject: id,
          problem: 'It is encrypted with alias/aws/sqs.',
          consequence: `${source.service} cannot use that key: events are lost.`,
          cure: `Use SqsManagedSseEnabled: true, or a customer key that allows ${source.service}.`,
        })),
    ),
}

const type: DeliveryRule = {
  id: 'notification-type',
  severity: 'error',
  needs: ['events'],
  source: `${S3_PAGES}/notification-how-to-event-types-and-destinations.html`,
  check: ({ eventSources, queues }) =>
    eventSources.flatMap(({ id, service, queue }) => {
      const to = queues.find((each) => each.id === queue)
      if (service !== 's3.amazonaws.com' || to?.kind !== 'fifo') return []
      return [
        {
          subject: id,
          problem: `It notifies the FIFO queue ${queue}.`,
          consequence: 'S3 refuses the notification, and the deployment fails.',
          cure: 'Make the queue standard, or send by a rule of EventBridge.',
        },
      ]
    }),
}

export const EVENT_RULES: readonly DeliveryRule[] = [policy, open, deadLetter, key, type]
