import type { Alarm, Deployment } from '../deployment.ts'
import { LAMBDA_PAGES, type DeliveryRule, SQS_PAGES } from '../rule.ts'
import { mappedQueues, sources, mayRunLineclear } from './mappedQueues.ts'

const METRICS = `${SQS_PAGES}/sqs-available-cloudwatch-metrics.html`

/** One question instead of a finding for each queue: alarms are often in a stack, or an account, of their own. */
const none: DeliveryRule = {
  id: 'alarms',
  severity: 'question',
  needs: ['alarms'],
  source: METRICS,
  check: (deployment) => {
    const queues = sources(deployment)
    if (deployment.alarms.length > 0 || queues.length === 0) return []
    return [
      {
        subject: 'alarms',
        problem: 'There is no alarm here.',
        consequence:
          'If none is elsewhere, dead letters expire unnoticed, and a stopped consumer is noticed by its users first.',
        cure: 'Give the template of the alarms too; or alarm on dead letters, on the age of the oldest message, and on what the runbook lists.',
      },
    ]
  },
}

/** The other rules have nothing to compare with where there is no alarm at all. */
function isWatched({ alarms }: Deployment): boolean {
  return alarms.length > 0
}

const deadLetters: DeliveryRule = {
  id: 'dead-letter-alarm',
  severity: 'error',
  needs: ['alarms'],
  source: METRICS,
  check: (deployment) =>
    deadLetterQueues(deployment)
      .filter(
        (id) =>
          isWatched(deployment) && !watched(deployment, 'ApproximateNumberOfMessagesVisible', id),
      )
      .map((id) => ({
        subject: id,
        problem: watched(deployment, 'NumberOfMessagesSent', id)
          ? 'Its alarm counts NumberOfMessagesSent.'
          : 'No alarm watches whether it is empty.',
        consequence:
          'Messages that SQS itself moves there do not count as sent: these dead letters expire unnoticed.',
        cure: 'Alarm on ApproximateNumberOfMessagesVisible above 0.',
      })),
}

function deadLetterQueues({ queues, subscriptions }: Deployment): string[] {
  const targets = new Set([
    ...queues.map(({ deadLetter }) => deadLetter?.queue),
    ...subscriptions.map(({ deadLetter }) => deadLetter),
  ])
  return queues.filter(({ id }) => targets.has(id)).map(({ id }) => id)
}

const age: DeliveryRule = {
  id: 'age-alarm',
  severity: 'warning',
  needs: ['alarms', 'mappings'],
  source: METRICS,
  check: (deployment) =>
    sources(deployment)
      .filter(
        ({ id }) =>
          isWatched(deployment) && !watched(deployment, 'ApproximateAgeOfOldestMessage', id),
      )
      .map(({ id }) => ({
        subject: id,
        problem: 'No alarm watches how long its messages wait.',
        consequence: 'A stopped consumer is noticed by its users first.',
        cure: 'Alarm on ApproximateAgeOfOldestMessage.',
      })),
}

const recursion: DeliveryRule = {
  id: 'recursion-alarm',
  severity: 'warning',
  needs: ['alarms', 'mappings', 'functions'],
  source: `${LAMBDA_PAGES}/invocation-recursion.html`,
  check: (deployment) =>
    mappedQueues(deployment)
      .filter(({ function: { runtime } }) => mayRunLineclear(runtime))
      .map(({ function: { id } }) => id)
      .filter(
        (id) => isWatched(deployment) && !watched(deployment, 'RecursiveInvocationsDropped', id),
      )
      .map((id) => ({
        subject: id,
        problem: 'No alarm watches whether Lambda cuts a chain of resends.',
        consequence: 'Messages become dead letters without an error of their own.',
        cure: 'Alarm on RecursiveInvocationsDropped above 0.',
      })),
}

const sweeper: DeliveryRule = {
  id: 'sweeper-alarm',
  severity: 'warning',
  needs: ['alarms'],
  source:
    'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html',
  check: ({ alarms, table }) => {
    // The alarms of the sweeper stand where the table and the sweeper are.
    if (alarms.length === 0 || table === undefined) return []
    const own = alarms.filter(({ metric }) => metric === 'missingTasks')
    const overdue = own.length > 0 && alarms.some(({ metric }) => metric === 'waitingTasks')
    if (overdue && own.some(({ missingData }) => missingData === 'breaching')) return []
    return [
      {
        subject: 'sweeper',
        problem:
          'No alarm watches for overdue requests, for requests that wait for an operator, or for a stopped sweeper.',
        consequence: 'Parked and overdue requests hold their keys without an alert.',
        cure: 'Alarm on missingTasks and waitingTasks above 0, and on missing data of missingTasks.',
      },
    ]
  },
}

const silent: DeliveryRule = {
  id: 'alarm-actions',
  severity: 'warning',
  needs: ['alarms'],
  source: 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/AlarmThatSendsEmail.html',
  check: ({ alarms }) =>
    [...silentOnes(alarms)].map((id) => ({
      subject: id,
      problem: 'It has no action.',
      consequence: 'It changes its state, and no engineer is notified.',
      cure: 'Give it AlarmActions with a topic that reaches the engineer on call.',
    })),
}

function silentOnes(alarms: readonly Alarm[]): Set<string> {
  return new Set(alarms.filter(({ actions }) => actions === 0).map(({ id }) => id))
}

function watched({ alarms }: Deployment, metric: string, id: string): boolean {
  return alarms.some((alarm: Alarm) => alarm.metric === metric && alarm.of.includes(id))
}

export const ALARM_RULES: readonly DeliveryRule[] = [
  none,
  deadLetters,
  age,
  recursion,
  sweeper,
  silent,
]
