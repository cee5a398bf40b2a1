import type { DeployedFunction, Deployment, DeployedQueue } from '../deployment.ts'
import { LAMBDA_PAGES, type DeliveryRule, rule, SQS_PAGES } from '../rule.ts'
import { claims } from './functions.ts'
import { roleOf, sources } from './mappedQueues.ts'
import { consumers } from './ownership.ts'
import { readsIndex } from './permissions.ts'

const METRICS = `${SQS_PAGES}/sqs-available-cloudwatch-metrics.html`
const MONITORING = 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring'

export const ALARM_RULES: readonly DeliveryRule[] = [
  // One question instead of a finding for each queue: alarms are often in a stack, or an account, of their own.
  rule({
    id: 'alarms',
    severity: 'question',
    needs: ['alarms'],
    source: METRICS,
    find: (deployment) =>
      deployment.alarms.length > 0 || sources(deployment).length === 0 ? [] : [{ id: 'alarms' }],
    problem: 'There is no alarm here.',
    consequence:
      'If none is elsewhere, dead letters expire unnoticed, and a stopped consumer is noticed by its users first.',
    cure: 'Give the template of the alarms too; or alarm on dead letters, on the age of the oldest message, and on what the runbook lists.',
  }),
  rule({
    id: 'dead-letter-alarm',
    severity: 'error',
    needs: ['alarms'],
    source: METRICS,
    find: (deployment) =>
      unwatched(deployment, 'ApproximateNumberOfMessagesVisible', deadLetterQueues(deployment)).map(
        ({ id }) => ({ id, countsSent: isWatched(deployment, 'NumberOfMessagesSent', id) }),
      ),
    problem: ({ countsSent }) =>
      countsSent
        ? 'Its alarm counts NumberOfMessagesSent.'
        : 'No alarm watches whether it is empty.',
    consequence:
      'Messages that SQS itself moves there do not count as sent: these dead letters expire unnoticed.',
    cure: 'Alarm on ApproximateNumberOfMessagesVisible above 0.',
  }),
  rule({
    id: 'age-alarm',
    severity: 'warning',
    needs: ['alarms', 'mappings'],
    source: METRICS,
    find: (deployment) =>
      unwatched(deployment, 'ApproximateAgeOfOldestMessage', sources(deployment)),
    problem: 'No alarm watches how long its messages wait.',
    consequence: 'A stopped consumer is noticed by its users first.',
    cure: 'Alarm on ApproximateAgeOfOldestMessage.',
  }),
  rule({
    id: 'recursion-alarm',
    severity: 'warning',
    needs: ['alarms', 'mappings', 'functions'],
    source: `${LAMBDA_PAGES}/invocation-recursion.html`,
    find: (deployment) =>
      unwatched(deployment, 'RecursiveInvocationsDropped', consumers(deployment)),
    problem: 'No alarm watches whether Lambda cuts a chain of resends.',
    consequence: 'Messages become dead letters without an error of their own.',
    cure: 'Alarm on RecursiveInvocationsDropped above 0.',
  }),
  rule({
    id: 'function-alarm',
    severity: 'warning',
    needs: ['alarms', 'mappings', 'functions', 'roles'],
    source: `${LAMBDA_PAGES}/monitoring-metrics-types.html`,
    find: (deployment) => unwatched(deployment, 'Errors', called(deployment)),
    problem: 'It has requests of Lineclear, no queue calls it, and no alarm watches its errors.',
    consequence: 'No dead letter tells of a call that failed: its callers notice first.',
    cure: 'Alarm on Errors and Throttles above 0, and on Duration near its timeout.',
  }),
  rule({
    id: 'sweeper-alarm',
    severity: 'warning',
    needs: ['alarms'],
    source: `${MONITORING}/alarms-and-missing-data.html`,
    find: ({ alarms, tables }) => {
      // The alarms of the sweeper are in the stack of the table and the sweeper.
      if (alarms.length === 0 || tables.length === 0) return []
      const isStoppedSeen = alarms.some(
        ({ metric, missingData }) => metric === 'missingTasks' && missingData === 'breaching',
      )
      const isOverdueSeen = alarms.some(({ metric }) => metric === 'waitingTasks')
      return isStoppedSeen && isOverdueSeen ? [] : [{ id: 'sweeper' }]
    },
    problem:
      'No alarm watches for overdue requests, for requests that wait for an operator, or for a stopped sweeper.',
    consequence: 'Parked and overdue requests hold their keys without an alert.',
    cure: 'Alarm on missingTasks and waitingTasks above 0, and on missing data of missingTasks.',
  }),
  rule({
    id: 'duration-alarm',
    severity: 'warning',
    needs: ['alarms', 'functions'],
    source: `${LAMBDA_PAGES}/monitoring-metrics-types.html`,
    find: ({ alarms, functions }) =>
      alarms.flatMap(({ id, metric, of, above = 0 }) =>
        functions
          .filter((each) => metric === 'Duration' && of.includes(each.id))
          .flatMap(({ id: user, timeout }) =>
            timeout !== undefined && above > timeout * 1_000 ? [{ id, above, user, timeout }] : [],
          ),
      ),
    problem: ({ above, user, timeout }) =>
      `It goes off above ${above} ms, and Lambda stops ${user} after ${timeout} s.`,
    consequence: 'No invocation lasts that long: the alarm never goes off.',
    cure: 'Set Threshold below the timeout of the function, in milliseconds; or set the timeout that the function needs.',
  }),
  rule({
    id: 'alarm-actions',
    severity: 'warning',
    needs: ['alarms'],
    source: `${MONITORING}/AlarmThatSendsEmail.html`,
    find: ({ alarms }) => {
      const silent = alarms.filter(({ actions }) => actions === 0).map(({ id }) => id)
      return [...new Set(silent)].map((id) => ({ id }))
    },
    problem: 'It has no action.',
    consequence: 'It changes its state, and no engineer is notified.',
    cure: 'Give it AlarmActions with a topic that reaches the engineer on call.',
  }),
]

/** Those without an alarm on the metric. Where there is no alarm at all, the rule `alarms` says so. */
function unwatched<Each extends { readonly id: string }>(
  deployment: Deployment,
  metric: string,
  all: readonly Each[],
): readonly Each[] {
  if (deployment.alarms.length === 0) return []
  return all.filter(({ id }) => !isWatched(deployment, metric, id))
}

function isWatched({ alarms }: Deployment, metric: string, id: string): boolean {
  return alarms.some((alarm) => alarm.metric === metric && alarm.of.includes(id))
}

function deadLetterQueues({ queues, subscriptions }: Deployment): readonly DeployedQueue[] {
  const targets = new Set([
    ...queues.map(({ deadLetter }) => deadLetter?.queue),
    ...subscriptions.map(({ deadLetter }) => deadLetter),
  ])
  return queues.filter(({ id }) => targets.has(id))
}

/** Functions that an API or another function calls, and that claim requests. */
function called(deployment: Deployment): readonly DeployedFunction[] {
  const { functions, mappings } = deployment
  return functions.filter(
    (each) =>
      claims(deployment, each) &&
      !mayReadIndex(deployment, each) &&
      mappings.every((one) => one.function !== each.id),
  )
}

export const DELAY_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'delays-sweeper',
    severity: 'error',
    needs: ['functions', 'roles', 'alarms'],
    source: `${LAMBDA_PAGES}/with-eventbridge-scheduler.html`,
    // No resource shows that a handler has the option; who watches its metric has it.
    find: (deployment, { delays }) =>
      (delays === 'none' && !watchesDelays(deployment)) || hasSweeper(deployment)
        ? []
        : [{ id: 'sweeper' }],
    problem: 'No function that may query the index byStatus is called by a schedule.',
    consequence: 'What storedDelays() has stored is never sent.',
    cure: 'Deploy sweepHandler with a schedule of rate(1 minute), and allow it dynamodb:Query on the index.',
  }),
  rule({
    id: 'delays-alarm',
    severity: 'warning',
    needs: ['alarms'],
    source: `${MONITORING}/AlarmThatSendsEmail.html`,
    find: (deployment, { delays }) =>
      delays === 'none' || watchesDelays(deployment) ? [] : [{ id: 'sweeper' }],
    problem: 'No alarm watches for how long delayed messages have been due.',
    consequence:
      'Messages that a queue refuses, or that the sweeper is too slow for, stay in the table unnoticed.',
    cure: 'Alarm on oldestDelayed above 600000 (milliseconds).',
  }),
]

function watchesDelays({ alarms }: Deployment): boolean {
  return alarms.some(({ metric }) => metric === 'oldestDelayed')
}

/** A function that a schedule calls, and that may read the index of what is due. */
function hasSweeper(deployment: Deployment): boolean {
  const { functions, schedules } = deployment
  return functions.some((each) => schedules.includes(each.id) && mayReadIndex(deployment, each))
}

function mayReadIndex(deployment: Deployment, each: DeployedFunction): boolean {
  return roleOf(deployment, each)?.statements.some(readsIndex) ?? false
}
