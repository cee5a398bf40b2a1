import type { Deployment } from '../deployment.ts'
import { type DeliveryRule, LAMBDA_PAGES } from '../rule.ts'
import { readsIndex } from './permissions.ts'

const METRIC = 'oldestDelayed'

/** No resource shows that a handler has the option; who watches its metric has it. */
function storesDelays({ alarms }: Deployment, delays: 'stored' | 'none'): boolean {
  return delays === 'stored' || alarms.some(({ metric }) => metric === METRIC)
}

/** A function that a schedule calls, and that may read the index of what is due. */
function hasSweeper({ functions, schedules, roles }: Deployment): boolean {
  return functions.some(({ id, role }) => {
    if (!schedules.includes(id)) return false
    return roles.some((each) => each.id === role && each.statements.some(readsIndex))
  })
}

const sweeper: DeliveryRule = {
  id: 'delays-sweeper',
  severity: 'error',
  needs: ['functions', 'roles', 'alarms'],
  source: `${LAMBDA_PAGES}/with-eventbridge-scheduler.html`,
  check: (deployment, { delays }) => {
    if (!storesDelays(deployment, delays) || hasSweeper(deployment)) return []
    return [
      {
        subject: 'sweeper',
        problem: 'No function that may query the index byStatus is called by a schedule.',
        consequence: 'What storedDelays() has stored is never sent.',
        cure: 'Deploy sweepHandler with a schedule of rate(1 minute), and allow it dynamodb:Query on the index.',
      },
    ]
  },
}

const alarm: DeliveryRule = {
  id: 'delays-alarm',
  severity: 'warning',
  needs: ['alarms'],
  source: 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/AlarmThatSendsEmail.html',
  check: ({ alarms }, { delays }) => {
    if (delays === 'none' || alarms.some(({ metric }) => metric === METRIC)) return []
    return [
      {
        subject: 'sweeper',
        problem: 'No alarm watches for how long delayed messages have been due.',
        consequence:
          'Messages that a queue refuses, or that the sweeper is too slow for, stay in the table unnoticed.',
        cure: 'Alarm on oldestDelayed above 600000 (milliseconds).',
      },
    ]
  },
}

export const DELAY_RULES: readonly DeliveryRule[] = [sweeper, alarm]
